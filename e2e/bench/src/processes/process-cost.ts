import { readFileSync } from 'node:fs';

/** Returns the processor time that this process has used, in seconds. */
export function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** The peak memory of this process. The value of getrusage includes that of the parent. */
export function peakMegabytes(): number {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS / 1024;
  const status = readFileSync('/proc/self/status', 'utf8');
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

/** Returns the live bytes in and outside the heap after a garbage collection. Needs `--expose-gc`. */
export async function retainedBytes(): Promise<number> {
  const collect = globalThis.gc;
  if (collect === undefined) throw new Error('start the process with --expose-gc');
  for (let round = 0; round < 3; round++) {
    collect();
    // The memory of buffers is released some time after the collection.
    await new Promise((resolve) => {
      setTimeout(resolve, 20);
    });
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Returns the quantile: the value below which the fraction `share` of the samples is. */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  if (value === undefined) throw new Error('no samples');
  return value;
}
