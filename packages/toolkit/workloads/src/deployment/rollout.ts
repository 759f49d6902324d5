import { builtin, isAlreadyExists, isControlledBy, ownerReferenceTo } from '@keelson/apimachinery';
import type { RecordEvent } from '../control/event-log.ts';
import type { Client } from '@keelson/manager';
import { ignoreMissing, type Run } from '../control/control.ts';
import { compareTexts, sumOf } from '../objects/counts.ts';
import { equalJson } from '../objects/equal-json.ts';
import type { Deployment, PodTemplate, ReplicaSet } from '../objects/kinds.ts';
import { messageOf } from '../pods/pod-control.ts';
import { templateHash } from '../templates/template-hash.ts';
import { allOf, deploymentCondition, withCondition, type Sets } from './deployment-status.ts';
import {
  desiredOf,
  maxOf,
  newAnnotations,
  REVISION,
  revisionOf,
  sizeAnnotations,
} from './replica-set-annotations.ts';
import {
  historyLimit,
  isRolling,
  maxSurge,
  maxUnavailable,
  progressDeadline,
  replicasOf,
} from './strategy.ts';

const HASH_LABEL = 'pod-template-hash';

/** One run of the controller for one Deployment: its state, and the changes of its ReplicaSets. */
export class Rollout {
  readonly #run: Run;
  readonly #record: RecordEvent;
  /** The Deployment as the last write of this run returned it. */
  deployment: Deployment;
  sets: Sets;

  constructor(
    deployment: Deployment,
    replicaSets: readonly ReplicaSet[],
    { run, record }: { readonly run: Run; readonly record: RecordEvent },
  ) {
    this.deployment = deployment;
    this.#run = run;
    this.#record = record;
    const byAge = replicaSets.toSorted(olderFirst);
    const newest = byAge.find((set) => hasTemplate(set, deployment));
    this.sets = { newest, old: byAge.filter((set) => set !== newest) };
  }

