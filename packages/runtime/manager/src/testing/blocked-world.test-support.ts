import type { Manager } from '../manager/manager.ts';
import type { ManagerOptions } from '../manager/manager-options.ts';
import type { FakeCache } from './fake-cache.test-support.ts';
import { recordingLogger, type ManagerPool } from './fixtures.test-support.ts';
import { LoopClock } from './loop-clock.test-support.ts';

const METRIC = 'keelson_event_loop_blocked_seconds';

/** A manager on a clock that its user code can block. */
export interface BlockedWorld {
  readonly clock: LoopClock;
  readonly manager: Manager;
  readonly cache: FakeCache;
  /** The warnings, without their time. */
  readonly warnings: () => object[];
}

export function blockedWorld(
  pool: ManagerPool,
  eventLoop: NonNullable<ManagerOptions['eventLoop']> = {},
): BlockedWorld {
  const clock = new LoopClock();
  const { logger, lines } = recordingLogger();
  const { manager, cache } = pool.make({ logger, eventLoop });
  const warnings = (): object[] =>
    lines
      .filter(({ level }) => level === 'warn')
      .map((line) => Object.fromEntries(Object.entries(line).filter(([key]) => key !== 'time')));
  return { clock, manager, cache, warnings };
}

interface Sample {
  readonly metricName: string;
  readonly labels: object;
  readonly value: number;
}

/** The number and the seconds of the reports with these labels; empty without a series. */
export async function reportsOf(manager: Manager, labels: object): Promise<number[]> {
  const metric = await manager.registry.getSingleMetric(METRIC)?.get();
  const values = (metric?.values ?? []) as readonly object[] as readonly Sample[];
  const ofSeries = values.filter((each) => JSON.stringify(each.labels) === JSON.stringify(labels));
  return ['count', 'sum'].flatMap((suffix) =>
    ofSeries.filter((each) => each.metricName === `${METRIC}_${suffix}`).map(({ value }) => value),
  );
}
