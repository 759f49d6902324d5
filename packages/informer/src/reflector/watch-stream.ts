import {
  hasCode,
  statusOf,
  StatusError,
  type Frame,
  type FrameBatch,
  type Status,
  TimeSlice,
} from '@keelson/apimachinery';
import { objectOf, readBookmark } from './bookmark.ts';
import { informerError } from '../errors.ts';
import type { IdleWatchdog } from './idle-watchdog.ts';
import type { ListerWatcher, WatchRequest } from '../contract/lister-watcher.ts';
import type { ReflectorSink, Replacement } from './reflector-sink.ts';

/**
 * How a stream came to its end.
 * - `ended`: the server ended it in an orderly way.
 * - `broken`: the connection broke, or never came about.
 * - `status`: the server said why, as an HTTP answer or as an ERROR line.
 * - `idle`: it was given up because nothing came.
 */
export interface StreamEnd {
  readonly how: 'ended' | 'broken' | 'status' | 'idle';
  readonly error: Error;
  /** Whether the server had begun to answer. */
  readonly opened: boolean;
  /** Milliseconds from the beginning of the answer. */
  readonly lived: number;
  readonly frames: number;
  /** Whether the initial state, if it was asked for, came in whole. */
  readonly complete: boolean;
  /** Whether the server kept the stream for as long as it was asked to. */
  readonly ranItsTime: boolean;
}

/** What a stream is made of. */
export interface WatchStreamOptions {
  readonly listerWatcher: ListerWatcher;
  readonly sink: ReflectorSink;
  readonly watchdog: IdleWatchdog;
  readonly now: () => number;
  /** Ended by whoever stops the reflector. */
  readonly abort: AbortController;
  /** Bytes have arrived. */
  readonly onSign: () => void;
  /** The initial state is in. */
  readonly onSynced: () => void;
  /** The stream is open and what has to come first has come. */
  readonly onLive: () => void;
  readonly onVersion: (resourceVersion: string) => void;
}

/** A server answers a watch at once, also when it has nothing to tell. */
const openingSilence = 30_000;

/** Silence, from the response's headers on, after which a server is taken never to end the initial state. */
const initialSilence = 10_000;

/** A busy stream that never says that its initial state is complete. */
const initialBound = 120_000;

/** How much longer than it was asked to a server may keep a stream. */
const margin = 10_000;

/** A server counts from the request, and the stream's life from the response. */
const clockTolerance = 1_000;

/** What a server, or who stands between, can do to us. */
const theirFaults = ['OBJECT_MALFORMED', 'WATCH_WENT_BACK'];

/** Reads one watch to its end, whatever end that is. */
export class WatchStream {
  readonly #options: WatchStreamOptions;
  readonly #request: Omit<WatchRequest, 'signal'>;
  readonly #slice: TimeSlice;
  /** The initial state while it is coming in. */
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

  /** Throws only what is nobody's fault but ours. */
  async run(): Promise<StreamEnd> {
    const { sink, watchdog } = this.#options;
    if (this.#request.sendInitialEvents === true) this.#replacement = sink.replacement();
    watchdog.start(openingSilence, () => this.#giveUp());
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
    const { listerWatcher, abort, onSign, watchdog } = this.#options;
    for await (const batch of listerWatcher.watch({ ...this.#request, signal: abort.signal })) {
      abort.signal.throwIfAborted();
      onSign();
      if (this.#openedAt === undefined) this.#opened();
      if (batch.frames.length > 0) watchdog.spoke();
      await this.#take(batch).catch((error: unknown) => this.#blame(error));
      if (this.#replacement !== undefined && this.#life() > initialBound) this.#giveUp();
    }
    abort.signal.throwIfAborted();
  }

  /** What taking a batch throws is a defect of ours, unless it is the server's or we are told to stop. */
  #blame(error: unknown): never {
    const isTheirs =
      statusOf(error) !== undefined || theirFaults.some((code) => hasCode(error, code));
    if (!isTheirs && !this.#options.abort.signal.aborted) this.#defect = { error };
    throw error;
  }

  async #take({ frames, receivedAt }: FrameBatch): Promise<void> {
    this.#slice.resume();
    for (const frame of frames) {
      this.#frames++;
      if (this.#replacement === undefined) this.#change(frame, receivedAt);
      else await this.#initial(this.#replacement, frame, receivedAt);
      if (this.#slice.isDue()) await this.#pause();
    }
  }

  async #pause(): Promise<void> {
    await this.#slice.pause();
    this.#options.abort.signal.throwIfAborted();
  }

  #opened(): void {
    const { now, watchdog, onLive } = this.#options;
    this.#openedAt = now();
    if (this.#replacement !== undefined) return watchdog.limit(initialSilence);
    watchdog.limit(this.#lifetime());
    onLive();
  }

  /** A frame of the running watch. */
  #change(frame: Frame, receivedAt: number): void {
    if (frame.type === 'ERROR') throw errorOf(frame);
    if (frame.type === 'BOOKMARK') {
      this.#options.watchdog.bookmark();
      this.#progress(readBookmark(frame).resourceVersion);
      return;
    }
    const version = this.#options.sink.apply(frame, receivedAt);
    if (version !== undefined) this.#options.onVersion(version);
  }

  /** A frame of the initial state, which is folded together before anybody sees it. */
  async #initial(replacement: Replacement, frame: Frame, receivedAt: number): Promise<void> {
    if (frame.type === 'ERROR') throw errorOf(frame);
    if (frame.type === 'DELETED') replacement.delete(frame);
    else if (frame.type !== 'BOOKMARK') replacement.put(frame);
    else await this.#initialBookmark(replacement, frame, receivedAt);
  }

  async #initialBookmark(
    replacement: Replacement,
    frame: Frame,
    receivedAt: number,
  ): Promise<void> {
    const { resourceVersion, endsInitialEvents } = readBookmark(frame);
    if (!endsInitialEvents || resourceVersion === undefined) return;
    this.#replacement = undefined;
    // However long the handlers take over it, the server owes nothing meanwhile.
    this.#options.watchdog.stop();
    await replacement.commit(resourceVersion, receivedAt);
    this.#options.abort.signal.throwIfAborted();
    this.#complete = true;
    this.#options.onVersion(resourceVersion);
    this.#options.onSynced();
    this.#options.watchdog.limit(this.#lifetime());
    this.#options.watchdog.bookmark();
    this.#options.onLive();
  }

  #progress(resourceVersion: string | undefined): void {
    if (resourceVersion === undefined) return;
    this.#options.sink.progress(resourceVersion);
    this.#options.onVersion(resourceVersion);
  }

  #lifetime(): number {
    return this.#askedFor() + margin;
  }

  #askedFor(): number {
    return (this.#request.timeoutSeconds ?? 0) * 1000;
  }

  #life(): number {
    return this.#openedAt === undefined ? 0 : this.#options.now() - this.#openedAt;
  }

  #giveUp(): void {
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
    return this.#end(how, error instanceof Error ? error : new Error(String(error)));
  }

  #end(how: StreamEnd['how'], error: Error): StreamEnd {
    return {
      how,
      error,
      opened: this.#openedAt !== undefined,
      lived: this.#life(),
      frames: this.#frames,
      complete: this.#complete,
      ranItsTime: how === 'ended' && this.#life() >= this.#askedFor() - clockTolerance,
    };
  }
}

function errorOf(frame: Frame): StatusError {
  return new StatusError(objectOf(frame) as Status);
}