  get #client(): Client {
    return this.#run.client;
  }

  /** True if the number of replicas has changed since the ReplicaSets were scaled. */
  get isScaling(): boolean {
    const replicas = replicasOf(this.deployment);
    return allOf(this.sets).some(
      (set) => replicasOf(set) > 0 && (desiredOf(set) ?? replicas) !== replicas,
    );
  }

  /** Numbers the newest ReplicaSet, and creates it if it is missing and `isCreated` asks for it. */
  async syncRevision(isCreated: boolean): Promise<void> {
    const revision = Math.max(0, ...this.sets.old.map(revisionOf)) + 1;
    const { newest } = this.sets;
    if (newest !== undefined) await this.#renumber(newest, revision);
    else if (isCreated) await this.#create(revision);
  }

  async #renumber(newest: ReplicaSet, revision: number): Promise<void> {
    const annotations = newAnnotations(this.deployment, newest.metadata.annotations, revision);
    const minReadySeconds = this.deployment.spec?.minReadySeconds ?? 0;
    const isCurrent =
      equalJson(annotations, newest.metadata.annotations ?? {}) &&
      (newest.spec?.minReadySeconds ?? 0) === minReadySeconds;
    if (!isCurrent) {
      this.#replace(
        await this.#client.update(builtin.ReplicaSet, {
          ...newest,
          metadata: { ...newest.metadata, annotations },
          ...(newest.spec && { spec: { ...newest.spec, minReadySeconds } }),
        }),
      );
      return;
    }
    await this.#note(annotations[REVISION] ?? '', {
      reason: 'FoundNewReplicaSet',
      message: `Found new replica set "${newest.metadata.name}"`,
      isReplaced: false,
    });
  }

  async #create(revision: number): Promise<void> {
    const { deployment } = this;
    const { spec, metadata, status } = deployment;
    const hash = templateHash(spec?.template, status?.collisionCount);
    const draft = replicaSetOf(deployment, hash);
    const replicas = this.#newReplicas(0);
    const annotations = {
      ...newAnnotations(deployment, {}, revision),
      ...sizeAnnotations(deployment),
    };
    const name = `${metadata.name.slice(0, 252 - hash.length)}-${hash}`;
    try {
      const created = await this.#client.create(builtin.ReplicaSet, {
        ...draft,
        metadata: { ...draft.metadata, name, annotations },
        spec: { ...draft.spec, replicas },
      });
      this.sets = { ...this.sets, newest: created };
    } catch (error) {
      await this.#refused(error, name);
      throw error;
    }
    if (replicas > 0) this.#recordScaling('up', name, [0, replicas]);
    const message = `Created new replica set "${name}"`;
    await this.#note(String(revision), {
      reason: 'NewReplicaSetCreated',
      message,
      isReplaced: true,
    });
  }

  /** Counts a collision of names, or reports that the ReplicaSet cannot be created. */
  async #refused(error: unknown, name: string): Promise<void> {
    const { status = {} } = this.deployment;
    if (isAlreadyExists(error)) {
      const present = this.#run.cache.get(builtin.ReplicaSet, {
        namespace: this.deployment.metadata.namespace,
        name,
      });
      const isOwn =
        present &&
        isControlledBy(present, this.deployment) &&
        hasTemplate(present, this.deployment);
      if (present === undefined || isOwn === true) return;
      await this.#writeStatus({ ...status, collisionCount: (status.collisionCount ?? 0) + 1 });
      return;
    }
    const message = `Failed to create new replica set "${name}": ${messageOf(error)}`;
    this.#record(this.deployment, { type: 'Warning', reason: 'ReplicaSetCreateError', message });
    if (progressDeadline(this.deployment) === undefined) return;
    const failed = {
      type: 'Progressing',
      status: 'False',
      reason: 'ReplicaSetCreateError',
      message,
    };
    await this.#writeStatus(withCondition(status, failed, this.#run.clock.now()));
  }

  /** Writes the revision into the Deployment, and its progress into the status. */
  async #note(
    revision: string,
    { reason, message, isReplaced }: { reason: string; message: string; isReplaced: boolean },
  ): Promise<void> {
    const { status = {}, metadata } = this.deployment;
    const isDue =
      progressDeadline(this.deployment) !== undefined &&
      (isReplaced || deploymentCondition(status, 'Progressing') === undefined);
    if (!isDue && metadata.annotations?.[REVISION] === revision) return;
    const condition = { type: 'Progressing', status: 'True', reason, message };
    const annotations = { ...metadata.annotations, [REVISION]: revision };
    this.deployment = { ...this.deployment, metadata: { ...metadata, annotations } };
    await this.#writeStatus(
      isDue ? withCondition(status, condition, this.#run.clock.now()) : status,
    );
  }

  /** A write of the status may change annotations too, and then raises no generation. */
  async #writeStatus(status: NonNullable<Deployment['status']>): Promise<void> {
    this.deployment = await this.#client
      .status(builtin.Deployment)
      .update({ ...this.deployment, status });
  }

  /** The size to which the newest ReplicaSet may grow now. */
  #newReplicas(present: number): number {
    const replicas = replicasOf(this.deployment);
    if (!isRolling(this.deployment)) return replicas;
    const room = replicas + maxSurge(this.deployment) - sumOf(allOf(this.sets), replicasOf);
    return room <= 0 ? present : present + Math.min(room, replicas - present);
  }

  /** Grows or shrinks the newest ReplicaSet. Returns true if its size changed. */
  async scaleNewest(): Promise<boolean> {
    const { newest } = this.sets;
    if (newest === undefined) return false;
    const replicas = replicasOf(this.deployment);
    const present = replicasOf(newest);
    if (present === replicas) return false;
    return this.#scale(newest, present > replicas ? replicas : this.#newReplicas(present));
  }

  /** Shrinks the old ReplicaSets as far as availability permits. Returns true if a size changed. */
  async shrinkOld(): Promise<boolean> {
    const { newest, old } = this.sets;
    if (newest === undefined || sumOf(old, replicasOf) === 0) return false;
    const minAvailable = replicasOf(this.deployment) - maxUnavailable(this.deployment);
    const newUnavailable = replicasOf(newest) - (newest.status?.availableReplicas ?? 0);
    const excess = sumOf(allOf(this.sets), replicasOf) - minAvailable - newUnavailable;
    if (excess <= 0) return false;
    const unhealthy = await this.#shrink(
      excess,
      (set) => replicasOf(set) - (set.status?.availableReplicas ?? 0),
    );
    const available = sumOf(allOf(this.sets), ({ status }) => status?.availableReplicas ?? 0);
    const healthy = await this.#shrink(available - minAvailable, replicasOf);
    return unhealthy + healthy > 0;
  }

  /** Takes up to a number of replicas from the old ReplicaSets, the oldest first. Returns how many. */
  async #shrink(most: number, removable: (set: ReplicaSet) => number): Promise<number> {
    let taken = 0;
    for (const set of this.sets.old) {
      const count = Math.min(most - taken, removable(set), replicasOf(set));
      if (count <= 0) continue;
      await this.#scale(set, replicasOf(set) - count);
      taken += count;
    }
    return taken;
  }

  /** Empties the old ReplicaSets. Returns true if a size changed. */
  async emptyOld(): Promise<boolean> {
    const full = this.sets.old.filter((set) => replicasOf(set) > 0);
    for (const set of full) await this.#scale(set, 0);
    return full.length > 0;
  }

  /** Gives the newest ReplicaSet all replicas. */
  async fillNewest(): Promise<void> {
    if (this.sets.newest !== undefined)
      await this.#scale(this.sets.newest, replicasOf(this.deployment));
  }

  /** Distributes a changed number of replicas over the ReplicaSets. */
  async distribute(): Promise<void> {
    const { newest, old } = this.sets;
    const replicas = replicasOf(this.deployment);
    const single = this.#activeOrLatest();
    if (single !== undefined) {
      if (replicasOf(single) !== replicas) await this.#scale(single, replicas);
      return;
    }
    if (newest !== undefined && this.#isSaturated(newest)) {
      for (const set of old.filter((each) => replicasOf(each) > 0)) await this.#scale(set, 0);
      return;
    }
    if (isRolling(this.deployment)) await this.#distributeInProportion();
  }

  /** The only ReplicaSet with replicas, or the latest one if none has any; `undefined` if several have some. */
  #activeOrLatest(): ReplicaSet | undefined {
    const { newest, old } = this.sets;
    const [active, ...more] = allOf(this.sets).filter((set) => replicasOf(set) > 0);
    if (more.length > 0) return undefined;
    return active ?? newest ?? old.at(-1);
  }

  #isSaturated(newest: ReplicaSet): boolean {
    const replicas = replicasOf(this.deployment);
    const { availableReplicas = 0 } = newest.status ?? {};
    return (
      replicasOf(newest) === replicas &&
      desiredOf(newest) === replicas &&
      availableReplicas === replicas
    );
  }

  async #distributeInProportion(): Promise<void> {
    const replicas = replicasOf(this.deployment);
    const active = allOf(this.sets).filter((set) => replicasOf(set) > 0);
    const allowed = replicas > 0 ? replicas + maxSurge(this.deployment) : 0;
    const toAdd = allowed - sumOf(active, replicasOf);
    const bySize = active.toSorted(
      (one, other) =>
        replicasOf(other) - replicasOf(one) ||
        (toAdd < 0 ? olderFirst(one, other) : olderFirst(other, one)),
    );
    let added = 0;
    const sizes = bySize.map((set) => {
      const part = this.#proportion(set, toAdd, added);
      added += part;
      return replicasOf(set) + part;
    });
    for (const [index, set] of bySize.entries()) {
      const size = (sizes[index] ?? 0) + (index === 0 ? toAdd - added : 0);
      await this.#scale(set, Math.max(0, size), true);
    }
  }

  #proportion(set: ReplicaSet, toAdd: number, added: number): number {
    if (toAdd === 0 || toAdd === added) return 0;
    const allowed = toAdd - added;
    const fraction = this.#fraction(set);
    return toAdd > 0 ? Math.min(fraction, allowed) : Math.max(fraction, allowed);
  }

  #fraction(set: ReplicaSet): number {
    const replicas = replicasOf(this.deployment);
    const present = replicasOf(set);
    if (replicas === 0) return -present;
    const before = maxOf(set) || (this.deployment.status?.replicas ?? 0);
    if (before === 0) return 0;
    return Math.round((present * (replicas + maxSurge(this.deployment))) / before) - present;
  }

  async #scale(set: ReplicaSet, size: number, isForced = false): Promise<boolean> {
    const present = replicasOf(set);
    const annotations = { ...set.metadata.annotations, ...sizeAnnotations(this.deployment) };
    const isResized = present !== size;
    if (!isResized && (!isForced || equalJson(annotations, set.metadata.annotations ?? {})))
      return false;
    this.#replace(
      await this.#client.update(builtin.ReplicaSet, {
        ...set,
        metadata: { ...set.metadata, annotations },
        ...(set.spec && { spec: { ...set.spec, replicas: size } }),
      }),
    );
    if (isResized)
      this.#recordScaling(size > present ? 'up' : 'down', set.metadata.name, [present, size]);
    return isResized;
  }

  #recordScaling(way: 'up' | 'down', name: string, [from, to]: readonly [number, number]): void {
    const message = `Scaled ${way} replica set ${name} from ${from} to ${to}`;
    this.#record(this.deployment, { reason: 'ScalingReplicaSet', message });
  }

  #replace(written: ReplicaSet): void {
    const { newest, old } = this.sets;
    const current = (set: ReplicaSet): ReplicaSet =>
      set.metadata.uid === written.metadata.uid ? written : set;
    this.sets = { newest: newest && current(newest), old: old.map(current) };
  }

  /** Deletes the oldest empty ReplicaSets beyond the limit of the history. */
  async cleanUp(): Promise<void> {
    const limit = historyLimit(this.deployment);
    const alive = this.sets.old.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    if (limit === undefined || alive.length <= limit) return;
    const excess = alive
      .toSorted((one, other) => revisionOf(one) - revisionOf(other) || olderFirst(one, other))
      .slice(0, alive.length - limit);
    for (const set of excess.filter(isEmpty))
      await ignoreMissing(this.#client.delete(builtin.ReplicaSet, set.metadata));
  }
}

