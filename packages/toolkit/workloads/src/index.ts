/**
 * The controllers of workloads, a scheduler and kubelets without containers, in the process of a test: Deployments make Pods
 * that become ready, crash or disappear as the test asks.
 *
 * - A Deployment becomes available as in a cluster, through ReplicaSets and Pods.
 * - The Pods that a rule selects behave as it says, those that exist and those to come.
 * - Events have the reasons and messages of a cluster.
 * - An invalid option is refused by its name.
 *
 * @module
 */

// The controllers
export {
  addWorkloads,
  workloadControllers,
  type NewNode,
  type WorkloadController,
  type Workloads,
  type WorkloadsOptions,
} from './cluster/workloads.ts';

// The behaviour of Pods and nodes
export type { PodBehaviour } from './kubelet/pod-behaviour.ts';
export type { PodRules, PodSelector } from './kubelet/pod-rules.ts';
export type { Nodes } from './nodes/simulated-nodes.ts';

// Errors
export { WorkloadsError, workloadsErrors, type WorkloadsErrorCode } from './errors.ts';
