import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { Cluster } from '@keelson/client';
import { atAddress } from './at-address.ts';

/** One connection through a tunnel. */
export interface Link {
  readonly client: Socket;
  /** The socket to the server, after it was opened. */
  server: Socket | undefined;
}

/** The sender of some bytes. */
export type Side = 'client' | 'server';

/**
 * Forwards bytes between a client and a server. It can change them as a bad network, a firewall or a load balancer
 * does.
 */
export class Tunnel implements AsyncDisposable {
  readonly links: Set<Link> = new Set();
  /** Handles a new connection. Default: connects to the server. */
  onConnection: (link: Link) => void = (link) => this.dial(link);
  /** Handles received bytes. Default: forwards them. */
  onData: (bytes: Buffer, link: Link, from: Side) => void = forward;
  readonly #target: URL;
  readonly #cluster: Cluster;
  readonly #server: Server;
  #port = 0;

  private constructor(cluster: Cluster) {
    this.#cluster = cluster;
    this.#target = new URL(cluster.server);
    this.#server = createServer((client) => this.#accept(client));
  }

  static async open(cluster: Cluster): Promise<Tunnel> {
    const tunnel = new Tunnel(cluster);
    await tunnel.listen();
    return tunnel;
  }

  /** The address of the tunnel as a cluster. */
  get cluster(): Cluster {
    return atAddress(this.#cluster, `${this.#target.protocol}//127.0.0.1:${this.#port}`);
  }

  async listen(): Promise<void> {
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Refuses new connections; open ones stay open. */
  refuse(): void {
    this.#server.close();
  }

  /** Closes the open connections. */
  cut(): void {
    for (const { client } of this.links) client.resetAndDestroy();
  }

  dial(link: Link): void {
    const server = connect(Number(this.#target.port), this.#target.hostname);
    link.server = server;
    server.on('data', (bytes: Buffer) => this.onData(bytes, link, 'server'));
    server.on('error', () => link.client.destroy());
    server.on('end', () => link.client.end());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    if (!this.#server.listening) return;
    this.refuse();
    await once(this.#server, 'close');
  }

  #accept(client: Socket): void {
    const link: Link = { client, server: undefined };
    this.links.add(link);
    client.setNoDelay(true);
    client.on('data', (bytes: Buffer) => this.onData(bytes, link, 'client'));
    client.on('error', () => undefined);
    client.on('close', () => {
      this.links.delete(link);
      link.server?.destroy();
    });
    this.onConnection(link);
  }
}

/** Forwards bytes unchanged. */
export function forward(bytes: Buffer, { client, server }: Link, from: Side): void {
  if (from === 'client') server?.write(bytes);
  else client.write(bytes);
}
