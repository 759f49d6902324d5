import { isDeleting } from '@keelson/apimachinery';
import { ignoreMissing, type Run } from '../control/control.ts';
import type { ControllerRevision, Pod, StatefulSet } from '../objects/kinds.ts';
import { isAvailable, isFinished, isTerminating } from '../pods/pod-state.ts';
import { slowStart } from '../pods/slow-start.ts';
import { templateOf } from '../templates/revisions.ts';
import {
  firstOrdinal,
  isRunningAndReady,
  isUnavailable,
  ordinalOf,
  podRevision,
  type Replica,
  type StatefulPods,
} from './stateful-pod.ts';

/** The revisions and helpers of one run. */
export interface SyncParts {
  readonly current: ControllerRevision;
  readonly update: ControllerRevision;
  readonly pods: StatefulPods;
  readonly run: Run;
}

/** The Pods after a run. */
export interface SyncResult {
  readonly pods: readonly Pod[];
  /** The Pods of the current revision whose deletion for an update has begun. */
  readonly deleted: number;
  readonly failure?: unknown;
}

/** One run for one StatefulSet: creates missing Pods, deletes excess ones, then replaces those of older revisions. */
export class StatefulSetSync {
  readonly #set: StatefulSet;
  readonly #parts: SyncParts;
  readonly #now: number;
  readonly #replicas: Replica[];
  /** The Pods beyond the wanted ordinals, the highest first. */
  readonly #condemned: Pod[];

  constructor(set: StatefulSet, owned: readonly Pod[], parts: SyncParts) {
    this.#set = set;
    this.#parts = parts;
    this.#now = parts.run.clock.now();
    const start = firstOrdinal(set);
    const count = set.spec?.replicas ?? 1;
    const byOrdinal = new Map(owned.map((pod) => [ordinalOf(pod, set), pod]));
    this.#replicas = Array.from({ length: count }, (_, at) => ({
      ordinal: start + at,
      pod: byOrdinal.get(start + at),
    }));
    this.#condemned = owned
      .filter(
        (pod) => ordinalOf(pod, set) >= 0 && !this.#replicas.some(({ pod: kept }) => kept === pod),
      )
      .toSorted((one, other) => ordinalOf(other, set) - ordinalOf(one, set));
  }

  get #isMonotonic(): boolean {
    return this.#set.spec?.podManagementPolicy !== 'Parallel';
  }

  async run(): Promise<SyncResult> {
    if (isDeleting(this.#set)) return this.#result(0);
    try {
      const first = this.#firstUnavailable();
      if (await this.#forEach(this.#replicas.length, (at) => this.#settle(at)))
        return this.#result(0);
      const isBlocked = await this.#forEach(this.#condemned.length, (at) =>
        this.#condemn(at, first),
      );
      if (isBlocked || this.#set.spec?.updateStrategy?.type === 'OnDelete') return this.#result(0);
      return this.#result(await this.#replace());
    } catch (failure) {
      return { ...this.#result(0), failure };
    }
  }

  #result(deleted: number): SyncResult {
    const present = this.#replicas.flatMap(({ pod }) => pod ?? []);
    return { pods: [...present, ...this.#condemned], deleted };
  }

  /** Calls a step for each, in order until one blocks, or at the same time with `Parallel`. Returns true if blocked. */
  async #forEach(count: number, step: (at: number) => Promise<boolean>): Promise<boolean> {
    if (!this.#isMonotonic) {
      const failure = await slowStart(count, step);
      if (failure !== undefined) throw failure;
      return false;
    }
    for (let at = 0; at < count; at++) if (await step(at)) return true;
    return false;
  }

  /** Creates one Pod, or replaces one that has ended. Returns true if later ones must wait. */
  async #settle(at: number): Promise<boolean> {
    const { pod } = this.#replicas[at] ?? {};
    if (pod === undefined) {
      await this.#create(at);
      return this.#isMonotonic;
    }
    if (isFinished(pod)) {
      if (!isTerminating(pod)) await ignoreMissing(this.#delete(pod));
      return true;
    }
    if (!this.#isMonotonic) return false;
    return isTerminating(pod) || !isRunningAndReady(pod) || !this.#isAvailable(pod);
  }

  async #create(at: number): Promise<void> {
    const { run } = this.#parts;
    const { ordinal = 0 } = this.#replicas[at] ?? {};
    const revision = this.#revisionFor(ordinal);
    const template = templateOf(revision);
    const { name } = revision.metadata;
    const made = await this.#parts.pods.create(this.#set, ordinal, {
      template,
      revision: name,
      run,
    });
    this.#replicas[at] = { ordinal, pod: made };
  }

  /** The revision of a new Pod: below the partition, and without one below the Pods of the current revision, the current one. */
  #revisionFor(ordinal: number): ControllerRevision {
    const { current, update } = this.#parts;
    const { updateStrategy } = this.#set.spec ?? {};
    if (updateStrategy?.type === 'OnDelete') return update;
    const { rollingUpdate } = updateStrategy ?? {};
    const kept =
      rollingUpdate === undefined
        ? (this.#set.status?.currentReplicas ?? 0)
        : (rollingUpdate.partition ?? 0);
    return ordinal < firstOrdinal(this.#set) + kept ? current : update;
  }

  /** Deletes one excess Pod. Returns true if others must wait. */
  async #condemn(at: number, first: Pod | undefined): Promise<boolean> {
    const pod = this.#condemned[at];
    if (pod === undefined) return false;
    if (isTerminating(pod)) return this.#isMonotonic;
    const isHealthy = isRunningAndReady(pod) && this.#isAvailable(pod);
    if (this.#isMonotonic && !isHealthy && pod !== first) return true;
    await this.#delete(pod);
    return true;
  }

  /** The unavailable Pod with the lowest ordinal, before this run. */
  #firstUnavailable(): Pod | undefined {
    const condemned = this.#condemned.toReversed().map((pod) => ({ ordinal: 0, pod }));
    const all = [...this.#replicas, ...condemned];
    return all.find((replica) => this.#isUnavailable(replica))?.pod;
  }

  /** Deletes the Pod with the highest ordinal and an older revision. Returns the number of deletions. */
  async #replace(): Promise<number> {
    const { update } = this.#parts;
    const lowest = this.#set.spec?.updateStrategy?.rollingUpdate?.partition ?? 0;
    for (let at = this.#replicas.length - 1; at >= lowest; at--) {
      const replica = this.#replicas[at];
      const { pod } = replica ?? {};
      if (pod !== undefined && podRevision(pod) !== update.metadata.name && !isTerminating(pod)) {
        await this.#delete(pod);
        return 1;
      }
      if (replica === undefined || this.#isUnavailable(replica)) return 0;
    }
    return 0;
  }

  async #delete(pod: Pod): Promise<void> {
    await this.#parts.pods.delete(this.#set, pod, this.#parts.run);
  }

  #isAvailable(pod: Pod): boolean {
    return isAvailable(pod, this.#set.spec?.minReadySeconds ?? 0, this.#now);
  }

  #isUnavailable(replica: Replica): boolean {
    return isUnavailable(replica, (pod) => this.#isAvailable(pod));
  }
}
