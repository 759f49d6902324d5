import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { Trickle } from './trickle.ts';

/** A TCP proxy before an API server that causes network faults. */
export class FaultyProxy implements AsyncDisposable {
  readonly url: string;
  readonly #target: URL;
  readonly #listener: Server;
  readonly #sockets = new Set<Socket>();
  #isRefusing = false;
  #trickle: Trickle | undefined;

  static async before(server: string): Promise<FaultyProxy> {
    const listener = createServer();
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    return new FaultyProxy(new URL(server), listener);
  }

  private constructor(target: URL, listener: Server) {
    const { port } = listener.address() as AddressInfo;
    this.url = `${target.protocol}//127.0.0.1:${port}`;
    this.#target = target;
    this.#listener = listener.on('connection', (near: Socket) => this.#accept(near));
  }

  /** Breaks every open connection and returns their number. Accepts new ones. */
  cut(): number {
    const sockets = [...this.#sockets];
    for (const socket of sockets) socket.resetAndDestroy();
    return sockets.length / 2;
  }

  /** Breaks every connection, also new ones, until the returned object is disposed of. */
  refuse(): Disposable {
    this.#isRefusing = true;
    this.cut();
    return {
      [Symbol.dispose]: () => {
        this.#isRefusing = false;
      },
    };
  }

  /** Sends responses on new connections byte by byte, until the returned object is disposed of. */
  trickle(): Trickle {
    this.#trickle = new Trickle(() => {
      this.#trickle = undefined;
    });
    return this.#trickle;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#listener, 'close');
    this.#listener.close();
    this.#trickle?.[Symbol.dispose]();
    this.cut();
    await closed;
  }

  #accept(near: Socket): void {
    // Errors of a cut connection are expected.
    near.on('error', () => {});
    if (this.#isRefusing) {
      near.resetAndDestroy();
      return;
    }
    const far = connect(Number(this.#target.port), this.#target.hostname);
    far.on('error', () => {});
    this.#join(near, far);
    near.pipe(far);
    if (this.#trickle === undefined) far.pipe(near);
    else this.#trickle.join(far, near);
  }

  /** Closes each socket when the other one is closed. */
  #join(near: Socket, far: Socket): void {
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(one);
      one.on('close', () => {
        this.#sockets.delete(one);
        other.destroy();
      });
    }
  }
}
