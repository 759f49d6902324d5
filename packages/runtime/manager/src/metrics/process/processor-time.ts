import type { Registry } from 'prom-client';
import type { MetricClasses } from './metric-classes.ts';

type Usage = Readonly<ReturnType<typeof process.cpuUsage>>;

/** The counters of the processor time, by the varying part of their names: `process_cpu_user_seconds_total`. */
const counters: Readonly<Record<string, [help: string, read: (usage: Usage) => number]>> = {
  user_seconds: ['Total user CPU time spent in seconds.', ({ user }) => user],
  system_seconds: ['Total system CPU time spent in seconds.', ({ system }) => system],
  seconds: [
    'Total user and system CPU time spent in seconds.',
    ({ user, system }) => user + system,
  ],
};

/**
 * Adds the counters of the processor time of prom-client. Its own module loads OpenTelemetry, for exemplars that these
 * counters do not have.
 */
export function addProcessorTime(registry: Registry, { Counter }: MetricClasses): void {
  for (const [name, [help, read]] of Object.entries(counters)) {
    let counted = read(process.cpuUsage());
    const collect = (): void => {
      const used = read(process.cpuUsage());
      counter.inc((used - counted) / 1e6);
      counted = used;
    };
    const options = { name: `process_cpu_${name}_total`, help, registers: [registry], collect };
    const counter = new Counter(options);
  }
}
