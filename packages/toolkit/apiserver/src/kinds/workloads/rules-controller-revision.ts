import type { StatusCause } from '@keelson/apimachinery';
import { isJsonObject, type JsonObject, required } from '@keelson/structural-schema';
import { atLeastZero, immutable } from '../../schema/validation-rule.ts';

/** Validates a ControllerRevision. Its data is an object, and never changes. */
export function validateControllerRevision(revision: JsonObject, old?: JsonObject): StatusCause[] {
  return [
    ...atLeastZero(revision, '', 'revision'),
    ...(old === undefined ? validateData(revision) : immutable(revision, old, '', 'data')),
  ];
}

function validateData({ data }: JsonObject): StatusCause[] {
  if (data === undefined || data === null) return [required('data', 'data is mandatory')];
  return isJsonObject(data) ? [] : [required('data', 'data must be a valid JSON object')];
}
