import { resourceId } from '@keelson/apimachinery';
import { readDataFile } from '../data-file.ts';
import type { KubernetesVersion } from '../releases/kubernetes-version.ts';
import { releaseDifference } from '../releases/release-difference.ts';
import { lazy } from '@keelson/structural-schema';

/** A subresource of a built-in resource; group, version and kind are those of its body. */
export interface BuiltinSubresource {
  /** The last part of its URL: `status`, `scale`, `eviction`. */
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly verbs: readonly string[];
}

/** The discovery data of one built-in resource. */
export interface BuiltinResource {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly subresources: readonly BuiltinSubresource[];
}

interface ResourceFile {
  kubernetes: string;
  resources: BuiltinResource[];
}

const read = lazy(() => JSON.parse(readDataFile('resources.json').toString()) as ResourceFile);

/**
 * The stable resources of a default kube-apiserver in the order of its discovery: the core group comes first, and
 * within a group the preferred version.
 */
export function builtinResources(version: KubernetesVersion): readonly BuiltinResource[] {
  const { resources: gone = [] } = releaseDifference(version) ?? {};
  const all = read().resources;
  return gone.length === 0 ? all : all.filter((facts) => !gone.includes(resourceId(facts)));
}

/** The release that a server of this version reports, such as `v1.36.3`. */
export function kubernetesVersion(version: KubernetesVersion): string {
  return releaseDifference(version)?.kubernetes ?? read().kubernetes;
}
