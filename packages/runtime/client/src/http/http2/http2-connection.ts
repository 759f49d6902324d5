import type {
  ClientHttp2Session,
  ClientHttp2Stream,
  IncomingHttpHeaders,
  Settings,
} from 'node:http2';
import type { Socket } from 'node:net';
import { startPings } from './pings.ts';
import { bodyOfHttp2Stream } from './stream-body.ts';
import type { OpenResponse, SentRequest } from '../body/exchange.ts';

/**
 * The most streams of one connection. Most servers allow 100 or more, and a lost connection affects at most this many
 * watches.
 */
const MAX_STREAMS = 100;
/** Bytes that the server may send ahead on one stream: enough for 40 MB/s over 100 ms. */
const STREAM_WINDOW_BYTES = 4 * 1024 * 1024;
const CONNECTION_WINDOW_BYTES = 16 * 1024 * 1024;
/** Megabytes of queued frames above which Node.js refuses new streams. */
const SESSION_MEMORY_MB = 256;
/** Milliseconds for which a connection without streams is kept. */
const IDLE_TIMEOUT_MS = 60_000;

/** A connection over HTTP/2, which carries many responses at once. Its pings detect a lost peer within 20 s. */
export class Http2Connection {
  readonly #session: ClientHttp2Session;
  readonly #socketClosed: Promise<unknown>;
  readonly #maxStreams: number;
  #streams = 0;
  #idleTimer: ReturnType<typeof setTimeout> | undefined;

  /** Resolves when the server has sent its limits. Destroys the socket if it rejects. */
  static async open(url: URL, socket: Socket): Promise<Http2Connection> {
    const { connect } = await import('node:http2');
    const session = connect(url, {
      createConnection: () => socket,
      maxSessionMemory: SESSION_MEMORY_MB,
      settings: { enablePush: false, initialWindowSize: STREAM_WINDOW_BYTES },
    });
    // The listener stays, because an error without a listener would end the process. The streams receive the error of
    // their connection as well.
    session.on('error', () => undefined);
    const { maxConcurrentStreams = MAX_STREAMS } = await settingsOf(session);
    session.setLocalWindowSize(CONNECTION_WINDOW_BYTES);
    return new Http2Connection(session, socket, Math.min(maxConcurrentStreams, MAX_STREAMS));
  }

  private constructor(session: ClientHttp2Session, socket: Socket, maxStreams: number) {
    this.#session = session;
    this.#socketClosed = new Promise((resolve) => {
      socket.once('close', resolve);
    });
    this.#maxStreams = maxStreams;
    const pinged = {
      // A session is destroyed some time before it emits `close`.
      ping: (): void => void (session.destroyed || session.ping(() => undefined)),
      get bytesRead() {
        return socket.bytesRead;
      },
    };
    const pings = startPings(pinged, () => session.destroy(lost('ETIMEDOUT')));
    session.on('goaway', () => session.close());
    session.once('close', () => {
      pings[Symbol.dispose]();
      clearTimeout(this.#idleTimer);
    });
    this.#idle();
  }

  /** False for a server that allows no stream. */
  get isUsable(): boolean {
    return this.#maxStreams > 0;
  }

  get hasRoom(): boolean {
    return !this.#session.closed && !this.#session.destroyed && this.#streams < this.#maxStreams;
  }

  /** Calls the listener when the connection takes no more requests. */
  onceClosed(listener: () => void): void {
    this.#session.once('close', listener);
  }

  /** Resolves when the response has started. */
  async request({ path, headers, signal, headersTimeout }: SentRequest): Promise<OpenResponse> {
    signal?.throwIfAborted();
    const stream = this.#session.request(
      { ...headers, ':method': 'GET', ':path': path },
      { endStream: true, ...(signal === null ? {} : { signal }) },
    );
    this.#began(stream);
    const timer = setTimeout(() => stream.destroy(lost('ETIMEDOUT')), headersTimeout);
    stream.once('response', () => clearTimeout(timer)).once('close', () => clearTimeout(timer));
    const { ':status': statusCode = 0, ...received } = await responseOf(stream);
    return { statusCode, headers: received, body: bodyOfHttp2Stream(stream, () => cutOff(stream)) };
  }

  /** Takes no more requests; resolves when the streams have ended and the socket is closed. */
  async close(): Promise<void> {
    this.#session.close();
    await this.#socketClosed;
  }

  /** Ends every stream with this error; resolves when the socket is closed. */
  async destroy(reason: Error): Promise<void> {
    this.#session.destroy(reason);
    await this.#socketClosed;
  }

  #began(stream: ClientHttp2Stream): void {
    this.#streams++;
    this.#session.ref();
    clearTimeout(this.#idleTimer);
    stream.once('close', () => {
      this.#streams--;
      if (this.#streams === 0 && !this.#session.destroyed) this.#idle();
    });
  }

  #idle(): void {
    this.#session.unref();
    this.#idleTimer = setTimeout(() => this.#session.close(), IDLE_TIMEOUT_MS);
    this.#idleTimer.unref();
  }
}

/** Resolves with the settings of the server, which it sends in its first frame. */
function settingsOf(session: ClientHttp2Session): Promise<Settings> {
  const { promise, resolve, reject } = Promise.withResolvers<Settings>();
  session.once('remoteSettings', resolve);
  session.once('error', reject);
  session.once('close', () => reject(lost('ECONNRESET')));
  return promise;
}

function responseOf(
  stream: ClientHttp2Stream,
): Promise<IncomingHttpHeaders & { ':status'?: number }> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingHttpHeaders>();
  // After the response has started, an error reaches the reader of the body. The listener stays, because an error
  // without one would end the process.
  stream.on('error', reject);
  stream.once('response', resolve);
  stream.once('close', () => reject(lost('ERR_HTTP2_STREAM_CANCEL')));
  return promise;
}

/**
 * Returns the error of a stream that was not complete when its connection closed. Node.js ends the body of such a
 * stream without an error.
 */
function cutOff({ rstCode }: ClientHttp2Stream): Error | undefined {
  return rstCode === 0 ? undefined : lost('ERR_HTTP2_STREAM_CANCEL');
}

function lost(code: string): Error {
  return Object.assign(new Error('the connection was lost'), { code });
}
