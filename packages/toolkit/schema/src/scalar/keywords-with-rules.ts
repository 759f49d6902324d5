import type { JsonObject } from '@keelson/structural-schema';
import type { StructuralSchema } from '../literal/structural-schema.ts';

/** Keywords of a text or number, and the CEL rules for what they cannot say. An undefined keyword replaces a common one. */
export interface ScalarKeywords {
  readonly keywords: {
    readonly [Name in keyof StructuralSchema]: StructuralSchema[Name] | undefined;
  };
  readonly rules: readonly JsonObject[];
}
