import type { KubernetesObject, Status } from '@keelson/apimachinery';
import { isJsonObject } from '@keelson/structural-schema';
import { SchemaError } from '../errors.ts';
import type { VersionConverter } from './version-converter.ts';

/** The body of a response to the API server, which asks a webhook to convert objects. */
export interface ConversionReview {
  readonly apiVersion: 'apiextensions.k8s.io/v1';
  readonly kind: 'ConversionReview';
  readonly response: {
    readonly uid: string;
    readonly convertedObjects: readonly KubernetesObject[];
    readonly result: Status;
  };
}

/**
 * Converts every object of a ConversionReview. A failed conversion is a response with the status `Failure`, which the
 * server passes to its client. Throws `CONVERSION_FAILED` if the body is not a ConversionReview.
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
  return { apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', response };
}

interface Request {
  readonly uid: string;
  readonly version: string;
  readonly objects: readonly object[];
}

function requestIn(body: unknown): Request {
  const request = isJsonObject(body) ? body['request'] : undefined;
  const { uid, desiredAPIVersion, objects } = isJsonObject(request) ? request : {};
  if (typeof uid === 'string' && typeof desiredAPIVersion === 'string' && Array.isArray(objects)) {
    const [, version = ''] = desiredAPIVersion.split('/');
    return { uid, version, objects: objects.filter(isJsonObject) };
  }
  throw new SchemaError('CONVERSION_FAILED', {
    reason: 'the body is not a ConversionReview of v1',
  });
}
