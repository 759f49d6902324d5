import { once } from 'node:events';
import {
  createServer,
  request,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

/** The write at which an operator crashes: before the server receives it, or before its response arrives. */
export interface CrashPoint {
  /** The index of the write, from 0. */
  readonly at: number;
  readonly when: 'before' | 'after';
}

/**
 * A way from an operator to an API server. At the crash it breaks every connection and accepts no other one, so that the
 * operator has as much effect as one whose process has ended.
 */
export class CrashProxy implements AsyncDisposable {
  /** Each write as its method and path, also the one of the crash. */
  readonly writes: string[] = [];
  readonly crashed: Promise<void>;
  readonly #target: string;
  readonly #point: CrashPoint | undefined;
  readonly #server: Server;
  #isDead = false;
  #crash: () => void;

  private constructor(target: string, point: CrashPoint | undefined) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.crashed = promise;
    this.#crash = resolve;
    this.#target = target;
    this.#point = point;
    this.#server = createServer((incoming, response) => this.#handle(incoming, response));
  }

  static async open(target: string, point?: CrashPoint): Promise<CrashProxy> {
    const proxy = new CrashProxy(target, point);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #handle(incoming: IncomingMessage, response: ServerResponse): void {
    const { method = 'GET', url = '/', headers } = incoming;
    const isWrite = method !== 'GET' && !this.#isDead;
    const isPoint = isWrite && this.writes.length === this.#point?.at;
    if (isWrite) this.writes.push(`${method} ${url.split('?')[0]}`);
    if (isPoint && this.#point?.when === 'before') this.#die();
    if (this.#isDead) {
      incoming.socket.destroy();
      return;
    }
    const forwarded = request(new URL(url, this.#target), { method, headers }, (received) => {
      if (isPoint) {
        received.resume().once('end', () => this.#die());
        return;
      }
      response.writeHead(received.statusCode ?? 502, received.headers);
      received.pipe(response);
    });
    forwarded.once('error', () => response.destroy());
    response.once('close', () => forwarded.destroy());
    incoming.pipe(forwarded);
  }

  #die(): void {
    this.#isDead = true;
    this.#server.closeAllConnections();
    this.#crash();
  }
}
