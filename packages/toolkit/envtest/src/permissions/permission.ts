import type { builtin, ObjectOf } from '@keelson/apimachinery';

/** One rule of a Role or ClusterRole. */
export type PolicyRule = NonNullable<ObjectOf<typeof builtin.ClusterRole>['rules']>[number];

/**
 * Whether a role needs a permission.
 * - `required`: a request needed it.
 * - `expected`: no request needed it, and the next run of the same code may. Generated roles have it, checked-in roles
 *   may.
 * - `default`: a request needed it, and the default roles of Kubernetes grant it to every authenticated user. Generated
 *   roles do not have it, checked-in roles may.
 */
export type Need = 'required' | 'expected' | 'default';

/** One verb on one resource in one scope, or one method on one path. */
export interface Permission {
  readonly need: Need;
  readonly verb: string;
  readonly group: string;
  /** The plural, with a subresource as in `deployments/scale`; `""` for a path. */
  readonly resource: string;
  /** A URL that does not name a resource; `""` for a resource. */
  readonly path: string;
  /** The namespace whose Role suffices; `""` if it takes a ClusterRole. */
  readonly namespace: string;
  /** The names to which a generated role limits the permission; `undefined`: no limit. */
  readonly names: readonly string[] | undefined;
  /** The names that requests had; `undefined`: too many, or requests without a name. */
  readonly usedNames: readonly string[] | undefined;
}

const verbOrder = [
  'get',
  'list',
  'watch',
  'create',
  'update',
  'patch',
  'delete',
  'deletecollection',
];

/** Compares verbs: reads, writes, deletions, then others by name. */
export function compareVerbs(one: string, other: string): number {
  return rankOf(one) - rankOf(other) || compareTexts(one, other);
}

function rankOf(verb: string): number {
  const index = verbOrder.indexOf(verb);
  return index < 0 ? verbOrder.length : index;
}

/** Compares by code unit, so that the result does not depend on the locale. */
export function compareTexts(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
