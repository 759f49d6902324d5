import { Socket } from 'node:net';
import type { buildConnector } from 'undici';

type Connector = buildConnector.connector;

/**
 * The sockets of a client until they close, so that it can destroy those that belong to no request yet, such as those in
 * a TLS handshake. A signal of the client in the options of the sockets would do that too, but Node.js never removes its
 * listener: each connection would use memory until the client is closed.
 */
export class OpenSockets {
  readonly #sockets = new Set<Socket>();
  #reason: Error | undefined;

  get size(): number {
    return this.#sockets.size;
  }

  /** Returns a connector whose sockets belong to this set from the start of the connection. */
  tracked(connector: Connector): Connector {
    return (options, done) => {
      // undici's connector returns the socket at once, and calls `done` after the handshake.
      const socket: unknown = connector(options, done);
      if (socket instanceof Socket) this.#add(socket);
      return socket;
    };
  }

  /** Destroys the sockets, and those that are opened later. */
  destroy(reason: Error): void {
    this.#reason = reason;
    for (const socket of this.#sockets) socket.destroy(reason);
  }

  #add(socket: Socket): void {
    if (this.#reason !== undefined) {
      socket.destroy(this.#reason);
      return;
    }
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
  }
}
