import type { Frame, FrameBatch, WatchEventType } from '@keelson/wire';
import { jsonFormat } from '@keelson/wire';
import type { NormalQuery } from '@keelson/informer';

/** How a stream ends: by the server, or by an error of the connection. */
interface StreamEnd {
  readonly error: Error | undefined;
}

/** One watch that the server keeps open. */
export class ServerStream {
  readonly query: NormalQuery;
  /** The server that serves it, and the version up to which it has sent changes. */
  readonly server: number;
  at: number;
  /** Nothing arrives any more, and the connection stays open. */
  isMute = false;
  /** Nothing arrives until the stream is released. */
  isHeld = false;
  /** The connection breaks after this many more frames. */
  framesLeft: number = Infinity;
  /** Frames arrive one at a time. */
  isSlow = false;
  /** The next change arrives cut short, or with a body that is not JSON. */
  damage: 'torn' | 'spoiled' | undefined;
  readonly #signal: AbortSignal;
  readonly #frames: Frame[] = [];
  #isOpening = true;
  #end: StreamEnd | undefined;
  #wake: () => void = () => undefined;

  constructor(query: NormalQuery, signal: AbortSignal, at: { server: number; version: number }) {
    this.query = query;
    this.#signal = signal;
    this.server = at.server;
    this.at = at.version;
  }

  get isAborted(): boolean {
    return this.#signal.aborted;
  }

  /** The query in words. */
  get text(): string {
    return queryText(this.query);
  }

  push(frame: Frame): void {
    if (this.#end !== undefined) return;
    this.#frames.push(frame);
    this.#wake();
  }

  /** Ends the stream after the frames that it has. */
  end(error?: Error): void {
    this.#end ??= { error };
    this.#wake();
  }

  /** Ends the stream now. Frames that have not arrived are lost. */
  cut(error: Error): void {
    this.#frames.length = 0;
    this.#end = { error };
    this.#wake();
  }

  release(): void {
    this.isHeld = false;
    this.#wake();
  }

  /** True if the response has more frames now. */
  get hasBatch(): boolean {
    return this.#isPassing && (this.#isOpening || this.#frames.length > 0);
  }

  /** True after the last frame. Throws the error of the end, and the reason of an abort. */
  get hasEnded(): boolean {
    this.#signal.throwIfAborted();
    if (!this.#isPassing || this.hasBatch || this.#end === undefined) return false;
    if (this.#end.error !== undefined) throw this.#end.error;
    return true;
  }

  /** Resolves when more frames, the end or an abort may be there. */
  change(): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#wake = wake;
      this.#signal.addEventListener('abort', wake);
    });
  }

  get #isPassing(): boolean {
    return !this.isMute && !this.isHeld;
  }

  /** Takes the frames that arrive together. */
  take(): FrameBatch {
    const count = this.#isOpening ? 0 : Math.min(this.isSlow ? 1 : Infinity, this.framesLeft);
    this.#isOpening = false;
    const frames = this.#frames.splice(0, count);
    this.framesLeft -= frames.length;
    if (this.framesLeft <= 0) this.cut(new Error('the connection was reset'));
    return { frames, receivedAt: performance.now() };
  }
}

function plainFrame(type: WatchEventType, object: unknown): Frame {
  const buffer = Buffer.from(JSON.stringify(object));
  return { type, format: jsonFormat, buffer, from: 0, to: buffer.length };
}

/** Returns the frame of a bookmark. */
export function bookmarkFrame(version: number, endsInitialEvents = false): Frame {
  const annotations = endsInitialEvents ? { 'k8s.io/initial-events-end': 'true' } : {};
  const metadata = { resourceVersion: String(version), annotations };
  return plainFrame('BOOKMARK', { kind: 'Thing', apiVersion: 'v1', metadata });
}

/** Returns the frame of an ERROR event. */
export function errorFrame(code: number, reason: string): Frame {
  return plainFrame('ERROR', { kind: 'Status', code, reason, message: reason });
}

/** Returns a query in words. */
export function queryText(query: NormalQuery): string {
  const { resource, namespace, labelSelector, fieldSelector, projection } = query;
  const form = projection === 'full' ? undefined : projection;
  return [resource.plural, namespace, labelSelector, fieldSelector, form]
    .filter((part) => part !== undefined)
    .join(' ');
}
