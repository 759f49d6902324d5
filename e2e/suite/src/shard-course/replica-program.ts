import { flushCompileCache } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { builtin, byType, createLogger, createManager, loadCluster } from '@keelson/manager';
import type { ReplicaOptions } from './replica-process.ts';
import { runLabel, type RunStep } from './run-record.ts';
import { sharedClock } from './shared-clock.ts';

/** Milliseconds between the begin and the end of a run. */
const RUN_MS = 80;
/** Milliseconds between two runs of a key. */
const PAUSE_MS = 2_000;

/**
 * The program of one replica: `replica-program.ts OPTIONS`, as JSON. Each run writes its begin and its end into its
 * object. The program prints `joined`, `leaving TIME` at SIGTERM, `failed RUN`, and `ended CODE`
 * with the code of the error that ended it.
 */
const { kubeconfig, namespace, name, timings } = JSON.parse(
  process.argv[2] ?? '',
) as ReplicaOptions;
const manager = createManager({
  cluster: await loadCluster({ file: kubeconfig }),
  logger: createLogger({ level: 'silent' }),
  sharding: { name: 'course', by: 'name', namespace, ...timings },
});
let runs = 0;
manager.addController({
  name: 'worker',
  for: {
    resource: builtin.ConfigMap,
    namespace,
    labelSelector: runLabel,
    // The runs write into their objects.
    predicates: [byType({ updated: () => false })],
  },
  concurrency: 50,
  async reconcile(request, { client }) {
    runs += 1;
    const run = `${name}#${runs}`;
    const write = async (step: RunStep['step']): Promise<void> => {
      const data = { replica: name, run, step, at: String(sharedClock()) };
      await client.patch(builtin.ConfigMap, request, { type: 'merge', body: { data } });
    };
    try {
      await write('begin');
      await sleep(RUN_MS);
      await write('end');
    } catch (error) {
      console.log(`failed ${run}`);
      throw error;
    }
    return { requeueAfter: PAUSE_MS };
  },
});

process.once('SIGTERM', () => console.log(`leaving ${sharedClock()}`));
// The process of the test has ended.
process.stdin.once('end', () => process.exit(1)).resume();
/** Reports the join. */
async function reportJoin(): Promise<void> {
  await manager.started;
  console.log('joined');
  // Node writes it at the end of the process only, and the next replicas start before.
  flushCompileCache();
}

const ended = manager.start();
// `ended` rejects with the same error.
reportJoin().catch(() => undefined);
try {
  await ended;
} catch (error) {
  const code = error instanceof Error && 'code' in error ? error.code : error;
  console.log(`ended ${String(code)}`);
  process.exitCode = 1;
} finally {
  process.stdin.destroy();
}
