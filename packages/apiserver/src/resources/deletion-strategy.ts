import { timestamp } from '../schema/clock.ts';
import type { ApiObject } from '../storage/api-object.ts';

/** What the registry of a kind does differently from that of others when its objects are deleted. */
export interface DeletionStrategy {
  /** Why the object of this name cannot be deleted. */
  refusalOf(name: string): string | undefined;
  /** The seconds that an object has to end; `asked`: those of the request. */
  gracePeriodOf(object: ApiObject, asked: number | undefined): number;
  /** Keeps every deleted object until what belongs to it is gone. */
  readonly finalizer: string | undefined;
  /** Completes the mark of an object that waits for its end. */
  mark(object: ApiObject, now: number): void;
  /** Whether something beside the finalizers keeps a marked object. */
  isKept(object: ApiObject): boolean;
  /** Watches see the mark before the object goes, and so does a dry run. */
  readonly showsMark: boolean;
}

/** The deletion of a built-in kind, by its resource id (`v1/pods`). */
export function builtinDeletion(id: string): DeletionStrategy {
  return { ...plainDeletion, ...deletions[id] };
}

/** Most kinds: the object goes as soon as it has no finalizers. */
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
    refusalOf: (name) => (immortal.has(name) ? 'this namespace may not be deleted' : undefined),
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

/** Namespaces without which a cluster would not work. */
const immortal: ReadonlySet<string> = new Set(['default', 'kube-public', 'kube-system']);

/** The finalizers in a namespace's spec. */
export function namespaceFinalizers(namespace: ApiObject): readonly unknown[] {
  const { spec } = namespace as { spec?: { finalizers?: unknown } };
  return Array.isArray(spec?.finalizers) ? spec.finalizers : [];
}

/** Only a pod whose kubelet has to stop it needs time. */
function gracePeriodOfPod(object: ApiObject, asked: number | undefined): number {
  const pod = object as {
    spec?: { nodeName?: string; terminationGracePeriodSeconds?: number | bigint };
    status?: { phase?: string };
  };
  if ((pod.spec?.nodeName ?? '') === '') return 0;
  if (['Succeeded', 'Failed'].includes(pod.status?.phase ?? '')) return 0;
  // Beyond 2^53 the period is a bigint.
  return Math.max(0, Number(asked ?? pod.spec?.terminationGracePeriodSeconds ?? 30));
}

function markNamespace(namespace: ApiObject): void {
  const { status } = namespace as { status?: object };
  namespace['status'] = { ...status, phase: 'Terminating' };
  delete namespace.metadata.deletionGracePeriodSeconds;
}

/** A definition is marked by its own registry: no generation, no grace period, a condition. */
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
