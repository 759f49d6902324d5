import type { DeepReadonly } from '@keelson/apimachinery';
import { checkApplyAll, type AppliedObject, type ApplyAllOptions } from './apply-all-options.ts';
import type { ApplyAllResult } from './apply-all-result.ts';
import { SetRun } from './set-run.ts';

/**
 * Applies the objects of an owner by server-side apply, in the order of their dependencies: namespaces, definitions and
 * permissions before workloads. With `prune` it then deletes, in the reverse order, what the owner applied before and
 * no longer names. The set of an owner is an ApplySet (KEP-3659): its members have a label, and the annotations of the
 * owner name their kinds and namespaces.
 *
 * A call that ends between any two requests leaves no object that a later call does not find. An object that another
 * set or another controller owns is neither applied nor deleted; it throws `APPLY_SET_MEMBER_CONFLICT`. If an object
 * cannot be applied, nothing is deleted. Objects of an owner that is being deleted in the foreground are refused
 * (`APPLY_SET_OWNER_DELETING`), because the garbage collector would delete them at once.
 *
 * @example
 * ```ts
 * import { applyAll, type Client, type KubernetesObject } from '@keelson/manager';
 *
 * export async function applyChildren(client: Client, owner: KubernetesObject): Promise<void> {
 *   const { namespace = '', name = '' } = owner.metadata ?? {};
 *   const config = {
 *     apiVersion: 'v1',
 *     kind: 'ConfigMap',
 *     metadata: { namespace, name },
 *     data: { host: name },
 *   };
 *   // Deletes what this owner applied before and does not name now.
 *   const { pruned } = await applyAll([config], { client, owner, prune: true });
 *   console.log(`${pruned.length} deleted`);
 * }
 * ```
 */
export async function applyAll<T extends DeepReadonly<AppliedObject>>(
  objects: readonly T[],
  options: ApplyAllOptions,
): Promise<ApplyAllResult<T>> {
  checkApplyAll(objects, options);
  const result = await new SetRun(objects, options).run();
  // The server returns each object with the members of its kind, as the verbs of the client assume too.
  return result as unknown as ApplyAllResult<T>;
}
