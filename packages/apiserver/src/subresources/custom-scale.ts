import { StatusError } from '@keelson/apimachinery';
import type { ServedResource } from '../resources/served-resource.ts';
import { badRequest, failure, internalError } from '../failures/status-errors.ts';
import type { ApiObject } from '../storage/api-object.ts';
import { scaleAccess } from './scale-paths.ts';

/** Throws 500 if the object has no number at the replicas path, since a Scale requires it. */
export function checkReplicas(resource: ServedResource, object: ApiObject): void {
  const { scalePaths } = resource.facts;
  if (scalePaths === undefined || scaleAccess(resource).replicas(object) !== undefined) return;
  const path = JSON.stringify(scalePaths.specReplicasPath);
  throw internalError(`the spec replicas field ${path} does not exist`);
}

/** The error of an apply to the Scale of a custom resource, which kube-apiserver does not support. */
export function unappliable({ metadata }: ApiObject): Error {
  const isOwned = (metadata.managedFields ?? []).length > 0;
  const first = isOwned ? '' : 'failed to create manager for existing fields: ';
  return failure(
    500,
    '',
    `${first}failed to convert live object (/; autoscaling/v1, Kind=Scale) to proper version: request to convert CR to an invalid group/version: autoscaling/v1`,
  );
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
