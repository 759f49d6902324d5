import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A TCP proxy before an API server whose connections can be cut, so that any server has bad days. */
export class CuttableProxy implements AsyncDisposable {
  readonly url: string;
  readonly #listener: Server;
  readonly #sockets: Set<Socket>;

  static async before(server: string): Promise<CuttableProxy> {
    const target = new URL(server);
    const sockets = new Set<Socket>();
    const listener = createServer((near) => {
      const far = connect(Number(target.port), target.hostname);
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        sockets.add(from);
        from.pipe(to);
        // A cut connection tells both ends; what it says is of no interest.
        from.on('error', () => to.destroy());
        from.on('close', () => {
          sockets.delete(from);
          to.destroy();
        });
      }
    });
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const { port } = listener.address() as AddressInfo;
    return new CuttableProxy(`${target.protocol}//127.0.0.1:${port}`, listener, sockets);
  }

  private constructor(url: string, listener: Server, sockets: Set<Socket>) {
    this.url = url;
    this.#listener = listener;
    this.#sockets = sockets;
  }

  /** Breaks every connection there is. New ones are accepted. */
  cut(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#listener, 'close');
    this.#listener.close();
    this.cut();
    await closed;
  }
}
