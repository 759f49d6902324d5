import { builtin, isAlreadyExists } from '@keelson/apimachinery';
import type { Client } from '@keelson/manager';
import { WorkloadsError } from '../errors.ts';
import { timestamp } from '../objects/times.ts';
import type { Node } from '../objects/kinds.ts';

type NodeCondition = NonNullable<NonNullable<Node['status']>['conditions']>[number];

/** Fails and recovers the nodes of the test. */
export interface Nodes {
  /**
   * Ends the kubelet of a node, as a power failure does: its Pods stay as they are until, 50 s later, the node becomes
   * `Unknown` and its Pods not ready. They are deleted 5 minutes after that, or when their tolerations end, and remain
   * `Terminating` until the node recovers or is deleted. Throws `NODE_UNKNOWN`.
   */
  fail(name: string): void;
  /** Starts the kubelet of a node again. Throws `NODE_UNKNOWN`. */
  recover(name: string): void;
}

/** Which nodes have failed, and since when. */
export class SimulatedNodes implements Nodes {
  readonly #known = new Set<string>();
  /** The nodes that are being created. */
  readonly #pending = new Set<string>();
  readonly #failed = new Map<string, number>();
  readonly #now: () => number;
  readonly #readyListeners: (() => void)[] = [];
  readonly #listeners: ((name: string) => void)[] = [];

  constructor(now: () => number) {
    this.#now = now;
  }

  fail(name: string): void {
    this.#check(name);
    if (!this.#failed.has(name)) this.#failed.set(name, this.#now());
    this.#notify(name);
  }

  recover(name: string): void {
    this.#check(name);
    this.#failed.delete(name);
    this.#notify(name);
  }

  /** Calls a function when a node has failed or recovered. */
  onChange(listener: (name: string) => void): void {
    this.#listeners.push(listener);
  }

  #notify(name: string): void {
    for (const listener of this.#listeners) listener(name);
  }

  /** The time since which a node has failed; `undefined` for one that works. */
  failedSince(name: string): number | undefined {
    return this.#failed.get(name);
  }

  /** Records that a node will be created. */
  expect(name: string): void {
    this.#known.add(name);
    this.#pending.add(name);
  }

  /** Records that a node takes Pods. */
  settle(name: string): void {
    this.#known.add(name);
    if (!this.#pending.delete(name) || !this.areReady) return;
    for (const listener of this.#readyListeners.splice(0)) listener();
  }

  /** Records that a node is deleted. One that is still to be created stays known. */
  forget(name: string): void {
    if (this.#pending.has(name)) return;
    this.#known.delete(name);
    this.#failed.delete(name);
  }

  /** Calls a function once, when all nodes of the test take Pods. */
  onReady(listener: () => void): void {
    this.#readyListeners.push(listener);
  }

  /** True when all nodes of the test take Pods, so that the first Pods are distributed over all of them. */
  get areReady(): boolean {
    return this.#pending.size === 0;
  }

  #check(name: string): void {
    if (!this.#known.has(name))
      throw new WorkloadsError('NODE_UNKNOWN', { node: name, known: [...this.#known] });
  }
}

/** The condition of a node that works. */
export function nodeConditions(now: number): NodeCondition[] {
  const time = timestamp(now);
  const fine = (type: string, reason: string, message: string): NodeCondition => ({
    type,
    status: type === 'Ready' ? 'True' : 'False',
    reason,
    message,
    lastHeartbeatTime: time,
    lastTransitionTime: time,
  });
  return [
    fine('MemoryPressure', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'),
    fine('DiskPressure', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'),
    fine('PIDPressure', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'),
    fine('Ready', 'KubeletReady', 'kubelet is posting ready status'),
  ];
}

/** Creates a node with its status. Leaves one that exists as it is. */
export async function createNode(
  {
    name,
    labels = {},
  }: { readonly name: string; readonly labels?: Readonly<Record<string, string>> },
  { client, now }: { readonly client: Client; readonly now: number },
): Promise<void> {
  const resources = { cpu: '8', memory: '32Gi', pods: '110', 'ephemeral-storage': '100Gi' };
  const own = {
    'kubernetes.io/hostname': name,
    'kubernetes.io/os': 'linux',
    'kubernetes.io/arch': 'amd64',
  };
  try {
    await client.create(builtin.Node, { metadata: { name, labels: { ...own, ...labels } } });
    const status = { capacity: resources, allocatable: resources, conditions: nodeConditions(now) };
    await client.status(builtin.Node).patch({ name }, { type: 'merge', body: { status } });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}
