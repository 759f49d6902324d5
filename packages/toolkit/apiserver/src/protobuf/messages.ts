import { brotliDecompressSync } from 'node:zlib';
import { readDataFile } from '../data-file.ts';
import { lazy } from '@keelson/structural-schema';
import type { MessagesFile } from './message-type.ts';

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const formerMeta = 'io.k8s.apimachinery.pkg.apis.meta.v1beta1';

/** Messages that no OpenAPI document defines but responses use. */
const projections: MessagesFile = {
  [`${meta}.PartialObjectMetadata`]: [[1, 'metadata', `${meta}.ObjectMeta`]],
  [`${meta}.PartialObjectMetadataList`]: [
    [1, 'metadata', `${meta}.ListMeta`],
    [2, 'items', `[]${meta}.PartialObjectMetadata`],
  ],
  // The former version has the object of v1, and a list with its fields in the other order.
  [`${formerMeta}.PartialObjectMetadata`]: [[1, 'metadata', `${meta}.ObjectMeta`]],
  [`${formerMeta}.PartialObjectMetadataList`]: [
    [1, 'items', `[]${meta}.PartialObjectMetadata`],
    [2, 'metadata', `${meta}.ListMeta`],
  ],
};

const aggregator = 'io.k8s.kube-aggregator.pkg.apis.apiregistration.v1';

/** The messages of APIServices, which are not part of the source tree behind the data file. */
const aggregation: MessagesFile = {
  [`${aggregator}.APIService`]: [
    [1, 'metadata', `${meta}.ObjectMeta`],
    [2, 'spec', `${aggregator}.APIServiceSpec`],
    [3, 'status', `${aggregator}.APIServiceStatus`],
  ],
  [`${aggregator}.APIServiceSpec`]: [
    [1, 'service', `*${aggregator}.ServiceReference`],
    [2, 'group', 'string'],
    [3, 'version', 'string'],
    [4, 'insecureSkipTLSVerify', 'bool'],
    [5, 'caBundle', 'bytes'],
    [7, 'groupPriorityMinimum', 'int'],
    [8, 'versionPriority', 'int'],
  ],
  [`${aggregator}.ServiceReference`]: [
    [1, 'namespace', 'string'],
    [2, 'name', 'string'],
    [3, 'port', '*int'],
  ],
  [`${aggregator}.APIServiceStatus`]: [[1, 'conditions', `[]${aggregator}.APIServiceCondition`]],
  [`${aggregator}.APIServiceCondition`]: [
    [1, 'type', 'string'],
    [2, 'status', 'string'],
    [3, 'lastTransitionTime', `${meta}.Time`],
    [4, 'reason', 'string'],
    [5, 'message', 'string'],
  ],
};

/** Returns the fields of every message; reads the data file on the first call. */
export const readMessages: () => MessagesFile = lazy(() => ({
  ...(JSON.parse(
    brotliDecompressSync(readDataFile('messages.json.br')).toString(),
  ) as MessagesFile),
  ...projections,
  ...aggregation,
}));

/**
 * Returns the message of a kind: `rbac.authorization.k8s.io/v1` and `Role` → `io.k8s.api.rbac.v1.Role`. Returns
 * `undefined` for a kind without protobuf.
 */
export function messageOf(apiVersion: string, kind: string): string | undefined {
  const [group, version] = (apiVersion.includes('/') ? apiVersion : `core/${apiVersion}`).split(
    '/',
  );
  const names = [
    `io.k8s.api.${group?.split('.', 1)[0]}.${version}.${kind}`,
    `io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.${version}.${kind}`,
    `io.k8s.kube-aggregator.pkg.apis.apiregistration.${version}.${kind}`,
    `io.k8s.apimachinery.pkg.apis.meta.${version}.${kind}`,
  ];
  return names.find((name) => readMessages()[name] !== undefined);
}
