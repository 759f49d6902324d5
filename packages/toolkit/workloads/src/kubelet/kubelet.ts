import { builtin } from '@keelson/apimachinery';
import type { Controller, Outcome, Request } from '@keelson/manager';
import {
  after,
  CONCURRENCY,
  ignoreMissing,
  retried,
  type Control,
  type Run,
} from '../control/control.ts';
import type { EventLog, RecordEvent } from '../control/event-log.ts';
import type { Pod } from '../objects/kinds.ts';
import { isFinished, isTerminating } from '../pods/pod-state.ts';
import type { SimulatedNodes } from '../nodes/simulated-nodes.ts';
import type { ContainerRun } from './container-run.ts';
import { PodRun, type DefaultTimes, type PodStep } from './pod-run.ts';
import { PodRuleSet, type PodRules } from './pod-rules.ts';
import { backOffText, evictedStatus, podStatus, pullError, type PodStatus } from './pod-status.ts';
import { statusPatch } from './status-patch.ts';

/** The time between two looks of a kubelet for a lack of resources (`monitoringInterval` of its eviction manager). */
const EVICTION_MS = 10_000;
/** The exit code of a container that the kubelet ends: that of SIGKILL. */
const KILLED = 137;
/** The first delay between two attempts to pull an image; it doubles up to the longest. */
const PULL_BACKOFF_MS = 10_000;
const MAX_PULL_BACKOFF_MS = 300_000;

/** The times and the nodes that all kubelets share. */
export interface KubeletOptions extends DefaultTimes {
  readonly nodes: SimulatedNodes;
}

/** Adds the kubelets of all nodes, which run no containers and write the statuses that the rules of the test ask for. */
export function addKubelet({ manager, events }: Control, options: KubeletOptions): PodRules {
  // The rules enqueue Pods of a controller that is added after them, and the controller reads the rules.
  const pending: { controller?: Controller } = {};
  const rules = new PodRuleSet((selects) => kubelet.wake(selects, pending.controller));
  const kubelet = new Kubelet(rules, events, options);
  pending.controller = manager.addController({
    name: 'kubelet',
    for: builtin.Pod,
    concurrency: CONCURRENCY,
    reconcile: retried((request, run) => kubelet.reconcile(request, run)),
  });
  options.nodes.onChange((node) =>
    kubelet.wake(({ spec }) => spec?.nodeName === node, pending.controller),
  );
  return rules;
}

class Kubelet {
  readonly #rules: PodRuleSet;
  readonly #events: EventLog;
  readonly #options: KubeletOptions;
  readonly #recorders = new Map<string, RecordEvent>();
  /** The Pods on nodes, by uid. */
  readonly #runs = new Map<string, { readonly pod: Pod; readonly run: PodRun }>();
  #addresses = 0;

  constructor(rules: PodRuleSet, events: EventLog, options: KubeletOptions) {
    this.#rules = rules;
    this.#events = events;
    this.#options = options;
  }

