import { isRecord, type JsonRecord } from '../admission/json-value.ts';

/** The members of metadata that identify an object. */
const identity = ['name', 'namespace', 'uid'] as const;

/**
 * Returns why the API server refuses a response to a ConversionReview: another uid, another number of objects, or an object
 * of another version, kind or identity. Undefined if it accepts the response, or if the response is a failure.
 */
export function conversionProblem(body: unknown, review: JsonRecord): string | undefined {
  const { uid, desiredAPIVersion, objects } = membersOf(membersOf(body)['request']);
  if (!Array.isArray(objects)) return undefined;
  const response = membersOf(review['response']);
  if (response['uid'] !== uid) return 'response.uid must be that of the request';
  if (membersOf(response['result'])['status'] !== 'Success') return undefined;
  const converted: unknown = response['convertedObjects'];
  const count = Array.isArray(converted) ? converted.length : 0;
  if (!Array.isArray(converted) || count !== objects.length) {
    return `convertedObjects must have ${objects.length} objects, and has ${count}`;
  }
  for (const [index, object] of objects.entries()) {
    const member = changedMember(membersOf(object), membersOf(converted[index]), desiredAPIVersion);
    if (member !== undefined) return `convertedObjects[${index}] has another ${member}`;
  }
  return undefined;
}

function changedMember(
  before: JsonRecord,
  after: JsonRecord,
  apiVersion: unknown,
): string | undefined {
  if (after['apiVersion'] !== apiVersion) return 'apiVersion than the request asks for';
  if (after['kind'] !== before['kind']) return 'kind';
  const [old, changed] = [membersOf(before['metadata']), membersOf(after['metadata'])];
  const member = identity.find((name) => (old[name] ?? '') !== (changed[name] ?? ''));
  return member && `metadata.${member}`;
}

function membersOf(value: unknown): JsonRecord {
  return isRecord(value) ? value : {};
}
