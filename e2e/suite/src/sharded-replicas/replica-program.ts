import { createInterface } from 'node:readline';
import { builtin, createLogger, createManager } from '@keelson/manager';
import type { ReplicaOptions, ReplicaReport } from './replica.ts';

/**
 * The program of one replica: `replica-program.ts OPTIONS`, as JSON. It prints the keys of its requests, and its report
 * for each line that it reads. SIGTERM stops it.
 */
const { cluster, mode } = JSON.parse(process.argv[2] ?? '') as ReplicaOptions;
const sharding = { name: 'proof', by: 'namespace', namespace: 'default', mode } as const;
const manager = createManager({
  cluster,
  logger: createLogger({ level: 'silent' }),
  sharding: mode === 'server' ? { ...sharding, mode } : { ...sharding, mode },
});
manager.addController({
  name: 'proof',
  for: { resource: builtin.ConfigMap, labelSelector: 'proof=yes' },
  concurrency: 100,
  reconcile: ({ namespace, name }) => {
    console.log(`run ${namespace}/${name}`);
  },
});

async function valueOf(name: string): Promise<number> {
  const { values } = (await manager.registry.getSingleMetric(name)?.get()) ?? { values: [] };
  return values[0]?.value ?? 0;
}

async function report(): Promise<ReplicaReport> {
  const [watch] = manager.cache.inventory();
  return {
    owned: await valueOf('keelson_shard_slots_owned'),
    wanted: await valueOf('keelson_shard_slots_wanted'),
    selectedByServer: (await valueOf('keelson_shard_selected_by_server')) === 1,
    objects: watch?.objects ?? 0,
    version: watch?.resourceVersion ?? '',
    bytes: watch?.bytes ?? 0,
    rss: process.memoryUsage().rss,
  };
}

const commands = createInterface({ input: process.stdin });
commands.on('line', () => {
  report().then(
    (made) => console.log(`report ${JSON.stringify(made)}`),
    (error: unknown) => console.error(error),
  );
});
try {
  await manager.start();
} finally {
  commands.close();
}
