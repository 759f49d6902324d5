import type { ApiResource, ListMeta } from '@keelson/apimachinery';
import type { FrameBatch } from '@keelson/wire';
import { pause } from '@keelson/apimachinery';
import type { ListRequest, NormalQuery, WatchRequest } from '@keelson/informer';
import { connectionError, statusError, tooLarge } from './api-error.ts';
import type { ObjectState } from './object-state.ts';
import { selects } from './object-selection.ts';
import type { Effect, RequestFaults, Verb } from './request-fault.ts';
import { RequestPace } from './request-pace.ts';
import { bookmarkFrame, queryText, ServerStream } from './server-stream.ts';
import type { KindHistory } from './kind-history.ts';
import type { Report } from '../invariants/invariant.ts';

const NO_FRAMES: FrameBatch['frames'] = [];

/** The state of a server from which it responds. */
export interface ServedState {
  readonly faults: RequestFaults;
  readonly streams: Set<ServerStream>;
  readonly report: Report;
  readonly trace: ((line: string) => void) | undefined;
  readonly number: number;
  readonly version: number;
  readonly compactedAt: number;
  readonly isHeld: boolean;
  readonly lag: number;
  readonly latency: number;
  readonly supportsWatchList: boolean;
  readonly pageSize: number;
  openRequests: number;
  serves(resource: ApiResource): boolean;
  servedSince(resource: ApiResource): number;
  historyOf(resource: ApiResource): KindHistory;
  send(stream: ServerStream): void;
  sent(resource: ApiResource, stamp: number): void;
}

/** Responds to the requests of lister-watchers, with the faults of the server. */
export class Responses {
  readonly #server: ServedState;
  readonly #pace = new RequestPace();

  constructor(server: ServedState) {
    this.#server = server;
  }

  async *list(query: NormalQuery, request: ListRequest): AsyncGenerator<FrameBatch> {
    this.#server.openRequests++;
    try {
      const effect = await this.#begin('list', query, request.signal);
      this.#check(query);
      if (effect?.does === 'silence') await never(request.signal);
      if (effect?.does === 'end-at-once') throw new Error('the response ended within an object');
      const { states, listMetadata } = this.#page(query, request);
      const cut = effect?.does === 'cut' ? effect.after : undefined;
      yield batch(states.slice(0, cut), query);
      request.signal.throwIfAborted();
      if (cut !== undefined) throw connectionError('ECONNRESET');
      yield { frames: NO_FRAMES, receivedAt: performance.now(), listMetadata };
    } finally {
      this.#server.openRequests--;
    }
  }

  /** Keeps the stream among those of the server until it ends, or until its timeout. */
  async *watch(query: NormalQuery, request: WatchRequest): AsyncGenerator<FrameBatch> {
    const { signal, timeoutSeconds = 600 } = request;
    const { streams } = this.#server;
    let stream: ServerStream | undefined;
    let timer: NodeJS.Timeout | undefined;
    this.#server.openRequests++;
    try {
      const effect = await this.#begin('watch', query, signal);
      this.#check(query);
      const opened = this.#stream(query, request, effect);
      stream = opened;
      if (effect?.does !== 'silence') streams.add(opened);
      timer = setTimeout(() => opened.end(), timeoutSeconds * 1000);
      while (!opened.hasEnded) {
        if (opened.hasBatch) yield opened.take();
        else await opened.change();
      }
    } finally {
      clearTimeout(timer);
      if (stream !== undefined) streams.delete(stream);
      this.#server.openRequests--;
    }
  }

  async isServed(query: NormalQuery, signal: AbortSignal): Promise<boolean> {
    await this.#begin('discovery', query, signal);
    return this.#server.serves(query.resource);
  }

