import { createLogger, loadCluster } from '@keelson/manager';
import { createOperator } from './operator.ts';

/**
 * The program of one replica: `replica.ts KUBECONFIG NAMESPACE NAME`. It prints `standby`, then `leader` when it leads,
 * and the code of the error that ended it. SIGTERM stops it.
 */
const [file = '', namespace = '', name = ''] = process.argv.slice(2);
const cluster = await loadCluster({ file });
// Shorter than the defaults, so that the effects are visible within seconds.
const timings = { leaseDuration: '5s', renewDeadline: '3s', retryPeriod: '500ms' } as const;
const identity = `${name}-${process.pid}`;
const manager = createOperator(identity, {
  cluster,
  logger: createLogger({ level: 'silent' }),
  leaderElection: { lease: 'worker', namespace, identity, ...timings },
});
const ended = manager.start();
console.log('standby');
manager.started.then(
  () => console.log('leader'),
  () => undefined,
);
try {
  await ended;
} catch (error) {
  console.log(error instanceof Error && 'code' in error ? String(error.code) : String(error));
  process.exitCode = 1;
}
