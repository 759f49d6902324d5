import { SchemaError } from '../errors.ts';

/** Creates the error of a schema that a CRD cannot have, with the path of the part, the reason and the cure. */
export function refusal(path: string, reason: string, cure: string): SchemaError {
  return new SchemaError('SCHEMA_INVALID', { path, reason, cure });
}
