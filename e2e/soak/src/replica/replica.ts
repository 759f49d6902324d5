import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createLogger, createManager, type Cluster } from '@keelson/manager';
import { systems } from '../systems/systems.ts';
import type { ReplicaCommand, ReplicaMessage } from './protocol.ts';
import type { Sample } from './sample.ts';

/**
 * The program of one replica: all systems on one manager, with leader election. Its argument is the cluster as JSON.
 * The main process asks for samples and for the stop; SIGTERM stops it too.
 */
const [address = '', identity = ''] = process.argv.slice(2);
const cluster = JSON.parse(address) as Cluster;
const manager = createManager({
  cluster,
  // Faults make every kind of log line; the soak looks at states.
  logger: createLogger({ level: 'silent' }),
  leaderElection: { lease: 'soak', namespace: 'default', identity },
});
for (const system of systems) system.addTo(manager);
const delay = monitorEventLoopDelay({ resolution: 10 });
delay.enable();

process.on('message', (command: ReplicaCommand) => {
  if (command === 'stop') void manager.stop();
  else void take().then((sample) => send({ sample }));
});

// The main process was killed.
process.on('disconnect', () => void manager.stop());

send({ state: 'started' });
manager.started.then(
  () => send({ state: 'leader' }),
  () => undefined,
);
try {
  await manager.start();
} catch (error) {
  send({ error: String(error instanceof Error && 'code' in error ? error.code : error) });
  process.exitCode = 1;
}
// Otherwise the channel to the main process keeps this one alive.
if (process.connected) process.disconnect();

function send(message: ReplicaMessage): void {
  if (process.connected) process.send?.(message);
}

async function take(): Promise<Sample> {
  const lag = delay.percentile(99) / 1e6;
  globalThis.gc?.();
  delay.reset();
  const { heapUsed, rss } = process.memoryUsage();
  const resources = process.getActiveResourcesInfo();
  const inventory = manager.cache.inventory();
  const metrics = await manager.registry.getMetricsAsJSON();
  return {
    isLeader: manager.isLeader,
    heap: heapUsed,
    rss,
    sockets: count(resources, /^(TCPSocket|TLS)Wrap/),
    timers: count(resources, /^Timeout$/),
    series: metrics.reduce((sum, { values }) => sum + values.length, 0),
    handles: inventory.reduce((sum, { handles }) => sum + handles.length, 0),
    queued: metrics
      .filter(({ name }) => name === 'workqueue_depth')
      .flatMap(({ values }) => values)
      .reduce((sum, { value }) => sum + value, 0),
    lag: Number.isFinite(lag) ? lag : 0,
  };
}

function count(resources: readonly string[], kind: RegExp): number {
  return resources.filter((resource) => kind.test(resource)).length;
}