function isEmpty({ metadata, spec, status }: ReplicaSet): boolean {
  const isObserved = (metadata.generation ?? 0) <= (status?.observedGeneration ?? 0);
  return (spec?.replicas ?? 1) === 0 && (status?.replicas ?? 0) === 0 && isObserved;
}

function olderFirst({ metadata: one }: ReplicaSet, { metadata: other }: ReplicaSet): number {
  return (
    compareTexts(one.creationTimestamp, other.creationTimestamp) ||
    compareTexts(one.name, other.name)
  );
}

function hasTemplate({ spec }: ReplicaSet, { spec: wanted }: Deployment): boolean {
  return equalJson(withoutHash(spec?.template), withoutHash(wanted?.template));
}

function withoutHash(template: PodTemplate | undefined): unknown {
  const { [HASH_LABEL]: _hash, ...labels } = template?.metadata?.labels ?? {};
  const { creationTimestamp: _time, ...metadata } = template?.metadata ?? {};
  return { ...template, metadata: { ...metadata, labels } };
}

function replicaSetOf(deployment: Deployment, hash: string) {
  const { metadata, spec } = deployment;
  const { template = {}, selector, minReadySeconds = 0 } = spec ?? {};
  const labels = { ...template.metadata?.labels, [HASH_LABEL]: hash };
  return {
    metadata: {
      namespace: metadata.namespace,
      labels,
      ownerReferences: [
        ownerReferenceTo(deployment, { controller: true, blockOwnerDeletion: true }),
      ],
    },
    spec: {
      minReadySeconds,
      selector: { ...selector, matchLabels: { ...selector?.matchLabels, [HASH_LABEL]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}
