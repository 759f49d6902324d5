import type { StructuralSchema } from '../literal/structural-schema.ts';

/** Keywords for parts of a schema by their paths, such as `spec.properties.ports.items`. */
export type KeywordsByPath = Readonly<Record<string, StructuralSchema>>;
