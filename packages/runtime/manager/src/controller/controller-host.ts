import type { SharedSlice } from '@keelson/apimachinery';
import type { CallScope } from '../user-code/call-scope.ts';
import type { History } from '../history/history.ts';
import type { ControllerObserver } from '../run/controller-observer.ts';
import type { ControllerDefaults, ControllerSettings, WorkPhase } from './controller-options.ts';
import type { ShardGate } from '../run/shard-gate.ts';
import type { RunDependencies } from '../run/reconcile-run.ts';
import type { ControllerClient } from '../sources/own-versions.ts';
import type { Fleet } from '../source-set/source-factory.ts';
import type { WatchDefaults } from '../sources/watch-defaults.ts';

/** The dependencies that a controller gets from its manager. */
export interface ControllerHost extends RunDependencies, ControllerClient {
  readonly observer: ControllerObserver;
  readonly settings: ControllerSettings;
  /**
   * Resolves the settings of changed options: each from the controller, else from the manager. Throws `INVALID_OPTION`.
   */
  settingsOf(options: ControllerDefaults, where: string): ControllerSettings;
  readonly watchDefaults: WatchDefaults;
  /** The further clusters, which sources with `clusters` select. */
  readonly fleet: Fleet;
  /** The phase in which the workers run. */
  readonly phase: WorkPhase;
  /** Decides which requests run in this replica; `undefined` unless the controller is sharded. */
  readonly shards: ShardGate | undefined;
  readonly slice: SharedSlice;
  readonly callScope: CallScope;
  /** Milliseconds that `stop` may take. */
  readonly gracePeriod: number;
  /** Keeps the latest events and runs for `explain`; `undefined` with `historyBytes: 0`. */
  readonly history: History | undefined;
  /** Whether this process is the leader; `undefined` without leader election. */
  readonly isLeader: () => boolean | undefined;
  /** Unique for every controller of a manager, including controllers that reuse a name. */
  readonly epoch: number;
  /** Called when the controller has ended and its name is free. Reconciles may still run. */
  removed(): void;
  /** The ends of the runs that outlive earlier controllers of the name, by the keys of their requests. */
  readonly earlierRuns: ReadonlyMap<string, Promise<void>>;
}
