import { type KubernetesObject, StatusError } from '@keelson/apimachinery';
import { goNames } from '../apply/go-names.ts';
import { withoutManagedFields } from '../apply/record-update.ts';
import { jsonEquals } from '@keelson/structural-schema';
import type { ServedResource } from '../resources/served-resource.ts';
import { badRequest, failure, internalError } from '../status-errors/status-errors.ts';
import type { ApiObject } from '../storage/api-object.ts';
import { scaleAccess } from './scale-paths.ts';

/** Throws 500 if the object has no number at the replicas path, since a Scale requires it. */
export function checkReplicas(resource: ServedResource, object: ApiObject): void {
  const { scalePaths } = resource.facts;
  if (scalePaths === undefined || scaleAccess(resource).replicas(object) !== undefined) return;
  const path = JSON.stringify(scalePaths.specReplicasPath);
  throw internalError(`the spec replicas field ${path} does not exist`);
}

/**
 * The replicas of a Scale for a write while the custom resource has none, as in kube-apiserver. A write must replace
 * them.
 */
export const missingReplicas = -2_147_483_648;

/** Throws 400 if a write left the replicas missing. */
export function checkWrittenReplicas({ facts }: ServedResource, replicas: number): void {
  if (!facts.custom || replicas !== missingReplicas) return;
  const path = JSON.stringify(facts.scalePaths?.specReplicasPath);
  throw badRequest(`the spec replicas field ${path} cannot be empty`);
}

const unconvertible =
  'to proper version: request to convert CR to an invalid group/version: autoscaling/v1';

/**
 * Throws 500 if no manager owns the replicas: kube-apiserver then compares the Scale with an empty one, which it
 * cannot convert.
 */
export function checkOwned({ metadata }: ApiObject): void {
  if ((metadata.managedFields ?? []).length > 0) return;
  throw failure(
    500,
    '',
    `failed to create manager for existing fields: failed to convert live object (/; autoscaling/v1, Kind=Scale) ${unconvertible}`,
  );
}

/**
 * Throws 500 if an apply changed the Scale of a custom resource, because kube-apiserver cannot convert the result. An
 * apply of the present replicas only adds an owner.
 */
export function checkUnchanged(
  live: ApiObject,
  applied: ApiObject,
  result: KubernetesObject,
): void {
  if (jsonEquals(withoutManagedFields(live), withoutManagedFields(result))) return;
  const { name } = goNames(applied);
  throw failure(500, '', `failed to convert new object (${name}) ${unconvertible}`);
}

/** The error for a Scale that does not decode. kube-apiserver looks it up among the kinds of custom resources. */
export function unknownScale(): Error {
  return badRequest(
    'no kind is registered for the type v1.Scale in scheme "pkg/runtime/scheme.go:111"',
  );
}

export function isBadRequest(error: unknown): boolean {
  return error instanceof StatusError && error.statusCode === 400;
}
