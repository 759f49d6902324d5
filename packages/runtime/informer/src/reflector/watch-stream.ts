import { hasCode, statusOf, StatusError, type Status, TimeSlice } from '@keelson/apimachinery';
import type { Frame, FrameBatch } from '@keelson/wire';
import { objectOf, readBookmark } from './bookmark.ts';
import { asError, informerError } from '../errors.ts';
import type { IdleWatchdog } from './timing/idle-watchdog.ts';
import type { ListerWatcher, WatchRequest } from '../contract/lister-watcher.ts';
import type { ReflectorSink, Replacement } from './reflector-sink.ts';
import { isOlder } from './resource-version.ts';

/**
 * Describes the end of a stream.
 * - `ended`: the server ended it normally.
 * - `broken`: the connection broke, or could not be established.
 * - `status`: the server sent an error, as an HTTP response or as an ERROR event.
 * - `idle`: the watchdog aborted it because no data arrived.
 */
export interface StreamEnd {
  readonly how: 'ended' | 'broken' | 'status' | 'idle';
  readonly error: Error;
  /** True if the response had started. */
  readonly opened: boolean;
  /** Milliseconds since the start of the response. */
  readonly lived: number;
  readonly frames: number;
  /** True if the requested initial state arrived completely. */
  readonly complete: boolean;
  /** True if the server kept the stream open until the requested timeout. */
  readonly reachedTimeout: boolean;
}

/** The source, the target and the callbacks of a stream. */
export interface WatchStreamOptions {
  readonly listerWatcher: ListerWatcher;
  readonly sink: ReflectorSink;
  readonly watchdog: IdleWatchdog;
  readonly now: () => number;
  /** Aborted when the reflector stops. */
  readonly abort: AbortController;
  /** Called when the response with the initial state starts. */
  readonly onSyncing: () => void;
  /** Called when the initial state is complete, with its version. */
  readonly onSynced: (resourceVersion: string) => void;
  /** Called when the stream receives changes, after the initial state if one was requested. */
  readonly onLive: () => void;
}

/** Milliseconds within which the response must start. A server responds to a watch at once, even without events. */
const OPEN_TIMEOUT_MS = 30_000;

/** Milliseconds of silence within the initial state after which the stream is aborted as idle. */
const INITIAL_IDLE_TIMEOUT_MS = 10_000;

/** Milliseconds within which a stream that sends data must complete its initial state. */
const INITIAL_STATE_TIMEOUT_MS = 120_000;

/** Milliseconds for which a server may keep a stream open beyond the requested timeout. */
const LIFETIME_MARGIN_MS = 10_000;

/**
 * Tolerance in milliseconds, because the server measures the timeout from the request and the stream from the response.
 */
const CLOCK_TOLERANCE_MS = 1_000;

/**
 * Limits of `timeoutSeconds`. The value between them is random, so that watches that start together do not end
 * together.
 */
const MIN_WATCH_SECONDS = 300;
const MAX_WATCH_SECONDS = 600;

/** Codes of errors that a server, a proxy or the memory budget causes. They are not bugs in Keelson. */
const OUTER_FAULTS = [
  'LIST_WENT_BACK',
  'MEMORY_BUDGET_EXCEEDED',
  'OBJECT_MALFORMED',
  'WATCH_WENT_BACK',
];

/** Reads one watch until it ends, and describes the end. */
export class WatchStream {
  /** The version of the last change or bookmark; `undefined` before the first one. */
  version: string | undefined = undefined;
  readonly #options: WatchStreamOptions;
  readonly #request: Omit<WatchRequest, 'signal'>;
  readonly #slice: TimeSlice;
  /** The initial state that is arriving; `undefined` before and afterwards. */
  #replacement: Replacement | undefined;
  #openedAt: number | undefined;
  #frames = 0;
  #idle = false;
  #defect: { readonly error: unknown } | undefined;
  #complete = false;

  constructor(options: WatchStreamOptions, request: Omit<WatchRequest, 'signal'>) {
    this.#options = options;
    this.#request = request;
    this.#slice = new TimeSlice(options.now);
  }

