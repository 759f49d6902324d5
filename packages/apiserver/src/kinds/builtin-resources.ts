import { readDataFile } from '../schema/data-file.ts';
import { lazy } from '../schema/lazy.ts';

/** A subresource of a built-in resource; group, version and kind are those of its body. */
export interface BuiltinSubresource {
  /** The last part of its URL: `status`, `scale`, `eviction`. */
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly verbs: readonly string[];
}

/** What discovery says about one built-in resource. */
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
 * The resources that a default kube-apiserver serves (stable versions only), in the order of its
 * discovery: core first, and within a group the preferred version first.
 */
export function builtinResources(): readonly BuiltinResource[] {
  return read().resources;
}

/** The Kubernetes version the data was made from: `v1.36.3`. */
export function kubernetesVersion(): string {
  return read().kubernetes;
}
