import { Socket } from 'node:net';
import type { buildConnector } from 'undici';

type Connector = buildConnector.connector;

/**
 * The open sockets of a client. On close, the client also destroys those that no request has yet, such as a socket in
 * its TLS handshake. A signal in the options of a socket would do the same, but Node.js never removes its listener, so
 * each connection would use memory until the client is closed.
 */
export class OpenSockets {
  readonly #sockets = new Set<Socket>();
  #reason: Error | undefined;

  get size(): number {
    return this.#sockets.size;
  }

  /** Returns a connector that adds each socket to this set as soon as the connection begins. */
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
