import {
  controllerOf,
  refersToKind,
  type ApiResource,
  type DeepReadonly,
  type KubernetesObject,
} from '@keelson/apimachinery';

/** The labels of KEP-3659: `id` marks the parent object of a set, `partOf` its members. */
export const applySetLabels = {
  id: 'applyset.kubernetes.io/id',
  partOf: 'applyset.kubernetes.io/part-of',
} as const;

/** The annotations of KEP-3659 on the parent object of a set. */
export const applySetAnnotations = {
  /** The tool that changes the set, as `name/version`. */
  tooling: 'applyset.kubernetes.io/tooling',
  /** The kinds that may have members, as `Kind.group`, sorted and separated by commas. */
  kinds: 'applyset.kubernetes.io/contains-group-kinds',
  /** The namespaces that may have members, in addition to that of the parent. */
  namespaces: 'applyset.kubernetes.io/additional-namespaces',
} as const;

/** The names that identify the parent object of a set. */
interface ParentName {
  readonly resource: Pick<ApiResource, 'group' | 'kind'>;
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** Returns the id of the set of a parent object, which KEP-3659 defines as a hash of its names. */
export function applySetId({ resource, namespace = '', name }: ParentName): string {
  const text = `${name}.${namespace}.${resource.kind}.${resource.group}`;
  const hash = process
    .getBuiltinModule('node:crypto')
    .createHash('sha256')
    .update(text)
    .digest('base64url');
  return `applyset-${hash}-v1`;
}

/** Returns `Kind.group`, or `Kind` in the core group, as the annotation of the parent names a kind. */
export function groupKindOf({ group, kind }: Pick<ApiResource, 'group' | 'kind'>): string {
  return group === '' ? kind : `${kind}.${group}`;
}

/** Returns the group and the kind that `Kind.group` names. */
export function parseGroupKind(text: string): Pick<ApiResource, 'group' | 'kind'> {
  const dot = text.indexOf('.');
  return dot < 0
    ? { group: '', kind: text }
    : { group: text.slice(dot + 1), kind: text.slice(0, dot) };
}

/** Why an object must not be changed by a set. */
export interface ForeignFacts {
  readonly set?: string | undefined;
  readonly controller?: string | undefined;
}

/** The parts of a set by which it recognizes its objects. */
export interface SetIdentity {
  readonly id: string;
  readonly resource: Pick<ApiResource, 'group' | 'kind'>;
  readonly name: string;
}

/**
 * Returns the other set or the other controller that an object belongs to. The owner's references are compared by name,
 * because an owner that was created again takes over the objects of the former one.
 */
export function foreignFacts(
  object: DeepReadonly<KubernetesObject>,
  { id, resource, name }: SetIdentity,
): ForeignFacts | undefined {
  const set = object.metadata?.labels?.[applySetLabels.partOf];
  if (set !== undefined && set !== id) return { set };
  const controller = controllerOf(object);
  if (controller === undefined) return undefined;
  if (refersToKind(controller, resource) && controller.name === name) return undefined;
  return { controller: `${controller.kind} ${controller.name}` };
}
