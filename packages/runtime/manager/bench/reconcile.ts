import { createClient } from '@keelson/client';
import { createInformerCache } from '@keelson/informer';
import { createLogger, createManager } from '@keelson/manager';

/**
 * Measures the cost of the controller loop per empty reconcile: queue, pool, context, metrics.
 * Run: node --conditions=@keelson/source packages/runtime/manager/bench/reconcile.ts
 */
const count = 100_000;
const rounds = 5;

async function measure(concurrency: number, hasHistory: boolean): Promise<number> {
  const manager = createManager({
    client: createClient({ cluster: { server: 'http://127.0.0.1:1' } }),
    cache: createInformerCache({
      listerWatcher: () => {
        throw new Error('nothing is watched');
      },
    }),
    logger: createLogger({ level: 'silent' }),
    stopSignals: [],
    gracePeriod: 0,
  });
  const { promise: done, resolve } = Promise.withResolvers<void>();
  let runs = 0;
  const controller = manager.addController({
    name: 'empty',
    concurrency,
    ...(!hasHistory && { historyBytes: 0 }),
    async reconcile() {
      runs += 1;
      if (runs === count) resolve();
    },
  });
  for (let at = 0; at < count; at += 1) controller.enqueue({ namespace: 'n', name: `o${at}` });
  const end = manager.start();
  await manager.started;
  const before = process.cpuUsage();
  await done;
  // CPU time, because other processes may use the machine.
  const { user, system } = process.cpuUsage(before);
  if (runs !== count) throw new Error(`${runs} runs instead of ${count}`);
  await manager.stop();
  await end;
  return (user + system) / count;
}

for (const concurrency of [1, 8]) {
  const samples = { '': [] as number[], '.withoutHistory': [] as number[] };
  // The cases run one after the other, so that they do not affect each other.
  for (let round = 0; round < rounds; round += 1) {
    samples[''].push(await measure(concurrency, true));
    samples['.withoutHistory'].push(await measure(concurrency, false));
  }
  for (const [suffix, values] of Object.entries(samples)) {
    values.sort((a, b) => a - b);
    const keelson = { median: values[Math.floor(rounds / 2)], min: values[0], max: values.at(-1) };
    const name = `reconcile.overhead.${concurrency}${suffix}`;
    console.log(JSON.stringify({ case: name, unit: 'µs CPU', keelson }));
  }
}
