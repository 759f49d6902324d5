import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A TCP proxy before an API server, which counts the bytes that its client receives. */
export class CountingProxy implements AsyncDisposable {
  received = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  constructor(target: URL) {
    this.#server = createServer((client) => {
      const upstream = connect(Number(target.port), target.hostname);
      for (const socket of [client, upstream]) {
        this.#sockets.add(socket);
        socket.on('error', () => socket.destroy());
        socket.on('close', () => {
          this.#sockets.delete(socket);
          client.destroy();
          upstream.destroy();
        });
      }
      upstream.on('data', ({ length }) => {
        this.received += length;
      });
      client.pipe(upstream);
      upstream.pipe(client);
    });
  }

  /** Starts a proxy and returns it. */
  static async before(target: string): Promise<CountingProxy> {
    const proxy = new CountingProxy(new URL(target));
    await once(proxy.#server.listen(0, '127.0.0.1'), 'listening');
    return proxy;
  }

  /** The URL of the proxy. */
  urlOf(target: string): string {
    const { port } = this.#server.address() as AddressInfo;
    return `${new URL(target).protocol}//127.0.0.1:${port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    if (this.#server.listening) await once(this.#server, 'close');
  }
}
