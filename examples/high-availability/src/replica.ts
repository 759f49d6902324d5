import { createLogger, loadCluster } from '@keelson/manager';
import { createOperator } from './operator.ts';

/**
 * The program of one replica: `replica.ts KUBECONFIG NAMESPACE NAME LEASE_SECONDS`. It prints `standby`, then `leader`
 * when it leads, and the code of the error that ended it. SIGTERM stops it.
 */
const [file = '', namespace = '', name = '', leaseSeconds] = process.argv.slice(2);
const cluster = await loadCluster({ file });
const leaseDuration = Number(leaseSeconds);
const timings = {
  leaseDuration: `${leaseDuration}s`,
  renewDeadline: `${leaseDuration * 0.6}s`,
  retryPeriod: `${leaseDuration * 0.1}s`,
} as const;
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
