import { builtin } from '@keelson/apimachinery';
import { ignoreMissing, type Run } from '../control/control.ts';
import { compareTexts, scaledValue } from '../objects/counts.ts';
import type { DaemonSet, Node, Pod } from '../objects/kinds.ts';
import type { PodControl } from '../pods/pod-control.ts';
import { isAvailable, isFinished, isReady, isTerminating } from '../pods/pod-state.ts';
import { slowStart } from '../pods/slow-start.ts';
import { daemonSpec, nodeOf, placementOf } from './daemon-pods.ts';

const REVISION_LABEL = 'controller-revision-hash';
const GENERATION = 'deprecated.daemonset.template.generation';
const GENERATION_LABEL = 'pod-template-generation';

/** The revision and helpers of one run. */
export interface DaemonParts {
  /** The hash of the present template. */
  readonly hash: string;
  readonly pods: PodControl;
  readonly run: Run;
}

/** One run for one DaemonSet. */
export class DaemonSetSync {
  readonly #set: DaemonSet;
  readonly #parts: DaemonParts;
  readonly #nodes: readonly Node[];
  readonly #now: number;
  #byNode = new Map<string, Pod[]>();
  all: readonly Pod[] = [];

  constructor(set: DaemonSet, parts: DaemonParts) {
    this.#set = set;
    this.#parts = parts;
    this.#nodes = parts.run.cache.list(builtin.Node);
    this.#now = parts.run.clock.now();
  }

  /** Sorts the Pods by their nodes. */
  read(pods: readonly Pod[]): void {
    this.all = pods;
    this.#byNode = Map.groupBy(pods, nodeOf);
  }

