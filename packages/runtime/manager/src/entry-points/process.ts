/**
 * A manager as a process: its phases and runnables, leader election, sharding, signals, the event loop, the logger and the
 * RBAC rules it needs.
 *
 * - `Runnable` is code that `manager.addRunnable` starts and stops with the manager, in one of the `phases`.
 * - `LeaderElectionOptions`, `ShardingOptions` and `EventLoopOptions` are options of `createManager`.
 * - `DeclaredAccess` is the access that a manager needs by its options, for `checkRoles` of `@keelson/envtest`.
 *
 * @module
 */

export type { StartOptions } from '../manager/manager.ts';
export type { DeclaredAccess, DeclaredSource } from '../manager/declared-access.ts';
export type { LeaderElectionOptions } from '../leader-election/leader-election-options.ts';
export type { ShardBy } from '../sharding/shard-key.ts';
export type { ShardingOptions } from '../sharding/sharding-options.ts';
export type { EventLoopOptions } from '../event-loop/event-loop-options.ts';
export type { StopSignal } from '../manager/process-signals.ts';
export { phases, type Phase } from '../phases/phase.ts';
export type { Runnable, RunnableContext } from '../phases/runnable.ts';
export type { LogFacts, LoggerOptions, LogLevel } from '../logging/logger.ts';
