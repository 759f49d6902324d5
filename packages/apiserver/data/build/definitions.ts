import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { readJson } from './resources.ts';

/**
 * The definitions of `api/openapi-spec/swagger.json` under these names, whole: they are what
 * `kubectl explain` reads.
 */
export function compressDefinitions(
  kubernetes: string,
  version: string,
  names: readonly string[],
): Buffer {
  const document = readJson(join(kubernetes, 'api/openapi-spec/swagger.json')) as {
    definitions: Record<string, object>;
  };
  const definitions = names.map((name) => [name, document.definitions[name]]);
  const text = JSON.stringify({
    kubernetes: version,
    definitions: Object.fromEntries(definitions) as object,
  });
  return brotliCompressSync(text, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 },
  });
}