  /** Creates missing Pods, and deletes excess and failed ones. Returns the first error. */
  async manage(): Promise<unknown> {
    const missing: string[] = [];
    const excess: Pod[] = [];
    for (const node of this.#nodes) {
      const { runs, stays } = placementOf(this.#set, node);
      const pods = this.#podsOn(node.metadata.name);
      if (!stays) excess.push(...pods.filter((pod) => !isTerminating(pod)));
      else if (pods.length === 0 && runs) missing.push(node.metadata.name);
      else excess.push(...this.#excessOf(pods.filter((pod) => !isTerminating(pod))));
    }
    return this.#change(missing, excess);
  }

  #excessOf(pods: readonly Pod[]): Pod[] {
    const failed = pods.filter(isFinished);
    const running = pods.filter((pod) => !isFinished(pod)).toSorted(olderFirst);
    if (this.#surge === 0) return [...failed, ...running.slice(1)];
    const updated = running.filter((pod) => this.#isUpdated(pod));
    const old = running.filter((pod) => !this.#isUpdated(pod));
    return [...failed, ...updated.slice(1), ...old.slice(1)];
  }

  /** One step of an update: replaces as many Pods of older templates as the bounds permit. */
  async roll(): Promise<void> {
    const pods = this.#nodes
      .filter((node) => placementOf(this.#set, node).runs)
      .map(({ metadata }) => ({ node: metadata.name, ...this.#versionsOn(metadata.name) }));
    if (this.#surge > 0) await this.#rollWithSurge(pods);
    else await this.#rollInPlace(pods);
  }

  #versionsOn(node: string): { updated: Pod | undefined; old: Pod | undefined } {
    const pods = this.#podsOn(node).filter((pod) => !isTerminating(pod));
    return {
      updated: pods.find((pod) => this.#isUpdated(pod)),
      old: pods.find((pod) => !this.#isUpdated(pod)),
    };
  }

  async #rollInPlace(
    pods: readonly { updated: Pod | undefined; old: Pod | undefined }[],
  ): Promise<void> {
    const present = pods.map(({ updated, old }) => updated ?? old);
    const unavailable = present.filter(
      (pod) => pod === undefined || !this.#isAvailable(pod),
    ).length;
    const old = pods.flatMap((each) => (each.updated === undefined ? (each.old ?? []) : []));
    const broken = old.filter((pod) => !this.#isAvailable(pod));
    const healthy = old.filter((pod) => this.#isAvailable(pod));
    const room = Math.max(0, this.#maxUnavailable - unavailable);
    await this.#change([], [...broken, ...healthy.slice(0, room)]);
  }

  async #rollWithSurge(
    pods: readonly { node: string; updated: Pod | undefined; old: Pod | undefined }[],
  ): Promise<void> {
    const surging = pods.filter(
      ({ updated, old }) => old && updated && !this.#isAvailable(updated),
    );
    const replaced = pods.filter(
      ({ updated, old }) => old && updated && this.#isAvailable(updated),
    );
    const waiting = pods.filter(({ updated, old }) => old !== undefined && updated === undefined);
    const broken = waiting.filter(({ old }) => old && !this.#isAvailable(old));
    const healthy = waiting.filter(({ old }) => old && this.#isAvailable(old));
    const room = Math.max(0, this.#surge - surging.length);
    const nodes = [...broken, ...healthy.slice(0, room)].map(({ node }) => node);
    await this.#change(
      nodes,
      replaced.flatMap(({ old }) => old ?? []),
    );
  }

  async #change(nodes: readonly string[], excess: readonly Pod[]): Promise<unknown> {
    const { pods, run } = this.#parts;
    const failure = await slowStart(nodes.length, (at) => this.#create(nodes[at] ?? ''));
    await Promise.all(excess.map((pod) => ignoreMissing(pods.delete(run.client, this.#set, pod))));
    return failure;
  }

  async #create(node: string): Promise<void> {
    const { pods, run, hash } = this.#parts;
    const { metadata, spec } = this.#set;
    if (spec === undefined) return;
    const generation = metadata.annotations?.[GENERATION];
    await pods.create(run.client, this.#set, spec.template, {
      labels: { [REVISION_LABEL]: hash, ...(generation && { [GENERATION_LABEL]: generation }) },
      spec: daemonSpec(spec.template, node),
    });
  }

  /** Counts the nodes and Pods. */
  status(): NonNullable<DaemonSet['status']> {
    const wanted = this.#nodes.filter((node) => placementOf(this.#set, node).runs);
    const others = this.#nodes.filter((node) => !wanted.includes(node));
    const first = wanted.map(({ metadata }) => this.#podsOn(metadata.name).toSorted(olderFirst)[0]);
    const scheduled = first.flatMap((pod) => pod ?? []);
    const available = scheduled.filter((pod) => this.#isAvailable(pod)).length;
    return {
      observedGeneration: this.#set.metadata.generation ?? 0,
      desiredNumberScheduled: wanted.length,
      currentNumberScheduled: scheduled.length,
      numberMisscheduled: others.filter(({ metadata }) => this.#podsOn(metadata.name).length > 0)
        .length,
      numberReady: scheduled.filter(isReady).length,
      updatedNumberScheduled: scheduled.filter((pod) => this.#isUpdated(pod)).length,
      numberAvailable: available,
      numberUnavailable: wanted.length - available,
    };
  }

  get #surge(): number {
    const { maxSurge } = this.#set.spec?.updateStrategy?.rollingUpdate ?? {};
    return scaledValue(maxSurge, this.#desired, true);
  }

  get #maxUnavailable(): number {
    const { maxUnavailable = 1 } = this.#set.spec?.updateStrategy?.rollingUpdate ?? {};
    return scaledValue(maxUnavailable, this.#desired, true);
  }

  get #desired(): number {
    return this.#nodes.filter((node) => placementOf(this.#set, node).runs).length;
  }

  #podsOn(node: string): readonly Pod[] {
    return this.#byNode.get(node) ?? [];
  }

  #isUpdated({ metadata }: Pod): boolean {
    return metadata.labels?.[REVISION_LABEL] === this.#parts.hash;
  }

  #isAvailable(pod: Pod): boolean {
    return isAvailable(pod, this.#set.spec?.minReadySeconds ?? 0, this.#now);
  }
}

function olderFirst({ metadata: one }: Pod, { metadata: other }: Pod): number {
  return (
    compareTexts(one.creationTimestamp, other.creationTimestamp) ||
    compareTexts(one.name, other.name)
  );
}
