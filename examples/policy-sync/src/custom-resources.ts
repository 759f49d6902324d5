import {
  defineResource,
  type ApiResource,
  type ClusterScopedObject,
  type DeepReadonly,
} from '@keelson/manager';

const group = 'policy.keelson.dev';
const version = 'v1';

/** Defines a kind of constraint at run time. */
export interface PolicyTemplate extends ClusterScopedObject {
  spec: {
    /** The kind of the constraints, such as `RequiredLabels`, and its plural. */
    kind: string;
    plural: string;
    /** The part of an object's metadata in which the keys of a constraint must be. */
    requires: 'labels' | 'annotations';
  };
}

/** A constraint of a kind that a PolicyTemplate defines. */
export interface Constraint extends ClusterScopedObject {
  spec: {
    /** The kinds that the constraint checks, as `PLURAL` or `PLURAL.GROUP`. */
    match: string[];
    keys: string[];
  };
  /** The objects that lack a key: their number, and the first 20. */
  status?: { violations?: number; objects?: string[] };
}

/** The kinds whose objects are checked. */
export interface SyncConfig extends ClusterScopedObject {
  spec: { kinds: { group: string; version: string; kind: string; plural: string }[] };
}

export const PolicyTemplate = defineResource<PolicyTemplate>({
  group,
  version,
  kind: 'PolicyTemplate',
  plural: 'policytemplates',
  scope: 'Cluster',
});

export const SyncConfig = defineResource<SyncConfig>({
  group,
  version,
  kind: 'SyncConfig',
  plural: 'syncconfigs',
  scope: 'Cluster',
});

/** The kind of the constraints of a template. */
export function constraintsOf({ spec }: DeepReadonly<PolicyTemplate>): ApiResource<Constraint> {
  const { kind, plural } = spec;
  return defineResource<Constraint>({
    group: `constraints.${group}`,
    version,
    kind,
    plural,
    scope: 'Cluster',
  });
}