  /** Throws only on a bug in Keelson; every other end is a `StreamEnd`. */
  async run(): Promise<StreamEnd> {
    const { sink, watchdog } = this.#options;
    if (this.#request.sendInitialEvents === true) this.#replacement = sink.replacement();
    watchdog.start(OPEN_TIMEOUT_MS, () => this.#abortIdle());
    try {
      await this.#read();
      return this.#end('ended', informerError('WATCH_ENDED'));
    } catch (error) {
      return this.#failed(error);
    } finally {
      watchdog.stop();
    }
  }

  async #read(): Promise<void> {
    const { listerWatcher, abort } = this.#options;
    const opened = listerWatcher.watch({ ...this.#request, signal: abort.signal });
    if (opened.passTo === undefined) await this.#iterate(opened[Symbol.asyncIterator]());
    else await opened.passTo(this.#take);
    abort.signal.throwIfAborted();
  }

  async #iterate(batches: AsyncIterator<FrameBatch>): Promise<void> {
    try {
      while (await this.#next(batches));
    } catch (error) {
      await ended(batches);
      throw error;
    }
  }

  /**
   * Reads and processes the next batch. Returns false at the end. This is a function of its own, because a loop keeps
   * its last value while it waits, so an idle watch would keep its last chunk in memory.
   */
  async #next(batches: AsyncIterator<FrameBatch>): Promise<boolean> {
    const { done, value: batch } = await batches.next();
    if (done === true) return false;
    await this.#take(batch);
    return true;
  }

  /** Processes a batch. Returns a promise if that takes longer than a slice, or waits for the handlers. */
  readonly #take = ({ frames, receivedAt }: FrameBatch): Promise<void> | undefined => {
    const { abort, sink, watchdog } = this.#options;
    abort.signal.throwIfAborted();
    watchdog.activity(frames.length > 0);
    if (this.#openedAt === undefined) this.#opened();
    try {
      this.#slice.resume();
      for (let at = 0; at < frames.length; at++) {
        const frame = frames[at] as Frame;
        let pending: Promise<void> | undefined;
        this.#frames++;
        if (this.#replacement !== undefined) {
          pending = this.#initial(this.#replacement, frame, receivedAt);
        } else if (frame.type === 'ERROR' || frame.type === 'BOOKMARK') this.#notice(frame);
        else this.version = sink.apply(frame, receivedAt) ?? this.version;
        if (this.#slice.isDue()) pending = this.#pauseAfter(pending);
        if (pending !== undefined)
          return this.#takeAfter(pending, frames.slice(at + 1), receivedAt);
      }
      if (frames.length === 0 && this.#slice.isDueWithoutWork()) return this.#pause();
    } catch (error) {
      this.#recordDefect(error);
    }
    if (this.#replacement !== undefined) this.#checkAge();
    return undefined;
  };

  /** Processes the rest of a batch when one of its frames has been processed. */
  async #takeAfter(
    pending: Promise<void>,
    frames: readonly Frame[],
    receivedAt: number,
  ): Promise<void> {
    try {
      await pending;
    } catch (error) {
      this.#recordDefect(error);
    }
    if (frames.length > 0) await this.#take({ frames, receivedAt });
    else if (this.#replacement !== undefined) this.#checkAge();
  }

  async #pauseAfter(pending: Promise<void> | undefined): Promise<void> {
    await pending;
    await this.#pause();
  }

  /** Ends a stream whose initial state takes too long. */
  #checkAge(): void {
    if (this.#age() > INITIAL_STATE_TIMEOUT_MS) this.#abortIdle();
  }

  /**
   * Records an error of the sink as a bug, unless it comes from outside or the stream was aborted.
   */
  #recordDefect(error: unknown): never {
    const isOuterFault =
      statusOf(error) !== undefined || OUTER_FAULTS.some((code) => hasCode(error, code));
    if (!isOuterFault && !this.#options.abort.signal.aborted) this.#defect = { error };
    throw error;
  }

  async #pause(): Promise<void> {
    await this.#slice.pause();
    this.#options.abort.signal.throwIfAborted();
  }

  #opened(): void {
    const { now, watchdog, onLive, onSyncing } = this.#options;
    this.#openedAt = now();
    if (this.#replacement === undefined) {
      watchdog.limit(this.#lifetime());
      return onLive();
    }
    watchdog.limit(INITIAL_IDLE_TIMEOUT_MS);
    return onSyncing();
  }

  /** Processes a frame that is not about an object, after the initial state. */
  #notice(frame: Frame): void {
    if (frame.type === 'ERROR') throw errorOf(frame);
    const { sink, watchdog } = this.#options;
    watchdog.bookmark();
    const { resourceVersion } = readBookmark(frame);
    if (resourceVersion === undefined) return;
    sink.progress(resourceVersion);
    this.version = resourceVersion;
  }

  /**
   * Processes a frame of the initial state. Readers do not see the state until it is complete. Returns a promise only
   * for the bookmark that may complete it.
   */
  #initial(replacement: Replacement, frame: Frame, receivedAt: number): Promise<void> | undefined {
    if (frame.type === 'ERROR') throw errorOf(frame);
    if (frame.type === 'BOOKMARK') return this.#initialBookmark(replacement, frame, receivedAt);
    if (frame.type === 'DELETED') replacement.delete(frame);
    else replacement.put(frame);
    return undefined;
  }

  async #initialBookmark(
    replacement: Replacement,
    frame: Frame,
    receivedAt: number,
  ): Promise<void> {
    const { resourceVersion, endsInitialEvents } = readBookmark(frame);
    if (!endsInitialEvents || resourceVersion === undefined) return;
    const from = this.#request.resourceVersion ?? '';
    if (isOlder(resourceVersion, from)) {
      throw informerError('LIST_WENT_BACK', { version: resourceVersion, requested: from });
    }
    this.#replacement = undefined;
    // The handlers may be slow, and during the commit the stream does not read data from the server.
    this.#options.watchdog.stop();
    await replacement.commit(resourceVersion, receivedAt);
    this.#options.abort.signal.throwIfAborted();
    this.#complete = true;
    this.version = resourceVersion;
    this.#options.onSynced(resourceVersion);
    this.#options.watchdog.limit(this.#lifetime());
    this.#options.watchdog.bookmark();
    this.#options.onLive();
  }

  #lifetime(): number {
    return this.#requestedMs() + LIFETIME_MARGIN_MS;
  }

