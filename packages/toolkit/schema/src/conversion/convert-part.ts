import type { JsonValue } from '@keelson/structural-schema';
import type { StructuralSchema } from '../literal/structural-schema.ts';

/** Converts one part of a JSON Schema; `path` names the part in errors. */
export type Convert = (schema: JsonValue, path: string) => StructuralSchema;
