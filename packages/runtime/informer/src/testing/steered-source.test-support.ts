import type { FrameBatch } from '@keelson/wire';
import type { ListRequest, ListerWatcher, WatchRequest } from '../contract/lister-watcher.ts';
import { objectFrame, OpenWatch, statusError, thing } from './scripted-source.test-support.ts';

/** A request that waits for the response of the test. */
export interface PendingRequest {
  readonly verb: 'list' | 'watch' | 'watch-list';
  readonly signal: AbortSignal;
  /** Ends the wait; the batches are the response. */
  readonly respond: (response: AsyncIterable<FrameBatch>) => void;
}

/**
 * A source whose requests wait until the test responds to them, so that a test sees each state of a
 * watch. `stream` is the watch that was opened last.
 */
export class SteeredSource implements ListerWatcher {
  pending: PendingRequest | undefined;
  stream: OpenWatch | undefined;
  supportsWatchList = false;
  isServed: (signal: AbortSignal) => Promise<boolean> = async () => false;
  missingRule?: Required<ListerWatcher>['missingRule'];

  list({ signal }: ListRequest): AsyncIterable<FrameBatch> {
    return this.#wait('list', signal);
  }

  watch({ signal, sendInitialEvents = false }: WatchRequest): AsyncIterable<FrameBatch> {
    if (!sendInitialEvents) return this.#wait('watch', signal);
    return this.supportsWatchList ? this.#wait('watch-list', signal) : failing(422, 'Invalid');
  }

  /** Responds to the pending request with an error, before a response starts. */
  fail(error: Error): void {
    this.#take().respond(thrown(error));
  }

  /** Responds with a status of an error. */
  refuse(code: number, reason: string, details: object = {}): void {
    this.fail(statusError(code, reason, { details }));
  }

  /** Responds to the pending list with one object. */
  listed(): void {
    const frames = [objectFrame('ADDED', thing('a'))];
    const listMetadata = { resourceVersion: '5' };
    this.#take().respond(batches([{ frames, receivedAt: 0, listMetadata }]));
  }

  /** Opens the pending watch or WatchList; it sends nothing more. */
  opened(): void {
    const { signal, respond } = this.#take();
    this.stream = new OpenWatch(signal);
    respond(this.stream.batches());
  }

  /** Starts the response of the pending list, which never ends. */
  begun(): void {
    this.opened();
  }

  #take(): PendingRequest {
    const { pending } = this;
    if (pending === undefined) throw new Error('no request is pending');
    this.pending = undefined;
    return pending;
  }

  async *#wait(verb: PendingRequest['verb'], signal: AbortSignal): AsyncGenerator<FrameBatch> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<AsyncIterable<FrameBatch>>();
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    this.pending = { verb, signal, respond: resolve };
    yield* await promise;
  }
}

async function* batches(all: readonly FrameBatch[]): AsyncGenerator<FrameBatch> {
  yield* all;
}

async function* thrown(error: Error): AsyncGenerator<never> {
  yield* raise(error);
}

function failing(code: number, reason: string): AsyncGenerator<never> {
  return thrown(statusError(code, reason));
}

function raise(error: Error): never[] {
  throw error;
}
