import { once } from 'node:events';
import { connect, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import type { ApiServer } from '../server/api-server.ts';
import type { Json } from '../server/raw-client.test-support.ts';

interface Opened {
  readonly code: number;
  readonly stream: ClientHttp2Stream;
}

/** A client that sends all its requests over one HTTP/2 connection, independent of `@keelson/client`. */
export class Http2Client implements AsyncDisposable {
  readonly session: ClientHttp2Session;

  constructor(server: ApiServer, options: { readonly cert?: string; readonly key?: string } = {}) {
    this.session = connect(server.url, { ca: server.cluster.tls?.ca ?? '', ...options });
    // The streams receive the error, too.
    this.session.on('error', () => undefined);
  }

  async open(
    method: string,
    path: string,
    { body, headers = {} }: { body?: unknown; headers?: Record<string, string | string[]> } = {},
  ): Promise<Opened> {
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const stream = this.session.request({
      ':method': method,
      ':path': path,
      ...type,
      ...headers,
    });
    stream.on('error', () => undefined);
    stream.end(body === undefined ? undefined : JSON.stringify(body));
    const [{ ':status': code = 0 }] = (await once(stream, 'response')) as [{ ':status'?: number }];
    return { code, stream };
  }

  async send(
    method: string,
    path: string,
    options: Parameters<Http2Client['open']>[2] = {},
  ): Promise<{ readonly code: number; readonly body: Json }> {
    const { code, stream } = await this.open(method, path, options);
    const body = await text(stream);
    return { code, body: body.startsWith('{') ? JSON.parse(body) : body };
  }

  async watch(path: string): Promise<Http2Watch> {
    return new Http2Watch((await this.open('GET', path)).stream);
  }

  /** Resolves when the server has acknowledged a PING. */
  ping(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.session.ping((error) => (error === null ? resolve() : reject(error)));
    });
  }

  /** Resolves when the connection is closed, also by an error. */
  get closed(): Promise<void> {
    return new Promise((resolve) => {
      this.session.once('close', resolve);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.session.destroyed) return;
    const { closed } = this;
    this.session.destroy();
    await closed;
  }
}

/** A watch over HTTP/2. */
export class Http2Watch {
  readonly stream: ClientHttp2Stream;
  /** Resolves with the code of RST_STREAM; 0 for a normal end. */
  readonly ended: Promise<number>;
  #lines: AsyncIterator<string> | undefined;

  constructor(stream: ClientHttp2Stream) {
    this.stream = stream;
    this.ended = new Promise((resolve) => {
      stream.once('close', () => resolve(stream.rstCode));
    });
  }

  /** The type and the name of the next event. */
  async title(): Promise<string> {
    this.#lines ??= createInterface(this.stream)[Symbol.asyncIterator]();
    const { value } = await this.#lines.next();
    const event: Json = JSON.parse(String(value));
    return `${event.type} ${event.object.metadata.name}`;
  }
}
