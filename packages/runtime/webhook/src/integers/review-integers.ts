import type { PatchOperation } from '../admission/json-patch.ts';
import { isRecord, type JsonRecord } from '../admission/json-value.ts';
import { WideIntegers } from './wide-integers.ts';

/**
 * Restores the integers of the values in the patch of an AdmissionReview from the object of its request, and those that only
 * the old object has from that. The paths of the patch stay.
 */
export function withIntegersOfPatch(review: object, body: unknown, webhook: string): object {
  const response = memberOf(review, 'response');
  const { patch } = response;
  if (typeof patch !== 'string') return review;
  const { object, oldObject } = memberOf(body, 'request');
  const integers = new WideIntegers([object, oldObject], webhook);
  const operations = JSON.parse(Buffer.from(patch, 'base64').toString('utf8')) as PatchOperation[];
  const restored = operations.map((operation) =>
    'value' in operation ? { ...operation, value: integers.restore(operation.value) } : operation,
  );
  const text = JSON.stringify(restored);
  return { ...review, response: { ...response, patch: Buffer.from(text).toString('base64') } };
}

/** Restores the integers of the objects in the response to a ConversionReview, each from the object that was converted. */
export function withIntegersOfObjects(review: object, body: unknown, webhook: string): object {
  const response = memberOf(review, 'response');
  const { convertedObjects } = response;
  const { objects } = memberOf(body, 'request');
  if (!Array.isArray(convertedObjects) || !Array.isArray(objects)) return review;
  const restored = convertedObjects.map((object, index) =>
    new WideIntegers([objects[index]], webhook).restore(object),
  );
  return { ...review, response: { ...response, convertedObjects: restored } };
}

function memberOf(value: unknown, name: string): JsonRecord {
  const member = isRecord(value) ? value[name] : undefined;
  return isRecord(member) ? member : {};
}
