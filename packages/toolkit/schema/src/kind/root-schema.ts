import type { JsonSchema } from '@keelson/structural-schema';
import { excludeLists } from '../literal/exclude-lists.ts';
import type { KindOptions } from './kind-options.ts';

/** The schema of the whole object in the CRD. The server adds `apiVersion`, `kind` and `metadata`. */
export function rootSchemaOf({
  spec,
  status,
  validations,
}: Pick<KindOptions, 'spec' | 'status' | 'validations'>): JsonSchema {
  const root = {
    type: 'object',
    required: ['spec'],
    properties: { spec, ...(status && { status }) },
    ...(validations && { 'x-kubernetes-validations': validations }),
  };
  return excludeLists(structuredClone(root) as unknown as JsonSchema);
}
