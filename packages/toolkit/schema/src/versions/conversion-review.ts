import type { KubernetesObject, Status } from '@keelson/apimachinery';
import { isJsonObject } from '@keelson/structural-schema';
import { SchemaError } from '../errors.ts';
import type { VersionConverter } from './version-converter.ts';

/** Kubernetes 1.22 removed v1beta1, and the definition of `defineKind` asks for v1 alone. */
const REVIEW_API_VERSION = 'apiextensions.k8s.io/v1';

/** A list of many objects may fail altogether; the message names this many of them. */
const MOST_NAMED = 10;

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
 * Converts every object of a ConversionReview. If some fail, the response has the status `Failure` and a message with the
 * error of each of them, which the server passes to its client. Throws `CONVERSION_FAILED` if the body is not a
 * ConversionReview of `apiextensions.k8s.io/v1`.
 */
export function reviewConversion(body: unknown, converter: VersionConverter): ConversionReview {
  const { uid, version, objects } = requestIn(body);
  const convertedObjects: KubernetesObject[] = [];
  const failures: string[] = [];
  for (const object of objects) {
    try {
      convertedObjects.push(converter.convert(object, version));
    } catch (error) {
      if (!(error instanceof SchemaError)) throw error;
      failures.push(error.message);
    }
  }
  if (failures.length === 0)
    return reviewOf({ uid, convertedObjects, result: { status: 'Success' } });
  const message = messageOf(failures, objects.length);
  return reviewOf({ uid, convertedObjects: [], result: { status: 'Failure', message } });
}

function messageOf(failures: readonly string[], count: number): string {
  const [first = ''] = failures;
  if (count === 1) return first;
  const named = failures.slice(0, MOST_NAMED).join('; ');
  return `${failures.length} of ${count} objects cannot be converted: ${named}`;
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
  const isReview = kind === 'ConversionReview' && apiVersion === REVIEW_API_VERSION;
  const { uid, desiredAPIVersion, objects } = isJsonObject(request) ? request : {};
  const isRequest = typeof uid === 'string' && typeof desiredAPIVersion === 'string';
  if (!isReview || !isRequest || !Array.isArray(objects) || !objects.every(isJsonObject)) {
    const reason = `the body is not a ConversionReview of ${REVIEW_API_VERSION}`;
    throw new SchemaError('CONVERSION_FAILED', { apiVersion, kind, reason });
  }
  const [, version = ''] = desiredAPIVersion.split('/');
  return { uid, version, objects };
}
