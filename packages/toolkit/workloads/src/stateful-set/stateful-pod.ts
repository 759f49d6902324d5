import { builtin } from '@keelson/apimachinery';
import type { RecordEvent } from '../control/event-log.ts';
import type { Run } from '../control/control.ts';
import type { Pod, PodTemplate, StatefulSet } from '../objects/kinds.ts';
import { messageOf, podOf } from '../pods/pod-control.ts';
import { isReady, isTerminating } from '../pods/pod-state.ts';

/** The label of a Pod with the name of its ControllerRevision. */
export const REVISION_LABEL = 'controller-revision-hash';

type Spec = NonNullable<StatefulSet['spec']>;
type NewClaim = NonNullable<Spec['volumeClaimTemplates']>[number];

/** A Pod of a StatefulSet, or a place for one that is missing. */
export interface Replica {
  readonly ordinal: number;
  readonly pod: Pod | undefined;
}

/** The ordinal in the name of a Pod; -1 for a name without one. */
export function ordinalOf({ metadata }: Pod, set: StatefulSet): number {
  const prefix = `${set.metadata.name}-`;
  const number = metadata.name.startsWith(prefix) ? metadata.name.slice(prefix.length) : '';
  return /^\d+$/.test(number) ? Number(number) : -1;
}

/** The first ordinal of a StatefulSet. */
export function firstOrdinal({ spec }: StatefulSet): number {
  return spec?.ordinals?.start ?? 0;
}

/** True if a Pod runs and is ready. */
export function isRunningAndReady(pod: Pod | undefined): boolean {
  return pod?.status?.phase === 'Running' && isReady(pod);
}

/** The revision of a Pod. */
export function podRevision(pod: Pod | undefined): string | undefined {
  return pod?.metadata.labels?.[REVISION_LABEL];
}

/** Creates and deletes the Pods and claims of StatefulSets. */
export class StatefulPods {
  readonly #record: RecordEvent;

  constructor(record: RecordEvent) {
    this.#record = record;
  }

  /** Creates a Pod after its claims. */
  async create(
    set: StatefulSet,
    ordinal: number,
    { template, revision, run }: { template: PodTemplate; revision: string; run: Run },
  ): Promise<Pod> {
    const name = `${set.metadata.name}-${ordinal}`;
    for (const claim of set.spec?.volumeClaimTemplates ?? [])
      await this.#createClaim(set, { claim, pod: name, run });
    try {
      const pod = await run.client.create(
        builtin.Pod,
        statefulPod(set, name, { template, revision, ordinal }),
      );
      this.#recordPod(set, 'Create', name);
      return pod;
    } catch (error) {
      this.#recordPod(set, 'Create', name, error);
      throw error;
    }
  }

  async #createClaim(
    set: StatefulSet,
    { claim, pod, run }: { claim: NewClaim; pod: string; run: Run },
  ): Promise<void> {
    const { namespace } = set.metadata;
    const name = `${claim.metadata?.name ?? ''}-${pod}`;
    if (run.cache.get(builtin.PersistentVolumeClaim, { namespace, name }) !== undefined) return;
    const text = `Create Claim ${name} Pod ${pod} in StatefulSet ${set.metadata.name}`;
    try {
      await run.client.create(builtin.PersistentVolumeClaim, claimOf(claim, set, name));
      this.#record(set, { reason: 'SuccessfulCreate', message: `${text} success` });
    } catch (error) {
      const failed = `Create Claim ${name} for Pod ${pod} in StatefulSet ${set.metadata.name}`;
      const message = `${failed} failed error: ${messageOf(error)}`;
      this.#record(set, { type: 'Warning', reason: 'FailedCreate', message });
      throw error;
    }
  }

  /** Deletes a Pod. */
  async delete(set: StatefulSet, { metadata }: Pod, { client }: Run): Promise<void> {
    await client.delete(builtin.Pod, metadata);
    this.#recordPod(set, 'Delete', metadata.name);
  }

  #recordPod(set: StatefulSet, verb: 'Create' | 'Delete', name: string, error?: unknown): void {
    const text = `${verb} Pod ${name} in StatefulSet ${set.metadata.name}`;
    if (error === undefined)
      this.#record(set, { reason: `Successful${verb}`, message: `${text} successful` });
    else {
      const message = `${text} failed error: ${messageOf(error)}`;
      this.#record(set, { type: 'Warning', reason: `Failed${verb}`, message });
    }
  }
}

function statefulPod(
  set: StatefulSet,
  name: string,
  { template, revision, ordinal }: { template: PodTemplate; revision: string; ordinal: number },
): ReturnType<typeof podOf> {
  const claims = (set.spec?.volumeClaimTemplates ?? []).map(({ metadata }) => metadata?.name ?? '');
  const volumes = (template.spec?.volumes ?? []).filter((volume) => !claims.includes(volume.name));
  const claimed = claims.map((claim) => ({
    name: claim,
    persistentVolumeClaim: { claimName: `${claim}-${name}` },
  }));
  const all = [...claimed, ...volumes];
  const subdomain = set.spec?.serviceName ?? '';
  return podOf(set, template, {
    name,
    labels: {
      [REVISION_LABEL]: revision,
      'statefulset.kubernetes.io/pod-name': name,
      'apps.kubernetes.io/pod-index': String(ordinal),
    },
    spec: {
      hostname: name,
      ...(subdomain !== '' && { subdomain }),
      ...(all.length > 0 && { volumes: all }),
    },
  });
}

function claimOf({ metadata, spec }: NewClaim, set: StatefulSet, name: string) {
  const { namespace } = set.metadata;
  const { name: _name, creationTimestamp: _time, labels, ...rest } = { ...metadata };
  return {
    metadata: {
      ...rest,
      namespace,
      name,
      labels: { ...labels, ...set.spec?.selector.matchLabels },
    },
    ...(spec !== undefined && { spec }),
  };
}

/** True if a Pod is missing, not available for long enough, or terminating. */
export function isUnavailable({ pod }: Replica, isAvailable: (pod: Pod) => boolean): boolean {
  return pod === undefined || !isAvailable(pod) || isTerminating(pod);
}
