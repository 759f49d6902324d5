import { builtin, isDeleting } from '@keelson/apimachinery';
import type { Request } from '@keelson/manager';
import { CONCURRENCY, retried, type Control, type Run } from '../control/control.ts';
import type { RecordEvent } from '../control/event-log.ts';
import { claimsOf } from '../claims/claim-controller.ts';
import { compareTexts } from '../objects/counts.ts';
import type { Node, Pod } from '../objects/kinds.ts';
import { nanosOf } from '../objects/quantity.ts';
import { isFinished, podCondition } from '../pods/pod-state.ts';
import type { SimulatedNodes } from '../nodes/simulated-nodes.ts';
import { matchesNode, untoleratedTaint } from '../nodes/node-fit.ts';

const NAME = 'default-scheduler';

/** Assigns Pods to nodes whose labels, taints and capacity permit it, the one with the fewest Pods first. */
export function addScheduler({ manager, events }: Control, simulated: SimulatedNodes): void {
  const scheduler = new Scheduler(events.recorder({ component: NAME }), simulated);
  const controller = manager.addController({
    name: 'scheduler',
    for: builtin.Pod,
    watches: [
      {
        resource: builtin.Node,
        map: (_node, { cache }) =>
          cache
            .list(builtin.Pod)
            .filter(isWaiting)
            .map(({ metadata }) => metadata),
      },
      {
        resource: builtin.PersistentVolumeClaim,
        map: ({ metadata: { namespace, name } }, { cache }) =>
          cache
            .list(builtin.Pod, { namespace })
            .filter((pod) => isWaiting(pod) && claimsOf(pod).some((claim) => claim.name === name))
            .map(({ metadata }) => metadata),
      },
    ],
    concurrency: CONCURRENCY,
    reconcile: retried((request, run) => scheduler.reconcile(request, run)),
  });
  simulated.onReady(() => {
    for (const request of scheduler.takePostponed()) controller.enqueue(request);
  });
}

/** True for a Pod that this scheduler assigns. */
function isWaiting({ metadata, spec, status }: Pod): boolean {
  return (
    (spec?.nodeName ?? '') === '' &&
    (spec?.schedulerName ?? NAME) === NAME &&
    (spec?.schedulingGates ?? []).length === 0 &&
    status?.phase === 'Pending' &&
    metadata.deletionTimestamp === undefined
  );
}

class Scheduler {
  readonly #record: RecordEvent;
  readonly #nodes: SimulatedNodes;
  /** The Pods that wait until all nodes of the test exist. */
  readonly #postponed: Request[] = [];
  /** The nodes of Pods whose assignment the cache does not show yet, by the uid of the Pod. */
  readonly #assumed = new Map<string, string>();

  constructor(record: RecordEvent, nodes: SimulatedNodes) {
    this.#record = record;
    this.#nodes = nodes;
  }

  /** Returns the Pods that have waited for the nodes. */
  takePostponed(): Request[] {
    return this.#postponed.splice(0);
  }

  async reconcile(name: Request, run: Run): Promise<void> {
    const pod = run.cache.get(builtin.Pod, name);
    if (pod === undefined || isDeleting(pod) || !isWaiting(pod)) {
      if (pod !== undefined) this.#assumed.delete(pod.metadata.uid);
      return;
    }
    if (this.#assumed.has(pod.metadata.uid)) return;
    if (!this.#nodes.areReady) {
      this.#postponed.push(name);
      return;
    }
    const nodes = run.cache.list(builtin.Node);
    const load = this.#loadOf(run.cache.list(builtin.Pod));
    const problem = claimProblem(pod, run);
    const refusals = nodes.map((node) => refusal(pod, node, load.get(node.metadata.name) ?? []));
    const fitting =
      problem === undefined ? nodes.filter((_node, at) => refusals[at] === undefined) : [];
    const count = ({ metadata }: Node): number => load.get(metadata.name)?.length ?? 0;
    const [best] = fitting.toSorted(
      (one, other) =>
        count(one) - count(other) || compareTexts(one.metadata.name, other.metadata.name),
    );
    if (best === undefined) await this.#reject(pod, messageOf(refusals, problem), run);
    else await this.#assign(pod, best.metadata.name, run);
  }

  #loadOf(pods: readonly Pod[]): Map<string, Pod[]> {
    const assigned = pods.filter((pod) => !isFinished(pod));
    return Map.groupBy(
      assigned,
      ({ metadata, spec }) => spec?.nodeName ?? this.#assumed.get(metadata.uid) ?? '',
    );
  }

