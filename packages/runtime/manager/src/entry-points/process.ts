/**
 * A manager as a process: its phases and runnables, leader election, signals, the event loop, the logger and the RBAC
 * rules it needs.
 *
 * @module
 */

export type { DeclaredAccess, DeclaredSource } from '../manager/declared-access.ts';
export type { LeaderElectionOptions } from '../leader-election/leader-election-options.ts';
export type { ShardBy } from '../sharding/shard-key.ts';
export type { ShardingOptions } from '../sharding/sharding-options.ts';
export type { EventLoopOptions } from '../event-loop/event-loop-options.ts';
export type { StopSignal } from '../manager/process-signals.ts';
export type { RunnableContext } from '../phases/runnable.ts';
export type { LogFacts, LoggerOptions, LogLevel } from '../logging/logger.ts';
