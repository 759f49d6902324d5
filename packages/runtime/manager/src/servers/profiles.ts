import { pause } from '@keelson/apimachinery';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { delaySeconds } from '../metrics/process/event-loop-delay.ts';
import type { PlainResponse } from './http-server.ts';

/** Seconds of a measurement without `?seconds=`, and at most. */
const DEFAULT_SECONDS = 10;
const MAX_SECONDS = 60;

const BUSY: PlainResponse = { status: 409, body: 'another profile or snapshot is being made\n' };
const BAD_SECONDS: PlainResponse = {
  status: 400,
  body: `seconds must be a whole number from 1 to ${MAX_SECONDS}\n`,
};

/**
 * Makes profiles of this process for the developer tools of Chrome. At most one CPU profile or heap snapshot is made at
 * a time, because each slows the process down. Node's inspector and V8's heap are loaded when they are needed.
 */
export class Profiles {
  readonly #stop = new AbortController();
  readonly #measurements = new Map<string, (seconds: number) => Promise<PlainResponse>>([
    ['/debug/cpu-profile', (seconds) => this.#cpuProfile(seconds)],
    ['/debug/event-loop-delay', (seconds) => this.#eventLoopDelay(seconds)],
  ]);
  #isBusy = false;

  /** The response to a path below `/debug`; `undefined` for every other path. */
  respond({ pathname, searchParams }: URL): Promise<PlainResponse> | PlainResponse | undefined {
    if (pathname === '/debug/heap-snapshot') return this.#isBusy ? BUSY : this.#heapSnapshot();
    const measure = this.#measurements.get(pathname);
    if (measure === undefined) return undefined;
    const given = searchParams.get('seconds');
    const seconds = given === null ? DEFAULT_SECONDS : Number(given);
    const isValid = Number.isInteger(seconds) && seconds >= 1 && seconds <= MAX_SECONDS;
    if (!isValid) return BAD_SECONDS;
    return this.#isBusy ? BUSY : this.#alone(() => measure(seconds));
  }

  /** Ends the measurement that runs; its client receives what there is. */
  stop(): void {
    this.#stop.abort();
  }

  async #alone(measure: () => Promise<PlainResponse>): Promise<PlainResponse> {
    this.#isBusy = true;
    try {
      return await measure();
    } finally {
      this.#isBusy = false;
    }
  }

  async #cpuProfile(seconds: number): Promise<PlainResponse> {
    const { Session } = await import('node:inspector/promises');
    const session = new Session();
    session.connect();
    try {
      await session.post('Profiler.enable');
      await session.post('Profiler.start');
      await this.#wait(seconds);
      const { profile } = await session.post('Profiler.stop');
      return download('cpu.cpuprofile', JSON.stringify(profile));
    } finally {
      session.disconnect();
    }
  }

  async #eventLoopDelay(seconds: number): Promise<PlainResponse> {
    const histogram = monitorEventLoopDelay({ resolution: 10 });
    histogram.enable();
    await this.#wait(seconds);
    histogram.disable();
    const at = (percentile: number): number => delaySeconds(histogram.percentile(percentile));
    const [p50, p90, p99, max] = [at(50), at(90), at(99), at(100)];
    const body = { unit: 'seconds', samples: histogram.count, p50, p90, p99, max };
    return { status: 200, type: 'application/json', body: `${JSON.stringify(body)}\n` };
  }

  async #wait(seconds: number): Promise<void> {
    const { signal } = this.#stop;
    await pause(seconds * 1000, [signal]).catch(() => undefined);
  }

  async #heapSnapshot(): Promise<PlainResponse> {
    this.#isBusy = true;
    const { getHeapSnapshot } = await import('node:v8');
    const snapshot = getHeapSnapshot();
    snapshot.once('close', () => (this.#isBusy = false));
    return download('heap.heapsnapshot', snapshot);
  }
}

/**
 * Returns a file that a browser saves under this name. The developer tools recognize a profile by the end of the name.
 */
function download(name: string, body: PlainResponse['body']): PlainResponse {
  const headers = { 'content-disposition': `attachment; filename="${name}"` };
  return { status: 200, type: 'application/json', headers, body };
}