  /** Returns an effect that does not prevent the response from beginning. */
  async #begin(verb: Verb, query: NormalQuery, signal: AbortSignal): Promise<Effect | undefined> {
    const server = this.#server;
    signal.throwIfAborted();
    const text = `${verb} ${queryText(query)}`;
    if (this.#pace.exceeds(text, performance.now())) {
      server.report('pace', text);
      // A loop without a pause would never return to the run.
      return never(signal);
    }
    const effect = server.faults.next(verb, query);
    server.trace?.(
      `  request: ${text}${effect === undefined ? '' : `, which will ${effect.does}`}`,
    );
    if (server.latency > 0) await pause(server.latency, [signal]);
    switch (effect?.does) {
      case 'refuse':
        throw connectionError(effect.code);
      case 'hang':
        return never(signal);
      case 'respond': {
        const { code, reason, retryAfter } = effect;
        const details = retryAfter === undefined ? {} : { retryAfterSeconds: retryAfter };
        throw statusError(code, reason, details);
      }
      case 'confuse':
        throw new Error('the response is no object of the API');
      default:
        return effect;
    }
  }

  #check({ resource }: NormalQuery): void {
    if (!this.#server.serves(resource)) throw statusError(404, 'NotFound');
  }

  /** Returns the objects of a page, and the metadata that follow them. */
  #page(
    query: NormalQuery,
    request: ListRequest,
  ): { readonly states: readonly ObjectState[]; readonly listMetadata: ListMeta } {
    const { at, from } = this.#startOf(query, request);
    const { name } = request;
    const all = this.#stateAt(query, at).filter(
      ({ identity }) =>
        name === undefined ||
        (identity.name === name.name && identity.namespace === name.namespace),
    );
    const size = request.limit === undefined ? all.length : this.#server.pageSize;
    const states = all.slice(from, from + size);
    const next = from + states.length;
    const rest = next < all.length ? { continue: `${at}:${next}` } : {};
    return { states, listMetadata: { resourceVersion: String(at), ...rest } };
  }

  /** Returns the version of a page and the number of objects before it. */
  #startOf(query: NormalQuery, request: ListRequest): { at: number; from: number } {
    const { resourceVersion = '', continue: token } = request;
    if (token === undefined) return { at: this.#listVersion(query, resourceVersion), from: 0 };
    const [at = 0, from = 0] = token.split(':').map(Number);
    const isOther = at > this.#server.version || at < this.#server.compactedAt;
    if (isOther) throw statusError(410, 'Expired');
    return { at, from };
  }

  /** A list is not older than the version that the request names; without one it is the newest. */
  #listVersion({ resource }: NormalQuery, resourceVersion: string): number {
    const { version, lag } = this.#server;
    if (resourceVersion === '') return version;
    if (Number(resourceVersion) > version) throw tooLarge();
    return Math.max(version - lag, Number(resourceVersion), this.#server.servedSince(resource));
  }

  #stateAt(query: NormalQuery, version: number): ObjectState[] {
    const { number } = this.#server;
    const history = this.#server.historyOf(query.resource);
    const states =
      version === this.#server.version
        ? history.select(query)
        : history.stateAt(number, version).filter((state) => selects(query, state));
    for (const { stamp } of states) this.#server.sent(query.resource, stamp);
    return states;
  }

  /** Opens a stream, and sends what it has at once. */
  #stream(query: NormalQuery, request: WatchRequest, effect?: Effect): ServerStream {
    const stream = this.#open(query, request);
    if (effect?.does === 'end-at-once') stream.end();
    if (effect?.does === 'cut') stream.framesLeft = Math.max(1, effect.after);
    if (effect?.does === 'silence') return stream;
    if (request.sendInitialEvents === true) {
      this.#sendInitial(stream, effect?.does === 'endless-initial-state');
    }
    if (!this.#server.isHeld) this.#server.send(stream);
    return stream;
  }

  #open(query: NormalQuery, request: WatchRequest): ServerStream {
    const server = this.#server;
    const { resourceVersion = '', sendInitialEvents = false } = request;
    if (sendInitialEvents && !server.supportsWatchList) throw statusError(422, 'Invalid');
    const version = sendInitialEvents
      ? this.#listVersion(query, resourceVersion)
      : Number(resourceVersion);
    if (!sendInitialEvents && version < server.compactedAt) throw statusError(410, 'Expired');
    return new ServerStream(query, request.signal, { server: server.number, version });
  }

  #sendInitial(stream: ServerStream, isEndless: boolean): void {
    const { query, at } = stream;
    for (const state of this.#stateAt(query, at))
      stream.push(state.frame('ADDED', query.projection));
    if (!isEndless) stream.push(bookmarkFrame(at, true));
  }
}

function batch(states: readonly ObjectState[], { projection }: NormalQuery): FrameBatch {
  const frames = states.map((state) => state.frame('ADDED', projection));
  return { frames, receivedAt: performance.now() };
}

/** Rejects when the request is aborted. */
function never(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}
