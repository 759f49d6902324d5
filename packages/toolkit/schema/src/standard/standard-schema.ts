/** The property `~standard` of a schema, as `@standard-schema/spec` defines it, with its JSON Schema. */
export interface StandardProps<Input = unknown, Output = Input> {
  readonly version: 1;
  readonly vendor: string;
  readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  readonly jsonSchema: {
    readonly input: (options: JsonSchemaOptions) => Record<string, unknown>;
    readonly output: (options: JsonSchemaOptions) => Record<string, unknown>;
  };
  /** Missing in schemas that only describe, such as those of `@valibot/to-json-schema`. */
  readonly validate?: (value: unknown) => StandardResult | Promise<StandardResult>;
}

interface JsonSchemaOptions {
  readonly target: 'draft-2020-12';
  readonly libraryOptions?: Record<string, unknown> | undefined;
}

/** The result of a validation by the library. */
export interface StandardResult {
  readonly issues?: readonly StandardIssue[] | undefined;
}

/** One problem that the library found. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** A schema of a library that implements Standard JSON Schema, such as zod 4.2 and ArkType 2.1.28. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': StandardProps<Input, Output>;
}

/** True for a schema of a library that implements Standard JSON Schema. ArkType's schemas are functions. */
export function isStandardSchema(schema: unknown): schema is StandardSchema {
  if (typeof schema !== 'object' && typeof schema !== 'function') return false;
  return schema !== null && '~standard' in schema;
}
