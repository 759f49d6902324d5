/**
 * The controllers of workloads, a scheduler and kubelets without containers, in the process of a test: Deployments make Pods
 * that become ready, crash or disappear as the test asks.
 *
 * - A Deployment becomes available as in a cluster, through ReplicaSets and Pods.
 * - The Pods that a rule selects behave as it says, those that exist and those to come.
 * - All delays pass by the clock of the manager, so that a test with virtual time drives them.
 * - A failed node loses its Pods after the times that a cluster takes.
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
} from './workloads.ts';

// What the Pods and nodes of a test do
export type { PodBehaviour } from './kubelet/pod-behaviour.ts';
export type { PodRules, PodSelector } from './kubelet/pod-rules.ts';
export type { Nodes } from './nodes/simulated-nodes.ts';

// Errors
export { WorkloadsError, workloadsErrors, type WorkloadsErrorCode } from './errors.ts';
