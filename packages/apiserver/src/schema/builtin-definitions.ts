import { brotliDecompressSync } from 'node:zlib';
import { readDataFile } from './data-file.ts';
import { lazy } from './lazy.ts';

// More than a megabyte of text: unpacked only for those who ask, such as `kubectl explain`.
const read = lazy(
  () =>
    JSON.parse(brotliDecompressSync(readDataFile('definitions.json.br')).toString()) as {
      definitions: Record<string, object>;
    },
);

/**
 * The OpenAPI v2 schemas of the built-in kinds by name (`io.k8s.api.apps.v1.Deployment`), with their
 * descriptions; they refer to each other by `#/definitions/`.
 */
export function builtinDefinitions(): Readonly<Record<string, object>> {
  return read().definitions;
}
