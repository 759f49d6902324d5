import type { ApiResource, Clock } from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import type { CacheReader, InformerCache } from '@keelson/informer';
import type { ControllerExplanation, Explanation } from '../explain/explanation.ts';
import type { History } from '../history/history.ts';
import type { ControllerTotals } from '../metrics/controller-metrics.ts';
import type { ProcessReading } from '../metrics/manager-metrics.ts';
import type { WatchTotals } from '../metrics/watch-metrics.ts';

/** The parts of a controller that the inspector reads beside its explanations. */
export interface ControllerParts {
  readonly clock: Clock;
  /** `undefined` if the controller keeps none. */
  readonly history: History | undefined;
  /** The kind of `for`, and those of `owns` in the main cluster. */
  readonly primary: ApiResource | undefined;
  readonly owned: readonly ApiResource[];
  /** The number of ready requests by priority. */
  depths(): ReadonlyMap<number, number>;
  /** The running reconciles, longest first, with the readings of the clock at which they began. */
  runTimes(): readonly (readonly [key: string, startedAt: number])[];
  /** True while the request of this key is paused. */
  isPaused(key: string): boolean;
}

/** A controller, as the inspector reads it. */
export interface InspectedController {
  readonly name: string;
  readonly cache: CacheReader;
  readonly isPaused: boolean;
  readonly logLevel: string | undefined;
  readonly parts: ControllerParts;
  explain(): ControllerExplanation;
  readonly explainKey: (key: string) => Explanation;
}

/** The metrics that the inspector reads. */
export interface InspectedMetrics {
  process(): ProcessReading;
  totalsOf(controller: string): ControllerTotals | undefined;
  watchTotals(): readonly (readonly [
    cluster: string | undefined,
    totals: readonly WatchTotals[],
  ])[];
}

/** A cluster of a manager. */
export interface InspectedCluster {
  /** `undefined` for the main cluster. */
  readonly name: string | undefined;
  readonly cache: Pick<InformerCache, 'inventory' | 'plan' | 'acquire'>;
}

/** A manager, as the inspector reads it. The inspector keeps no account of its own. */
export interface InspectedManager {
  readonly metrics: InspectedMetrics;
  /** Reads the events of objects. */
  readonly client: Pick<Client, 'list'>;
  readonly hasActions: boolean;
  controllers(): readonly InspectedController[];
  clusters(): readonly InspectedCluster[];
}
