import { CodedError, type ErrorFacts } from '@keelson/apimachinery';

/** Every error code of this package, with its constant message; `docs/errors.md` gives cause and cure. */
export const schemaErrors = {
  CONVERSION_FAILED: 'the object cannot be converted to another version',
  MUTATION_FAILED: 'a mutation of a policy cannot be evaluated',
  OBJECT_INVALID: 'the object violates the schema of its kind',
  OBJECTS_NOT_GENERATED: 'no valid objects can be generated from the schema',
  ROUND_TRIP_FAILED: 'a conversion there and back changes an object',
  RULE_INVALID: 'a CEL rule does not compile or may cost too much',
  SCHEMA_INVALID: 'the schema is not a structural schema of Kubernetes',
} as const;

/** The `code` of an error of this package; user code may compare it. */
export type SchemaErrorCode = keyof typeof schemaErrors;

/** An error of a definition or an object; `facts` has the path, the reason and the cure. */
export class SchemaError extends CodedError<SchemaErrorCode> {
  override readonly name: string = 'SchemaError';

  constructor(code: SchemaErrorCode, facts: ErrorFacts = {}, options: { cause?: unknown } = {}) {
    super(code, schemaErrors[code], facts, options);
  }
}
