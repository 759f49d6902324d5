import {
  apiVersionOf,
  invalidOption,
  type ApiResource,
  type DeepReadonly,
  type KubernetesObject,
} from '@keelson/apimachinery';
import { ClientError } from '../../errors.ts';
import { isRecord } from '../../values/record.ts';
import { checkResource } from './resource-path.ts';

/**
 * Returns the object with the apiVersion and kind of its resource, which the items of a list lack. Throws
 * `WRONG_OBJECT` if the object names another type.
 */
export function typedObject(
  resource: ApiResource,
  object: DeepReadonly<KubernetesObject>,
): DeepReadonly<KubernetesObject> {
  if (!isRecord(resource)) checkResource(resource);
  if (!isRecord(object)) throw invalidOption('object', 'must be an object of the API');
  const apiVersion = apiVersionOf(resource);
  const { kind } = resource;
  if ((object.apiVersion ?? apiVersion) !== apiVersion || (object.kind ?? kind) !== kind) {
    throw new ClientError('WRONG_OBJECT', {
      expected: `${apiVersion} ${kind}`,
      object: `${object.apiVersion} ${object.kind}`,
    });
  }
  return object.apiVersion === undefined || object.kind === undefined
    ? { apiVersion, kind, ...object }
    : object;
}

/** Sets apiVersion and kind in place, for an object that was just parsed and has no other user. */
export function fillType<T extends KubernetesObject>(resource: ApiResource, object: T): T {
  object.apiVersion ??= apiVersionOf(resource);
  object.kind ??= resource.kind;
  return object;
}
