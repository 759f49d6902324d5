import type { KubernetesObject, Status } from '@keelson/apimachinery';
import { isJsonObject } from '@keelson/structural-schema';
import { SchemaError } from '../errors.ts';
import type { VersionConverter } from './version-converter.ts';

/** Kubernetes 1.22 removed v1beta1, and the definition of `defineVersions` asks for v1 alone. */
const REVIEW_API_VERSION = 'apiextensions.k8s.io/v1';

/** The body of a response to the API server, which asks a webhook to convert objects. */
export interface ConversionReview {
  readonly apiVersion: typeof REVIEW_API_VERSION;
  readonly kind: 'ConversionReview';
  readonly response: {
    readonly uid: string;
    readonly convertedObjects: readonly KubernetesObject[];
    readonly result: Status;
  };
}

/**
 * Converts every object of a ConversionReview. A failed conversion is a response with the status `Failure`, which the
 * server passes to its client. Throws `CONVERSION_FAILED` if the body is not a ConversionReview of
 * `apiextensions.k8s.io/v1`.
 */
export function reviewConversion(body: unknown, converter: VersionConverter): ConversionReview {
  const { uid, version, objects } = requestIn(body);
  try {
    const convertedObjects = objects.map((object) => converter.convert(object, version));
    return reviewOf({ uid, convertedObjects, result: { status: 'Success' } });
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    const result: Status = { status: 'Failure', message: error.message };
    return reviewOf({ uid, convertedObjects: [], result });
  }
}

function reviewOf(response: ConversionReview['response']): ConversionReview {
  return { apiVersion: REVIEW_API_VERSION, kind: 'ConversionReview', response };
}

interface Request {
  readonly uid: string;
  readonly version: string;
  readonly objects: readonly object[];
}

function requestIn(body: unknown): Request {
  const { apiVersion, kind, request } = isJsonObject(body) ? body : {};
  if (kind !== 'ConversionReview' || apiVersion !== REVIEW_API_VERSION) {
    throw refusal({ apiVersion, kind });
  }
  const { uid, desiredAPIVersion, objects } = isJsonObject(request) ? request : {};
  if (typeof uid === 'string' && typeof desiredAPIVersion === 'string' && Array.isArray(objects)) {
    const [, version = ''] = desiredAPIVersion.split('/');
    return { uid, version, objects: objects.filter(isJsonObject) };
  }
  throw refusal({ apiVersion, kind });
}

function refusal({ apiVersion, kind }: Readonly<Record<string, unknown>>): SchemaError {
  const reason = `the body is not a ConversionReview of ${REVIEW_API_VERSION}`;
  return new SchemaError('CONVERSION_FAILED', { apiVersion, kind, reason });
}
