import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { Cluster } from '@keelson/client';
import { seenAt } from './seen-at.ts';

/** One connection through a tunnel. */
export interface Link {
  readonly client: Socket;
  /** The other half, once it was dialled. */
  server: Socket | undefined;
}

/** Which side bytes come from. */
export type Side = 'client' | 'server';

/**
 * Forwards bytes between a client and a server, and can treat connections and
 * bytes otherwise: what a bad network, a firewall or a load balancer does.
 */
export class Tunnel implements AsyncDisposable {
  readonly links: Set<Link> = new Set();
  /** Default: dials the server. */
  onConnection: (link: Link) => void = (link) => this.dial(link);
  /** Default: hands the bytes on. */
  onData: (bytes: Buffer, link: Link, from: Side) => void = handOn;
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

  /** The cluster as seen through the tunnel. */
  get cluster(): Cluster {
    return seenAt(this.#cluster, `${this.#target.protocol}//127.0.0.1:${this.#port}`);
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

  /** Breaks the open connections. */
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

/** What becomes of bytes by default. */
export function handOn(bytes: Buffer, { client, server }: Link, from: Side): void {
  if (from === 'client') server?.write(bytes);
  else client.write(bytes);
}
