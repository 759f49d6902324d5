import type { StatusError } from '@keelson/apimachinery';
import type { ResourceAttributes } from '../auth/authorizer.ts';
import type { ServedResource } from '../resources/served-resource.ts';
import { forbidden } from '../status-errors/status-errors.ts';
import type { ApiObject } from '../storage/api-object.ts';
import type { UpdateScope } from '../resources/revert-outside-scope.ts';

/** A write that admission plugins default or reject. */
export interface AdmissionRequest {
  readonly resource: ServedResource;
  /** The subresource that the request writes; empty for the object itself. */
  readonly scope: UpdateScope;
  /** The new object; `mutate` changes it in place. */
  readonly object: ApiObject;
  /** The stored object; absent on create. */
  readonly old?: ApiObject;
  /** Warnings of the response; plugins append to them. */
  readonly warnings: string[];
  /** The request that causes the write; absent for the server's own writes. */
  readonly requester?: ResourceAttributes | undefined;
}

/** One admission plugin. Both methods reject a write by throwing a `StatusError`. */
export interface AdmissionPlugin {
  /** Sets defaults in the object before the registry validates it. */
  mutate?(request: AdmissionRequest): void;
  /** Checks the object in the form that the server would store. */
  validate?(request: AdmissionRequest): void;
  /** Counts an accepted write just before the server stores it. Not called on a dry run. */
  charge?(request: AdmissionRequest): void;
}

/** The 403 response of a plugin that rejects a write. */
export function refused({ resource, object }: AdmissionRequest, why: string): StatusError {
  return forbidden(resource.subject(object.metadata.name ?? ''), why);
}

/** `refused` for `mutate`, which runs before the server generates a name. */
export function refusedUnnamed(request: AdmissionRequest, why: string): StatusError {
  const { generateName = '', name } = request.object.metadata;
  return forbidden(request.resource.subject(name || generateName), why);
}

/** True if a request writes an object of this resource itself and not one of its subresources. */
export function writes(
  { resource, scope }: AdmissionRequest,
  group: string,
  plural: string,
): boolean {
  return scope === '' && resource.store.group === group && resource.store.plural === plural;
}
