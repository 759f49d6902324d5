import type { ApiResource, KubernetesObject, ObjectName } from '@keelson/apimachinery';
import type { Caller } from './calls/caller.ts';
import type { Partially, Patch } from './calls/patch.ts';
import {
  checkCall,
  getQuery,
  writeQuery,
  type ApplyOptions,
  type GetOptions,
  type WriteOptions,
} from './calls/request-options.ts';
import { checkResource, nameOf, objectPath } from './calls/resource-path.ts';
import { readConfirmation } from './calls/response-object.ts';
import { typedObject } from './calls/typed-object.ts';

/** The status of objects: a subresource that is written apart from the spec. */
export interface StatusClient<T extends KubernetesObject> {
  get(name: ObjectName, options?: GetOptions): Promise<T>;
  /** Replaces the status; what else the object holds is ignored by the server. */
  update(object: NoInfer<T>, options?: WriteOptions): Promise<T>;
  patch(name: ObjectName, patch: Patch<NoInfer<T>>, options?: WriteOptions): Promise<T>;
  /** Server-side apply of the status. */
  apply(object: NoInfer<T> | Partially<NoInfer<T>>, options?: ApplyOptions): Promise<T>;
}

/** Any subresource, by name; its objects may be of another type than the resource's (`Scale`). */
export interface SubresourceClient<S extends object> {
  get(name: ObjectName, options?: GetOptions): Promise<S>;
  /** What subresources such as `eviction`, `binding` and `token` take. */
  create(name: ObjectName, object: S, options?: WriteOptions): Promise<S>;
  update(name: ObjectName, object: S, options?: WriteOptions): Promise<S>;
  patch(name: ObjectName, patch: Patch<S>, options?: WriteOptions): Promise<S>;
  apply(name: ObjectName, object: S | Partially<S>, options?: ApplyOptions): Promise<S>;
}

/** A Scale, as the subresource `scale` of everything that has replicas gives it (`autoscaling/v1`). */
export interface Scale extends KubernetesObject {
  spec?: { replicas?: number };
  status?: { replicas: number; selector?: string };
}

export function createSubresourceClient<S extends object>(
  caller: Caller,
  resource: ApiResource,
  subresource: string,
): SubresourceClient<S> {
  checkResource(resource);
  // Refuses a subresource that cannot be in a URL at once.
  objectPath(
    resource,
    resource.namespaced ? { namespace: 'n', name: 'n' } : { name: 'n' },
    subresource,
  );
  const pathOf = (name: ObjectName): string => objectPath(resource, name, subresource);
  return {
    get(name, options = {}) {
      checkCall('get', options);
      return caller.call({ verb: 'get', path: pathOf(name), query: getQuery(options) }, options);
    },
    create(name, object, options = {}) {
      checkCall('write', options, 'create');
      const query = writeQuery(options, caller.fieldManager);
      return caller.call(
        { verb: 'create', path: pathOf(name), query, body: object, read: readConfirmation },
        options,
      );
    },
    update(name, object, options = {}) {
      checkCall('write', options, 'update');
      const query = writeQuery(options, caller.fieldManager);
      return caller.call({ verb: 'update', path: pathOf(name), query, body: object }, options);
    },
    patch(name, patch, options = {}) {
      checkCall('write', options, 'patch');
      return caller.patch(pathOf(name), patch, options);
    },
    apply(name, object, options = {}) {
      checkCall('apply', options);
      return caller.apply(pathOf(name), object, options);
    },
  };
}

export function createStatusClient<T extends KubernetesObject>(
  caller: Caller,
  resource: ApiResource<T>,
): StatusClient<T> {
  const status = createSubresourceClient<T>(caller, resource, 'status');
  return {
    get: (name, options) => status.get(name, options),
    patch: (name, patch, options) => status.patch(name, patch, options),
    update(object, options) {
      const whole = typedObject(resource, object);
      return status.update(nameOf(resource, whole), whole, options);
    },
    apply(object, options) {
      const whole = typedObject(resource, object as T);
      return status.apply(nameOf(resource, whole), whole, options);
    },
  };
}
