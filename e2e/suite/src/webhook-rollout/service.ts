import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/**
 * A port whose connections go to the endpoints in turn, as those of a Service do. The connections to an endpoint that is
 * removed stay open, as kube-proxy leaves them.
 */
export class Service implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** The ports of the endpoints. */
  readonly #endpoints: number[] = [];
  #next = 0;

  static async listen(): Promise<Service> {
    const service = new Service();
    await once(service.#server.listen(0, '127.0.0.1'), 'listening');
    return service;
  }

  private constructor() {
    this.#server = createServer({ allowHalfOpen: true }, (socket) => this.#forward(socket));
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  add(endpoint: number): void {
    this.#endpoints.push(endpoint);
  }

  remove(endpoint: number): void {
    this.#endpoints.splice(this.#endpoints.indexOf(endpoint), 1);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #forward(socket: Socket): void {
    this.#next += 1;
    const port = this.#endpoints[this.#next % this.#endpoints.length];
    if (port === undefined) {
      socket.destroy();
      return;
    }
    const target = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    this.#follow(socket, target);
    this.#follow(target, socket);
  }

  #follow(from: Socket, to: Socket): void {
    this.#sockets.add(from);
    from.pipe(to);
    // The other side sees a reset as the end of its connection.
    from.once('error', () => to.destroy());
    from.once('close', () => this.#sockets.delete(from));
  }
}
