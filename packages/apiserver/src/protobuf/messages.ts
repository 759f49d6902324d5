import { brotliDecompressSync } from 'node:zlib';
import { readDataFile } from '../schema/data-file.ts';
import { lazy } from '../schema/lazy.ts';
import type { MessagesFile } from './message-type.ts';

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/** What no OpenAPI document defines, though it travels. */
const projections: MessagesFile = {
  [`${meta}.PartialObjectMetadata`]: [[1, 'metadata', `${meta}.ObjectMeta`]],
  [`${meta}.PartialObjectMetadataList`]: [
    [1, 'metadata', `${meta}.ListMeta`],
    [2, 'items', `[]${meta}.PartialObjectMetadata`],
  ],
};

/** The fields of every message; read with the first use. */
export const readMessages: () => MessagesFile = lazy(() => ({
  ...(JSON.parse(
    brotliDecompressSync(readDataFile('messages.json.br')).toString(),
  ) as MessagesFile),
  ...projections,
}));

/**
 * The message of a kind: `rbac.authorization.k8s.io/v1` and `Role` → `io.k8s.api.rbac.v1.Role`;
 * `undefined` for one that has no protobuf.
 */
export function messageOf(apiVersion: string, kind: string): string | undefined {
  const [group, version] = (apiVersion.includes('/') ? apiVersion : `core/${apiVersion}`).split(
    '/',
  );
  const names = [
    `io.k8s.api.${group?.split('.', 1)[0]}.${version}.${kind}`,
    `io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.${version}.${kind}`,
    `io.k8s.apimachinery.pkg.apis.meta.${version}.${kind}`,
  ];
  return names.find((name) => readMessages()[name] !== undefined);
}
