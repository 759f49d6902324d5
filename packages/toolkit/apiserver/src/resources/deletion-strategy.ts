import { timestamp } from '../schema/clock.ts';
import type { ApiObject } from '../storage/api-object.ts';

/** The rules of one kind for the deletion of its objects. */
export interface DeletionStrategy {
  /** Returns the reason for which the object of this name cannot be deleted. */
  refusalOf(name: string): string | undefined;
  /** Returns the grace period in seconds; `requested` is the one of the request. */
  gracePeriodOf(object: ApiObject, requested: number | undefined): number;
  /** A finalizer that keeps every deleted object until its dependents are gone. */
  readonly finalizer: string | undefined;
  /** Completes an object that has just been marked as deleted. */
  mark(object: ApiObject, now: number): void;
  /** True if an object that is marked as deleted must stay for another reason than its finalizers. */
  isKept(object: ApiObject): boolean;
  /** Watches and dry runs see the object marked as deleted before its removal. */
  readonly showsMark: boolean;
}

/** Returns the rules of a built-in kind by its resource id (`v1/pods`). */
export function builtinDeletion(id: string): DeletionStrategy {
  return { ...plainDeletion, ...deletions[id] };
}

/** The rules of most kinds: an object without finalizers is removed immediately. */
export const plainDeletion: DeletionStrategy = {
  refusalOf: () => undefined,
  gracePeriodOf: () => 0,
  finalizer: undefined,
  mark: () => {},
  isKept: ({ metadata }) => (metadata.deletionGracePeriodSeconds ?? 0) !== 0,
  showsMark: false,
};

/** Keeps a definition until its instances are gone. */
export const definitionFinalizer = 'customresourcecleanup.apiextensions.k8s.io';

const deletions: Readonly<Record<string, Partial<DeletionStrategy>>> = {
  'v1/namespaces': {
    refusalOf: (name) =>
      undeletableNamespaces.has(name) ? 'this namespace may not be deleted' : undefined,
    mark: markNamespace,
    isKept: (namespace) => namespaceFinalizers(namespace).length > 0,
  },
  'v1/pods': { gracePeriodOf: gracePeriodOfPod, showsMark: true },
  'scheduling.k8s.io/v1/priorityclasses': {
    refusalOf: (name) =>
      name.startsWith('system-')
        ? 'this is a system priority class and cannot be deleted'
        : undefined,
  },
  'apiextensions.k8s.io/v1/customresourcedefinitions': {
    finalizer: definitionFinalizer,
    mark: markDefinition,
  },
};

/** Namespaces that a cluster cannot work without. */
const undeletableNamespaces: ReadonlySet<string> = new Set([
  'default',
  'kube-public',
  'kube-system',
]);

/** Returns the finalizers in the spec of a namespace. */
export function namespaceFinalizers(namespace: ApiObject): readonly unknown[] {
  const { spec } = namespace as { spec?: { finalizers?: unknown } };
  return Array.isArray(spec?.finalizers) ? spec.finalizers : [];
}

/** Only a pod that a kubelet runs gets a grace period. */
function gracePeriodOfPod(object: ApiObject, requested: number | undefined): number {
  const pod = object as {
    spec?: { nodeName?: string; terminationGracePeriodSeconds?: number | bigint };
    status?: { phase?: string };
  };
  if ((pod.spec?.nodeName ?? '') === '') return 0;
  if (['Succeeded', 'Failed'].includes(pod.status?.phase ?? '')) return 0;
  // A period above 2^53 is a bigint.
  return Math.max(0, Number(requested ?? pod.spec?.terminationGracePeriodSeconds ?? 30));
}

function markNamespace(namespace: ApiObject): void {
  const { status } = namespace as { status?: object };
  namespace['status'] = { ...status, phase: 'Terminating' };
  delete namespace.metadata.deletionGracePeriodSeconds;
}

/** The registry of definitions adds a condition and sets neither generation nor grace period. */
function markDefinition(definition: ApiObject, now: number): void {
  const { status } = definition as { status?: { conditions?: { type: string }[] | null } };
  const conditions = status?.conditions ?? [];
  if (conditions.some(({ type }) => type === 'Terminating')) return;
  const { metadata } = definition;
  delete metadata.deletionGracePeriodSeconds;
  if (metadata.generation !== undefined) metadata.generation -= 1;
  const terminating = {
    type: 'Terminating',
    status: 'True',
    lastTransitionTime: timestamp(now),
    reason: 'InstanceDeletionPending',
    message:
      'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  };
  definition['status'] = { ...status, conditions: [...conditions, terminating] };
}
