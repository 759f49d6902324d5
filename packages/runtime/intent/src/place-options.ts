import {
  checkMethods,
  checkOptions,
  invalidOption,
  isDnsLabel,
  type ApiResource,
  type KubernetesObject,
} from '@keelson/apimachinery';
import { AnnotationPlace } from './annotation-place.ts';
import { ConfigMapPlace } from './config-map-place.ts';
import type { IntentPlace } from './intent-place.ts';
import { StatusPlace } from './status-place.ts';

/**
 * The place of a record: an annotation of the object (up to 256 KiB with all other annotations), a member of its
 * status, a ConfigMap of its own (up to 1 MiB), or methods of user code.
 */
export type IntentPlaceOptions<T extends KubernetesObject> =
  | { readonly annotation: string }
  | { readonly status: string }
  | { readonly configMap: RecordConfigMapOptions }
  | IntentPlace<T>;

/** The namespace of the ConfigMaps that store records. */
export interface RecordConfigMapOptions {
  /** The namespace for a cluster-scoped kind. Invalid for a namespaced kind, whose ConfigMaps are beside the object. */
  readonly namespace?: string;
}

const kinds = ['annotation', 'status', 'configMap'];
const annotationName =
  /^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?\/)[A-Za-z0-9]([-\w.]{0,61}[A-Za-z0-9])?$/;

/** Returns the place that the options choose. Throws `INVALID_OPTION`. */
export function placeOf<T extends KubernetesObject>(
  options: IntentPlaceOptions<T>,
  resource: ApiResource<T>,
  where: string,
): IntentPlace<T> {
  if (isPlace(options)) {
    checkMethods(options, ['read', 'write'], where);
    return options;
  }
  checkOptions(options, kinds, where);
  const given = kinds.filter((kind) => Reflect.get(options, kind) !== undefined);
  if (given.length !== 1) throw invalidOption(where, `must have one of ${kinds.join(', ')}`);
  if ('annotation' in options) {
    if (typeof options.annotation !== 'string' || !annotationName.test(options.annotation)) {
      throw invalidOption(`${where}.annotation`, 'must be a qualified name: example.com/name');
    }
    return new AnnotationPlace(options.annotation);
  }
  if ('status' in options) {
    if (typeof options.status !== 'string' || ['', '__proto__'].includes(options.status)) {
      throw invalidOption(`${where}.status`, 'must be the name of a member of the status');
    }
    return new StatusPlace(options.status);
  }
  const { configMap } = options;
  checkOptions(configMap, ['namespace'], `${where}.configMap`);
  checkRecordNamespace(configMap.namespace, resource, `${where}.configMap.namespace`);
  return new ConfigMapPlace(configMap.namespace);
}

/**
 * Throws `INVALID_OPTION` unless a cluster-scoped kind has a namespace for its ConfigMaps and a namespaced kind has
 * none. An object with a namespace can own only objects of that namespace.
 */
export function checkRecordNamespace(
  namespace: unknown,
  { namespaced }: ApiResource,
  option: string,
): void {
  if (namespaced && namespace === undefined) return;
  if (namespaced) throw invalidOption(option, 'has no meaning for a namespaced kind');
  if (typeof namespace === 'string' && isDnsLabel(namespace)) return;
  throw invalidOption(
    option,
    'must be the name of a namespace, because the kind is cluster-scoped',
  );
}

function isPlace<T extends KubernetesObject>(
  options: IntentPlaceOptions<T>,
): options is IntentPlace<T> {
  const { read, write } = (options ?? {}) as Partial<IntentPlace<T>>;
  return read !== undefined || write !== undefined;
}
