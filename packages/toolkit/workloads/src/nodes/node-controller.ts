import { builtin, isDeleting } from '@keelson/apimachinery';
import type { Outcome, Request } from '@keelson/manager';
import { after, ignoreMissing, retried, type Control, type Run } from '../control/control.ts';
import type { RecordEvent } from '../control/event-log.ts';
import { equalJson } from '../objects/equal-json.ts';
import type { Node, Pod } from '../objects/kinds.ts';
import { millisecondsOf, timestamp } from '../objects/times.ts';
import { isReady, isTerminating } from '../pods/pod-state.ts';
import { tolerates } from './node-fit.ts';
import { nodeConditions, type SimulatedNodes } from './simulated-nodes.ts';

type Taint = NonNullable<NonNullable<Node['spec']>['taints']>[number];

/** The time without a message of the kubelet after which a node is `Unknown` (the flag `node-monitor-grace-period`). */
const GRACE_MS = 50_000;
const UNREACHABLE = 'node.kubernetes.io/unreachable';
const NOT_READY = 'node.kubernetes.io/not-ready';
const UNSCHEDULABLE = 'node.kubernetes.io/unschedulable';
/** The taints that this controller sets and removes. */
const OWN = new Set([UNREACHABLE, NOT_READY, UNSCHEDULABLE]);

/** Taints failed nodes, deletes the Pods that do not tolerate it, and those of nodes that are gone. */
export function addNodeController({ manager, events }: Control, nodes: SimulatedNodes): void {
  const controller = new NodeController(nodes, {
    nodes: events.recorder({ component: 'node-controller' }),
    evictions: events.recorder({ component: 'taint-eviction-controller' }),
  });
  const added = manager.addController({
    name: 'node',
    for: builtin.Node,
    watches: [
      {
        resource: builtin.Pod,
        map: (pod, { cache }) => {
          const name = pod.value().spec?.nodeName;
          const node = name && cache.get(builtin.Node, { name });
          if (!name || (node && (node.spec?.taints ?? []).length === 0)) return [];
          return { name };
        },
      },
    ],
    reconcile: retried((request, run) => controller.reconcile(request, run)),
  });
  nodes.onChange((name) => added.enqueue({ name }));
}

class NodeController {
  readonly #nodes: SimulatedNodes;
  readonly #record: { readonly nodes: RecordEvent; readonly evictions: RecordEvent };

  constructor(
    nodes: SimulatedNodes,
    record: { readonly nodes: RecordEvent; readonly evictions: RecordEvent },
  ) {
    this.#nodes = nodes;
    this.#record = record;
  }

  async reconcile({ name }: Request, run: Run): Promise<Outcome | void> {
    const node = run.cache.get(builtin.Node, { name });
    const pods = run.cache.list(builtin.Pod).filter(({ spec }) => spec?.nodeName === name);
    if (node === undefined) {
      this.#nodes.forget(name);
      return collect(pods, run);
    }
    if (isDeleting(node)) return;
    const now = run.clock.now();
    const failedSince = this.#nodes.failedSince(name);
    const left = failedSince === undefined ? 0 : failedSince + GRACE_MS - now;
    if (left > 0) return after(left);
    const isReachable = failedSince === undefined;
    const reported = await this.#writeStatus(node, isReachable, run);
    const tainted = await writeTaints(reported, isReachable, run);
    this.#nodes.settle(name);
    if (!isReachable) await this.#markPods(pods, run);
    return after(await this.#evict(tainted, pods, run));
  }

  async #writeStatus(node: Node, isReachable: boolean, { client, clock }: Run): Promise<Node> {
    const time = timestamp(clock.now());
    const unknown = {
      status: 'Unknown',
      reason: 'NodeStatusUnknown',
      message: 'Kubelet stopped posting node status.',
      lastTransitionTime: time,
    };
    const fine = new Map(nodeConditions(clock.now()).map((each) => [each.type, each]));
    const conditions = (node.status?.conditions ?? []).map((condition) => {
      const isUnknown = condition.status === 'Unknown';
      if (!isReachable) return isUnknown ? condition : { ...condition, ...unknown };
      return isUnknown ? { ...condition, ...fine.get(condition.type) } : condition;
    });
    if (equalJson(conditions, node.status?.conditions ?? [])) return node;
    if (!isReachable) {
      const message = `Node ${node.metadata.name} status is now: NodeNotReady`;
      this.#record.nodes(node, { reason: 'NodeNotReady', message });
    }
    return client.status(builtin.Node).update({ ...node, status: { ...node.status, conditions } });
  }

