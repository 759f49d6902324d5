import type { StatusError } from '@keelson/apimachinery';
import type { ServedResource } from '../resources/served-resource.ts';
import { forbidden } from '../failures/status-answers.ts';
import type { ApiObject } from '../storage/api-object.ts';
import type { UpdateScope } from '../resources/update-scope.ts';

/** A write that plugins complete or refuse. */
export interface AdmissionRequest {
  readonly resource: ServedResource;
  /** Empty for the object itself, else the subresource that is written. */
  readonly scope: UpdateScope;
  /** The object as it will be stored; `mutate` changes it in place. */
  readonly object: ApiObject;
  /** The stored object; absent on create. */
  readonly old?: ApiObject;
  /** Warnings of the response; added to. */
  readonly warnings: string[];
}

/** One admission plugin. Both methods refuse a write by throwing a `StatusError`. */
export interface AdmissionPlugin {
  /** Completes the object, before the registry validates it. */
  mutate?(request: AdmissionRequest): void;
  /** Checks the object as it would be stored. */
  validate?(request: AdmissionRequest): void;
  /** Counts a write that no plugin refused, just before it is stored; not called on a dry run. */
  charge?(request: AdmissionRequest): void;
}

/** The 403 with which a plugin refuses a write. */
export function refused({ resource, object }: AdmissionRequest, why: string): StatusError {
  return forbidden(resource.subject(object.metadata.name ?? ''), why);
}

/** `refused` of `mutate`: a generated name does not exist yet when kube-apiserver runs these plugins. */
export function refusedUnnamed(request: AdmissionRequest, why: string): StatusError {
  const { generateName = '', name = '' } = request.object.metadata;
  const isGenerated =
    request.old === undefined && generateName !== '' && name.startsWith(generateName);
  return forbidden(request.resource.subject(isGenerated ? generateName : name), why);
}

/** Whether a request writes an object of this resource, not one of its subresources. */
export function writes(
  { resource, scope }: AdmissionRequest,
  group: string,
  plural: string,
): boolean {
  return scope === '' && resource.store.group === group && resource.store.plural === plural;
}