  async #assign(pod: Pod, node: string, { client }: Run): Promise<void> {
    const { namespace, name, uid } = pod.metadata;
    const binding = {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { namespace, name, uid },
      target: { apiVersion: 'v1', kind: 'Node', name: node },
    };
    this.#assumed.set(uid, node);
    try {
      await client.subresource<object>(builtin.Pod, 'binding').create({ namespace, name }, binding);
    } catch (error) {
      this.#assumed.delete(uid);
      throw error;
    }
    this.#record(pod, {
      reason: 'Scheduled',
      message: `Successfully assigned ${namespace}/${name} to ${node}`,
    });
  }

  async #reject(pod: Pod, message: string, { client, clock }: Run): Promise<void> {
    const known = podCondition(pod, 'PodScheduled');
    if (known?.status === 'False' && known.message === message) return;
    this.#record(pod, { type: 'Warning', reason: 'FailedScheduling', message });
    const condition = {
      type: 'PodScheduled',
      status: 'False',
      reason: 'Unschedulable',
      message,
      lastProbeTime: null,
      lastTransitionTime: known?.lastTransitionTime ?? new Date(clock.now()).toISOString(),
    };
    const body = { status: { conditions: [condition] } };
    await client.status(builtin.Pod).patch(pod.metadata, { type: 'strategic', body });
  }
}

/** Why the claims of a Pod do not permit any node. */
function claimProblem(pod: Pod, { cache }: Run): string | undefined {
  for (const claim of claimsOf(pod)) {
    const found = cache.get(builtin.PersistentVolumeClaim, claim);
    if (found === undefined) return `persistentvolumeclaim "${claim.name}" not found`;
    if (found.status?.phase !== 'Bound') return 'pod has unbound immediate PersistentVolumeClaims';
  }
  return undefined;
}

/** Why a node does not fit, in the words of kube-scheduler. */
function refusal(pod: Pod, node: Node, others: readonly Pod[]): string | undefined {
  const spec = pod.spec ?? { containers: [] };
  if (
    node.spec?.unschedulable === true &&
    untoleratedTaint(spec.tolerations, unschedulable(node), ['NoSchedule'])
  )
    return 'node(s) were unschedulable';
  const taint = untoleratedTaint(spec.tolerations, node, ['NoSchedule', 'NoExecute']);
  if (taint !== undefined) return `node(s) had untolerated taint(s)`;
  if (!matchesNode(spec, node)) return "node(s) didn't match Pod's node affinity/selector";
  const { allocatable = {} } = node.status ?? {};
  if (nanosOf(String(others.length)) >= nanosOf(allocatable['pods'] ?? '110'))
    return 'Too many pods';
  const lacking = ['cpu', 'memory'].find((resource) => {
    const limit = allocatable[resource];
    const needed = requestOf(pod, resource);
    // Most Pods of tests request nothing: then the requests of the others are not added.
    if (limit === undefined || needed === 0n) return false;
    return others.reduce((sum, other) => sum + requestOf(other, resource), needed) > nanosOf(limit);
  });
  return lacking === undefined ? undefined : `Insufficient ${lacking}`;
}

function unschedulable(node: Node): Node {
  const taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };
  return { ...node, spec: { taints: [taint] } };
}

function requestOf({ spec }: Pod, resource: string): bigint {
  return (spec?.containers ?? []).reduce(
    (sum, { resources }) => sum + nanosOf(resources?.requests?.[resource]),
    0n,
  );
}

function messageOf(refusals: readonly (string | undefined)[], problem: string | undefined): string {
  if (refusals.length === 0) return 'no nodes available to schedule pods';
  const total = refusals.length;
  const given = refusals.map((reason) => problem ?? reason ?? '');
  const counted = [...Map.groupBy(given, (reason) => reason)].map(
    ([reason, all]) => `${all.length} ${reason}`,
  );
  const why = problem ?? counted.toSorted().join(', ');
  return `0/${total} nodes are available: ${why}. preemption: 0/${total} nodes are available: ${total} Preemption is not helpful for scheduling.`;
}