  /** Looks again at the Pods that a change concerns. */
  wake(selects: (pod: Pod) => boolean, controller: Controller | undefined): void {
    for (const { pod } of this.#runs.values())
      if (selects(pod))
        controller?.enqueue({ namespace: pod.metadata.namespace, name: pod.metadata.name });
  }

  async reconcile(name: Request, { cache, client, clock }: Run): Promise<Outcome | void> {
    const pod = cache.get(builtin.Pod, name);
    if (pod === undefined) return this.#forget(name);
    const node = pod.spec?.nodeName ?? '';
    if (node === '' || (pod.metadata.deletionTimestamp === undefined && isFinished(pod))) return;
    const now = clock.now();
    const run = this.#runOf(pod, now);
    if (this.#options.nodes.failedSince(node) !== undefined) return;
    if (isTerminating(pod)) return this.#terminate(pod, run, { client, now });
    const behaviour = this.#rules.of(pod);
    const untilEviction = run.seenAt + EVICTION_MS - now;
    if (behaviour.evicted !== undefined && untilEviction <= 0) {
      run.stop(now, KILLED);
      this.#record(pod, { type: 'Warning', reason: 'Evicted', message: behaviour.evicted });
      await write(pod, evictedStatus(pod, behaviour.evicted, { run, behaviour, now }), client);
      return;
    }
    const step = run.step(behaviour, this.#options, now);
    const pull = behaviour.imagePullError ? this.#pull(pod, run, now) : undefined;
    this.#recordStep(pod, step);
    await write(pod, podStatus(pod, { run, behaviour, now }), client);
    const waits = [
      pull,
      step.next && step.next - now,
      behaviour.evicted === undefined ? undefined : untilEviction,
    ];
    const next = Math.min(...waits.flatMap((wait) => wait ?? []));
    return after(Number.isFinite(next) ? next : undefined);
  }

  #forget({ namespace, name }: Request): void {
    for (const [uid, { pod }] of this.#runs)
      if (pod.metadata.name === name && pod.metadata.namespace === namespace)
        this.#runs.delete(uid);
  }

  #runOf(pod: Pod, now: number): PodRun {
    const { uid } = pod.metadata;
    const known = this.#runs.get(uid)?.run;
    const run = known ?? new PodRun(pod, { now, ip: known ? '' : this.#nextAddress() });
    this.#runs.set(uid, { pod, run });
    return run;
  }

  #nextAddress(): string {
    this.#addresses += 1;
    return `10.244.${(this.#addresses >> 8) & 255}.${this.#addresses & 255}`;
  }

  /** Ends the containers of a deleted Pod, and removes it. A Pod with finalizers shows how it ended. */
  async #terminate(
    pod: Pod,
    run: PodRun,
    { client, now }: { readonly client: Run['client']; readonly now: number },
  ): Promise<void> {
    if (!run.isKilled && !isFinished(pod)) {
      for (const { name, startedAt } of run.containers)
        if (startedAt !== undefined)
          this.#record(pod, { reason: 'Killing', message: `Stopping container ${name}` });
    }
    run.isKilled = true;
    if ((pod.metadata.finalizers ?? []).length > 0 && !isFinished(pod)) {
      run.stop(now, KILLED);
      const behaviour = this.#rules.of(pod);
      const status = podStatus(pod, { run, behaviour, now });
      const phase = status.phase === 'Succeeded' ? 'Succeeded' : 'Failed';
      await write(pod, { ...status, phase }, client);
    }
    if (pod.metadata.deletionGracePeriodSeconds === 0) return;
    const { uid } = pod.metadata;
    await ignoreMissing(
      client.delete(builtin.Pod, pod.metadata, { gracePeriodSeconds: 0, preconditions: { uid } }),
    );
  }

  /** Fails to pull the images, if it is time to. Returns the time until the next attempt. */
  #pull(pod: Pod, run: PodRun, now: number): number | undefined {
    if (
      run.containers.every(({ startedAt, last }) => startedAt !== undefined || last !== undefined)
    )
      return undefined;
    if (now < run.nextPull) return run.nextPull - now;
    const delay = Math.min(MAX_PULL_BACKOFF_MS, PULL_BACKOFF_MS * 2 ** run.pulls);
    run.pulls += 1;
    run.nextPull = now + delay;
    for (const { image = '' } of pod.spec?.containers ?? []) {
      this.#record(pod, { reason: 'Pulling', message: `Pulling image "${image}"` });
      const failed = `Failed to pull image "${image}": ${pullError(image)}`;
      this.#record(pod, { type: 'Warning', reason: 'Failed', message: failed });
      this.#record(pod, { type: 'Warning', reason: 'Failed', message: 'Error: ErrImagePull' });
      this.#record(pod, { reason: 'BackOff', message: `Back-off pulling image "${image}"` });
      this.#record(pod, { type: 'Warning', reason: 'Failed', message: 'Error: ImagePullBackOff' });
    }
    return delay;
  }

  #recordStep(pod: Pod, { started, backedOff }: PodStep): void {
    for (const container of started) this.#recordStart(pod, container);
    for (const { name, delay } of backedOff) {
      const message = `Back-off restarting failed container ${name} in pod ${pod.metadata.name}_${pod.metadata.namespace}(${pod.metadata.uid})`;
      this.#record(pod, {
        type: 'Warning',
        reason: 'BackOff',
        message: delay > 0 ? message : backOffText(pod, name, delay),
      });
    }
  }

  #recordStart(pod: Pod, { name }: ContainerRun): void {
    const { image = '' } = pod.spec?.containers.find((container) => container.name === name) ?? {};
    const pulled = `Container image "${image}" already present on machine`;
    this.#record(pod, { reason: 'Pulled', message: `${pulled} and can be accessed by the pod` });
    this.#record(pod, { reason: 'Created', message: 'Container created' });
    this.#record(pod, { reason: 'Started', message: 'Container started' });
  }

  #record(pod: Pod, event: Parameters<RecordEvent>[1]): void {
    const node = pod.spec?.nodeName ?? '';
    const record =
      this.#recorders.get(node) ?? this.#events.recorder({ component: 'kubelet', host: node });
    this.#recorders.set(node, record);
    record(pod, event);
  }
}

/** Writes a status that differs. */
async function write(pod: Pod, wanted: PodStatus, client: Run['client']): Promise<void> {
  const status = statusPatch(pod.status ?? {}, wanted);
  if (status === undefined) return;
  const body = { metadata: { uid: pod.metadata.uid }, status };
  await ignoreMissing(client.status(builtin.Pod).patch(pod.metadata, { type: 'strategic', body }));
}
