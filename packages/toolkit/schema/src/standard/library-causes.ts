import type { StatusCause } from '@keelson/apimachinery';
import { childPath, type FieldPath, indexPath, type JsonValue } from '@keelson/structural-schema';
import { refusal } from '../literal/refusal.ts';
import type { SchemaInput } from './schema-input.ts';
import { isStandardSchema, type StandardIssue, type StandardSchema } from './standard-schema.ts';
import { WatchedRefinements } from './watched-refinements.ts';

/** Finds what only the schema of a library checks, such as refinements, which a CRD cannot express. */
export class LibraryCauses {
  readonly #schema: StandardSchema | undefined;
  readonly #watched: WatchedRefinements | undefined;

  constructor(schema: SchemaInput | undefined) {
    this.#schema = isStandardSchema(schema) ? schema : undefined;
    this.#watched = this.#schema && new WatchedRefinements(this.#schema);
  }

  /** Returns the causes. Throws `SCHEMA_INVALID` for an asynchronous refinement, or one that throws. */
  in(value: JsonValue | undefined, field: FieldPath): StatusCause[] {
    const validate = this.#schema?.['~standard'].validate;
    if (value === undefined || validate === undefined || this.#watched === undefined) return [];
    const { result, isAsynchronous } = this.#watched.run(() => validate(value));
    if (result instanceof Promise) result.catch(() => undefined);
    if (isAsynchronous || result instanceof Promise) {
      throw refusal(
        field,
        'an asynchronous refinement, or one that throws',
        'check it in the reconciler or a webhook',
      );
    }
    return (result.issues ?? []).map((issue) => ({
      reason: 'FieldValueInvalid',
      field: pathOf(issue, field),
      message: `Invalid value: ${issue.message}`,
    }));
  }
}

function pathOf({ path = [] }: StandardIssue, field: FieldPath): FieldPath {
  return path.reduce<FieldPath>((parent, segment) => {
    const key = typeof segment === 'object' ? segment.key : segment;
    return typeof key === 'number' ? indexPath(parent, key) : childPath(parent, String(key));
  }, field);
}
