import type { ApiResource, Clock } from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import type { CacheReader, InformerCache } from '@keelson/informer';
import type { WriterRead } from '../explain/explainer.ts';
import type { ControllerExplanation, Explanation } from '../explain/explanation.ts';
import type { History } from '../history/history.ts';
import type { ControllerTotals } from '../metrics/controller-metrics.ts';
import type { ProcessReading } from '../metrics/manager-metrics.ts';
import type { WatchTotals } from '../metrics/watch-metrics.ts';

/** The cluster of a request, as the inspector reads the objects of the request. */
export interface RequestCluster {
  /** `undefined` for the main cluster. */
  readonly name: string | undefined;
  /** The kind of `for`, and those of `owns`, in this cluster. */
  readonly primary: ApiResource | undefined;
  readonly owned: readonly ApiResource[];
  readonly cache: CacheReader;
  readonly client: Pick<Client, 'list'>;
}

/** The parts of a controller that the inspector reads beside its explanations. */
export interface ControllerParts {
  readonly clock: Clock;
  /** `undefined` if the controller keeps none. */
  readonly history: History | undefined;
  /** The cluster of the request of this key; `undefined` for one that was removed. */
  clusterOf(key: string): RequestCluster | undefined;
  /** The number of ready requests by priority. */
  depths(): ReadonlyMap<number, number>;
  /** The running reconciles, longest first, with the readings of the clock at which they began. */
  runTimes(): readonly (readonly [key: string, startedAt: number])[];
  /** True while the request of this key is paused. */
  isPaused(key: string): boolean;
  /** The lists that find the last writers of the objects whose events queued the request of this key. */
  writerReads(key: string): readonly WriterRead[];
}

/** A controller, as the inspector reads it. */
export interface InspectedController {
  readonly name: string;
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
  /** The clock of all times that the pages show. */
  readonly clock: Pick<Clock, 'now'>;
  readonly metrics: InspectedMetrics;
  readonly hasActions: boolean;
  controllers(): readonly InspectedController[];
  clusters(): readonly InspectedCluster[];
}