  #requestedMs(): number {
    return (this.#request.timeoutSeconds ?? 0) * 1000;
  }

  #age(): number {
    return this.#openedAt === undefined ? 0 : this.#options.now() - this.#openedAt;
  }

  #abortIdle(): void {
    this.#idle = true;
    this.#options.abort.abort();
  }

  #failed(error: unknown): StreamEnd {
    if (this.#defect !== undefined) throw this.#defect.error;
    if (this.#idle) {
      const code = this.#replacement === undefined ? 'WATCH_IDLE' : 'WATCH_LIST_SILENT';
      return this.#end('idle', informerError(code));
    }
    const how = statusOf(error) === undefined ? 'broken' : 'status';
    return this.#end(how, asError(error));
  }

  #end(how: StreamEnd['how'], error: Error): StreamEnd {
    return {
      how,
      error,
      opened: this.#openedAt !== undefined,
      lived: this.#age(),
      frames: this.#frames,
      complete: this.#complete,
      reachedTimeout: how === 'ended' && this.#age() >= this.#requestedMs() - CLOCK_TOLERANCE_MS,
    };
  }
}

/** Returns a random `timeoutSeconds` for a watch. */
export function watchSeconds(random: () => number): number {
  return Math.round(MIN_WATCH_SECONDS + random() * (MAX_WATCH_SECONDS - MIN_WATCH_SECONDS));
}

/** Ends an iteration early and ignores its error, because the stream has ended for another reason. */
async function ended(batches: AsyncIterator<FrameBatch>): Promise<void> {
  try {
    await batches.return?.();
  } catch {
    // The caller has recorded the error that ended the iteration.
  }
}

function errorOf(frame: Frame): StatusError {
  return new StatusError(objectOf(frame) as Status);
}
