import {
  checkCount,
  checkOptions,
  invalidOption,
  isDnsSubdomain,
  parseDuration,
  systemClock,
  type Duration,
} from '@keelson/apimachinery';
import type { Manager } from '@keelson/manager';
import { addClaimController } from '../claims/claim-controller.ts';
import type { Control } from '../control/control.ts';
import { EventLog } from '../control/event-log.ts';
import { addCronJobController } from '../cron-job/cron-job-controller.ts';
import { addDaemonSetController } from '../daemon-set/daemon-set-controller.ts';
import { addDeploymentController } from '../deployment/deployment-controller.ts';
import { addEndpointSliceController } from '../endpoint-slices/endpoint-slice-controller.ts';
import { addJobController } from '../job/job-controller.ts';
import { addKubelet } from '../kubelet/kubelet.ts';
import type { PodRules } from '../kubelet/pod-rules.ts';
import { addNodeController } from '../nodes/node-controller.ts';
import { createNode, SimulatedNodes, type Nodes } from '../nodes/simulated-nodes.ts';
import { addReplicaSetController } from '../replica-set/replica-set-controller.ts';
import { addScheduler } from '../scheduler/scheduler.ts';
import { addStatefulSetController } from '../stateful-set/stateful-set-controller.ts';

/** A node to create. */
export interface NewNode {
  readonly name: string;
  /** Labels beside the host name, the operating system and the architecture. Default none. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** A controller of workloads, such as `deployment`. */
export type WorkloadController =
  | 'deployment'
  | 'replicaset'
  | 'statefulset'
  | 'daemonset'
  | 'job'
  | 'cronjob'
  | 'claim'
  | 'endpointslice'
  | 'scheduler';

const adders: Readonly<
  Record<WorkloadController, (control: Control, nodes: SimulatedNodes) => void>
> = {
  deployment: addDeploymentController,
  replicaset: addReplicaSetController,
  statefulset: addStatefulSetController,
  daemonset: addDaemonSetController,
  job: addJobController,
  cronjob: addCronJobController,
  claim: addClaimController,
  endpointslice: addEndpointSliceController,
  scheduler: addScheduler,
};

/** The controllers of workloads. The nodes and their kubelets always run. */
export const workloadControllers: readonly WorkloadController[] = Object.keys(
  adders,
) as WorkloadController[];

/** The nodes of the simulated cluster, and the times that its Pods take. */
export interface WorkloadsOptions {
  /** The nodes to create: their number (`node-1`, `node-2`, …), or each with its name and labels. Default 1. */
  readonly nodes?: number | readonly NewNode[];
  /** The time from the assignment of a Pod to a node to the start of its containers. Default 0. */
  readonly startupDelay?: Duration;
  /** The time that the containers of a Job run without a rule. Default `1s`. */
  readonly runtime?: Duration;
  /** The controllers that run. Default: all of them. */
  readonly controllers?: readonly WorkloadController[];
}

/** The simulated part of a cluster: its Pods and nodes. */
export interface Workloads {
  readonly pods: PodRules;
  readonly nodes: Nodes;
}

/** Checked options. Times are in milliseconds. */
interface Settings {
  readonly nodes: readonly NewNode[];
  readonly startupDelay: number;
  readonly runtime: number;
  readonly controllers: readonly WorkloadController[];
}

/**
 * Adds the controllers of workloads, a scheduler and simulated kubelets to a manager, and creates the nodes when it starts.
 * Call it before `manager.start`. Throws `INVALID_OPTION`.
 *
 * @example
 * ```ts
 * import { createApiServer } from '@keelson/apiserver';
 * import { createManager } from '@keelson/manager';
 * import { addWorkloads } from '@keelson/workloads';
 *
 * await using server = await createApiServer();
 * const manager = createManager({ cluster: server.cluster });
 * const { pods } = addWorkloads(manager);
 * pods.when('app=web', { crash: 'after 3s', exitCode: 1 });
 * void manager.start();
 * ```
 */
export function addWorkloads(manager: Manager, options: WorkloadsOptions = {}): Workloads {
  const { nodes: wanted, startupDelay, runtime, controllers } = settingsOf(options);
  const { client } = manager;
  const clock = client.clock ?? systemClock;
  const events = new EventLog(client, clock);
  const control: Control = { manager, clock, events };
  const nodes = new SimulatedNodes(() => clock.now());
  for (const { name } of wanted) nodes.expect(name);
  manager.addRunnable({
    name: 'nodes',
    phase: 'always',
    run: async ({ client: writer, clock: time }) => {
      for (const node of wanted) await createNode(node, { client: writer, now: time.now() });
    },
  });
  for (const name of controllers) adders[name](control, nodes);
  addNodeController(control, nodes);
  return { nodes, pods: addKubelet(control, { nodes, startupDelay, runtime }) };
}

const where = 'addWorkloads';

/** Checks the options and adds the defaults. Throws `INVALID_OPTION` with the name of the option. */
export function settingsOf(options: WorkloadsOptions): Settings {
  checkOptions(options, ['nodes', 'startupDelay', 'runtime', 'controllers'], where);
  const {
    nodes = 1,
    startupDelay = 0,
    runtime = '1s',
    controllers = workloadControllers,
  } = options;
  const isList = Array.isArray(controllers);
  if (!isList || !controllers.every((name) => workloadControllers.includes(name))) {
    throw invalidOption(
      `${where}.controllers`,
      `must be names out of ${workloadControllers.join(', ')}`,
    );
  }
  return {
    nodes: nodesOf(nodes),
    startupDelay: parseDuration(startupDelay, `${where}.startupDelay`),
    runtime: parseDuration(runtime, `${where}.runtime`),
    controllers,
  };
}

function nodesOf(nodes: number | readonly NewNode[]): readonly NewNode[] {
  if (typeof nodes === 'number') {
    if (nodes !== 0) checkCount(nodes, `${where}.nodes`);
    return Array.from({ length: nodes }, (_, at) => ({ name: `node-${at + 1}` }));
  }
  if (!Array.isArray(nodes)) throw invalidOption(`${where}.nodes`, 'must be a number or a list');
  for (const [at, node] of nodes.entries()) {
    checkOptions(node, ['name', 'labels'], `${where}.nodes[${at}]`);
    if (!isDnsSubdomain(node.name))
      throw invalidOption(`${where}.nodes[${at}].name`, 'must be a name');
  }
  return nodes;
}
