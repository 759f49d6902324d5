import { pause, systemClock, type Clock } from '@keelson/apimachinery';
import type { Frame } from '@keelson/wire';
import { asError, informerError } from '../errors.ts';
import type { ListerWatcher } from '../contract/lister-watcher.ts';

/**
 * Milliseconds before each attempt. If the last response does not parse either, the repair ends until the next read or
 * event of the object. A request without a response is repeated until there is one, because no read starts a repair of
 * an object that is not in the store.
 */
const DELAYS_MS = [0, 1_000, 5_000, 25_000];

/** Milliseconds after which a request counts as failed. */
const REQUEST_TIMEOUT_MS = 30_000;

/** A version of an object whose bytes do not parse. */
export interface Unreadable {
  readonly namespace?: string | undefined;
  readonly name: string;
  readonly resourceVersion: string;
}

export interface ObjectRepairOptions {
  /** Starts the timers. Default: the clock of the system. */
  readonly clock?: Clock | undefined;
  readonly listerWatcher: () => ListerWatcher;
  /** Stores the fetched object; returns false if it does not parse either. */
  readonly onFetched: (frame: Frame, wanted: Unreadable) => boolean;
  readonly onError: (error: Error) => void;
}

/** The result of one attempt. `failed`: there was no response. */
type FetchResult = 'readable' | 'unreadable' | 'failed';

export interface Repair {
  readonly wanted: Unreadable;
  readonly abort: AbortController;
}

/** Fetches objects whose bytes do not parse, one request for each object. */
export class ObjectRepair {
  /** The objects that are being fetched, by their keys. Their number is read for every event. */
  readonly running: Map<string, Repair> = new Map();
  readonly #options: ObjectRepairOptions;

  constructor(options: ObjectRepairOptions) {
    this.#options = options;
  }

  /** Fetches an object. Returns false if that version is already being fetched. */
  fetch(wanted: Unreadable): boolean {
    const key = keyOf(wanted);
    const running = this.running.get(key);
    if (running?.wanted.resourceVersion === wanted.resourceVersion) return false;
    running?.abort.abort();
    const repair = { wanted, abort: new AbortController() };
    this.running.set(key, repair);
    void this.#run(key, repair);
    return true;
  }

  /** Stops the fetch of an object, because the watch has sent a later version. */
  cancel(name: Pick<Unreadable, 'namespace' | 'name'>): void {
    const key = keyOf(name);
    this.running.get(key)?.abort.abort();
    this.running.delete(key);
  }

  stop(): void {
    for (const { abort } of this.running.values()) abort.abort();
    this.running.clear();
  }

  async #run(key: string, { wanted, abort: { signal } }: Repair): Promise<void> {
    const last = DELAYS_MS.length - 1;
    for (let attempt = 0; attempt <= last; attempt++) {
      await pause(DELAYS_MS[attempt] ?? 0, [signal], this.#options.clock).catch(() => undefined);
      if (signal.aborted) return;
      const result = await this.#fetch(wanted, signal);
      if (result === 'readable') break;
      if (result === 'failed' && attempt === last) attempt--;
    }
    if (!signal.aborted) this.running.delete(key);
  }

  async #fetch(wanted: Unreadable, signal: AbortSignal): Promise<FetchResult> {
    const { listerWatcher, onFetched, onError, clock = systemClock } = this.#options;
    const { namespace, name: own } = wanted;
    const name = namespace === undefined ? { name: own } : { namespace, name: own };
    const attempt = new AbortController();
    const giveUp = (): void => attempt.abort(informerError('WATCH_IDLE'));
    const stopTimer = clock.startTimer(REQUEST_TIMEOUT_MS, giveUp);
    signal.addEventListener('abort', giveUp);
    const request = { resourceVersion: '', name, signal: attempt.signal };
    try {
      let isWhole = true;
      for await (const { frames } of listerWatcher().list(request)) {
        if (attempt.signal.aborted) return 'failed';
        for (const frame of frames) isWhole = onFetched(frame, wanted) && isWhole;
      }
      return isWhole ? 'readable' : 'unreadable';
    } catch (error) {
      if (!signal.aborted) onError(asError(error));
      return 'failed';
    } finally {
      stopTimer();
      signal.removeEventListener('abort', giveUp);
    }
  }
}

function keyOf({ namespace = '', name }: Pick<Unreadable, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`;
}
