import { brotliDecompressSync } from 'node:zlib';
import type { JsonValue } from '@keelson/structural-schema';
import { lazy } from '@keelson/structural-schema';
import { readDataFile } from '../data-file.ts';
import { type KubernetesVersion, newestVersion } from './kubernetes-version.ts';

/**
 * What differs in an older version of Kubernetes from the newest one. `data/build-release.ts` makes it from the source trees of
 * both.
 */
export interface ReleaseDifference {
  /** The version of the source tree, such as `v1.34.4`. */
  readonly kubernetes: string;
  /** The ids of resources that it does not serve. */
  readonly resources: readonly string[];
  /** The types that differ, in the form of `kinds.json`; null for those that it does not have. */
  readonly types: Readonly<Record<string, object | null>>;
  /** The paths of the OpenAPI documents that it does not have. */
  readonly paths: readonly string[];
  /** Merge patches of the schemas in OpenAPI 3 documents; null for those that it does not have. */
  readonly schemas: Readonly<Record<string, JsonValue>>;
  /** Merge patches of the definitions in the Swagger document. */
  readonly definitions: Readonly<Record<string, JsonValue>>;
}

const differences = {
  '1.34': lazy(() => read('1.34')),
  '1.35': lazy(() => read('1.35')),
} as const;

/** Returns the difference of a version; `undefined` for the newest one. The file is read on the first call. */
export function releaseDifference(version: KubernetesVersion): ReleaseDifference | undefined {
  return version === newestVersion ? undefined : differences[version]();
}

function read(version: string): ReleaseDifference {
  const bytes = brotliDecompressSync(readDataFile(`release-${version}.json.br`));
  return JSON.parse(bytes.toString()) as ReleaseDifference;
}
