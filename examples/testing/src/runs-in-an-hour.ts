// #region hour
import { createTestEnvironment } from '@keelson/envtest';
import { builtin, createLogger, createManager } from '@keelson/manager';

/** Returns the minutes in which a request that asks for a run every 5 minutes runs in the first hour. */
export async function runsInAnHour(): Promise<number[]> {
  await using environment = await createTestEnvironment({ time: 'virtual' });
  const { clock } = environment;
  const start = clock.now();
  const minutes: number[] = [];
  const manager = createManager({
    cluster: environment.admin.cluster, // has the clock of the environment
    logger: createLogger({ level: 'warn' }),
    stopSignals: [],
  });
  manager.addController({
    name: 'every-five-minutes',
    for: builtin.ConfigMap,
    reconcile: () => {
      minutes.push((clock.now() - start) / 60_000);
      return { requeueAfter: '5m' };
    },
  });
  const stopped = manager.start();
  await manager.client.create(builtin.ConfigMap, {
    metadata: { namespace: 'default', name: 'a' },
  });
  await environment.settled(); // the first run has ended
  await environment.advance('1h');
  await manager.stop();
  await stopped;
  return minutes;
}
// #endregion