  /** Makes the Pods of a node without a kubelet not ready. */
  async #markPods(pods: readonly Pod[], { client, clock }: Run): Promise<void> {
    for (const pod of pods.filter(isReady)) {
      const condition = {
        type: 'Ready',
        status: 'False',
        lastTransitionTime: timestamp(clock.now()),
      };
      const body = { status: { conditions: [condition] } };
      await ignoreMissing(
        client.status(builtin.Pod).patch(pod.metadata, { type: 'strategic', body }),
      );
      this.#record.nodes(pod, {
        type: 'Warning',
        reason: 'NodeNotReady',
        message: 'Node is not ready',
      });
    }
  }

  /** Deletes the Pods whose tolerations of a taint have ended. Returns the time until the next end. */
  async #evict(
    { spec }: Node,
    pods: readonly Pod[],
    { client, clock }: Run,
  ): Promise<number | undefined> {
    const now = clock.now();
    const taints = (spec?.taints ?? []).filter(({ effect }) => effect === 'NoExecute');
    const waits: number[] = [];
    for (const pod of pods.filter((each) => !isTerminating(each))) {
      const end = Math.min(...taints.map((taint) => endOfToleration(pod, taint, now)));
      if (end > now) waits.push(end - now);
      else {
        const { namespace, name } = pod.metadata;
        const message = `Marking for deletion Pod ${namespace}/${name}`;
        this.#record.evictions(pod, { reason: 'TaintManagerEviction', message });
        await ignoreMissing(client.delete(builtin.Pod, pod.metadata));
      }
    }
    const next = Math.min(...waits);
    return Number.isFinite(next) ? next : undefined;
  }
}

/** The time until which a Pod tolerates a taint. */
function endOfToleration({ spec }: Pod, taint: Taint, now: number): number {
  const matching = (spec?.tolerations ?? []).filter((toleration) => tolerates(toleration, taint));
  if (matching.length === 0) return now;
  const seconds = Math.min(
    ...matching.map(({ tolerationSeconds = Infinity }) => tolerationSeconds),
  );
  return (taint.timeAdded === undefined ? now : millisecondsOf(taint.timeAdded)) + seconds * 1000;
}

async function writeTaints(
  node: Node,
  isReachable: boolean,
  { client, clock }: Run,
): Promise<Node> {
  const present = node.spec?.taints ?? [];
  const timeAdded = timestamp(clock.now());
  const wanted: Taint[] = [
    ...(isReachable
      ? []
      : [
          { key: UNREACHABLE, effect: 'NoSchedule', timeAdded },
          { key: UNREACHABLE, effect: 'NoExecute', timeAdded },
        ]),
    ...(node.spec?.unschedulable === true
      ? [{ key: UNSCHEDULABLE, effect: 'NoSchedule', timeAdded }]
      : []),
  ];
  const known = (taint: Taint): Taint =>
    present.find(({ key, effect }) => key === taint.key && effect === taint.effect) ?? taint;
  const taints = [...present.filter(({ key }) => !OWN.has(key)), ...wanted.map(known)];
  if (equalJson(taints, present)) return node;
  return client.update(builtin.Node, { ...node, spec: { ...node.spec, taints } });
}

/** Deletes the Pods of a node that no longer exists. */
async function collect(pods: readonly Pod[], { client }: Run): Promise<void> {
  for (const { metadata } of pods)
    await ignoreMissing(client.delete(builtin.Pod, metadata, { gracePeriodSeconds: 0 }));
}
