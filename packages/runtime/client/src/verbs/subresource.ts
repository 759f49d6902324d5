import type {
  ApiResource,
  DeepReadonly,
  KubernetesObject,
  ObjectName,
  Persisted,
} from '@keelson/apimachinery';
import type { Caller } from './calls/caller.ts';
import { patchBody, type Partially, type Patch } from './calls/patch.ts';
import { requestFor } from './calls/request-for.ts';
import {
  applyQuery,
  checkCall,
  getQuery,
  NO_OPTIONS,
  writeQuery,
  type ApplyOptions,
  type GetOptions,
  type WriteOptions,
} from './calls/request-options.ts';
import { checkResource, nameOf, objectPath } from './calls/resource-path.ts';
import { objectReader, readConfirmation, readObject } from './calls/response-object.ts';
import { typedObject } from './calls/typed-object.ts';

/** Reads and writes the status of objects, a subresource that is written separately from the spec. */
export interface StatusClient<T extends KubernetesObject> {
  /** Reads the object with its status. */
  get(name: ObjectName, options?: GetOptions): Promise<Persisted<T>>;
  /** Replaces the status. The server ignores all other fields of the object. */
  update(
    object: NoInfer<T> | DeepReadonly<NoInfer<T>>,
    options?: WriteOptions,
  ): Promise<Persisted<T>>;
  /** Patches the status. The server ignores all other fields of the patch. */
  patch(name: ObjectName, patch: Patch<NoInfer<T>>, options?: WriteOptions): Promise<Persisted<T>>;
  /** Server-side apply of the status. */
  apply(
    object: NoInfer<T> | DeepReadonly<NoInfer<T>> | Partially<NoInfer<T>>,
    options?: ApplyOptions,
  ): Promise<Persisted<T>>;
}

/** Calls of any subresource, by name. Its objects may have another type than the resource, such as `Scale`. */
export interface SubresourceClient<S extends object> {
  /** Reads the object of the subresource. */
  get(name: ObjectName, options?: GetOptions): Promise<S>;
  /** Creates the object of a subresource such as `eviction`, `binding` or `token`. */
  create(name: ObjectName, object: S | DeepReadonly<S>, options?: WriteOptions): Promise<S>;
  /** Replaces the object of the subresource. */
  update(name: ObjectName, object: S | DeepReadonly<S>, options?: WriteOptions): Promise<S>;
  /** Patches the object of the subresource. */
  patch(name: ObjectName, patch: Patch<S>, options?: WriteOptions): Promise<S>;
  /** Server-side apply of the object of the subresource. */
  apply(
    name: ObjectName,
    object: S | DeepReadonly<S> | Partially<S>,
    options?: ApplyOptions,
  ): Promise<S>;
}

/** The number of replicas of an object: the object of its subresource `scale` (`autoscaling/v1`). */
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
  // This throws at once for the name of a subresource that cannot be part of a URL.
  objectPath(
    resource,
    resource.namespaced ? { namespace: 'n', name: 'n' } : { name: 'n' },
    subresource,
  );
  const pathOf = (name: ObjectName): string => objectPath(resource, name, subresource);
  const target = { resource };
  // The subresource `status` has the objects of the resource, others may have their own.
  const read = subresource === 'status' ? objectReader(resource) : readObject;
  return {
    get(name, options = NO_OPTIONS) {
      checkCall('get', options);
      const query = getQuery(options);
      return caller.call(
        { request: requestFor('get', { path: pathOf(name), query }), read },
        options,
      );
    },
    create(name, object, options = NO_OPTIONS) {
      checkCall('write', options, 'create');
      const query = writeQuery(options, caller.fieldManager);
      const request = requestFor('create', { path: pathOf(name), query, body: object });
      return caller.call({ request, target, read: readConfirmation }, options);
    },
    update(name, object, options = NO_OPTIONS) {
      checkCall('write', options, 'update');
      const query = writeQuery(options, caller.fieldManager);
      const request = requestFor('update', { path: pathOf(name), query, body: object });
      return caller.call({ request, target, read }, options);
    },
    patch(name, patch, options = NO_OPTIONS) {
      checkCall('write', options, 'patch');
      const path = pathOf(name);
      const body = patchBody(patch);
      const query = writeQuery(options, caller.fieldManager);
      const request = requestFor('patch', { path, query, ...body });
      return caller.call({ request, target, read }, options);
    },
    apply(name, object, options = NO_OPTIONS) {
      checkCall('apply', options);
      const path = pathOf(name);
      const query = applyQuery(options, caller.fieldManager);
      const request = requestFor('apply', { path, query, body: object });
      return caller.call({ request, target, read }, options);
    },
  };
}

export function createStatusClient<T extends KubernetesObject>(
  caller: Caller,
  resource: ApiResource<T>,
): StatusClient<T> {
  const status = createSubresourceClient<Persisted<T>>(caller, resource, 'status');
  return {
    get: (name, options) => status.get(name, options),
    patch: (name, patch, options) =>
      status.patch(name, patch as Patch<unknown> as Patch<Persisted<T>>, options),
    update(object, options) {
      const whole = typedObject(resource, object);
      return status.update(nameOf(resource, whole), whole as DeepReadonly<Persisted<T>>, options);
    },
    apply(object, options) {
      const whole = typedObject(resource, object as DeepReadonly<KubernetesObject>);
      return status.apply(nameOf(resource, whole), whole as DeepReadonly<Persisted<T>>, options);
    },
  };
}
