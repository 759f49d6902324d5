import { once } from 'node:events';
import {
  createServer,
  request as askPlain,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { request as askSecurely } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Cluster } from '@keelson/client';

/** One request and its response in a proxy. */
export interface Exchange {
  readonly verb: 'list' | 'watch' | 'watch-list';
  /** The URL of the request to the server; a fault may change it first. */
  readonly url: URL;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * A proxy in front of a server over plain HTTP/1.1. It can change responses as gateways, load balancers and broken
 * servers do. By default it forwards all data unchanged.
 */
export class HttpProxy implements AsyncDisposable {
  /** The open exchanges. */
  readonly open: Set<Exchange> = new Set();
  /** Returns true for a request that it handles itself. */
  onRequest: (exchange: Exchange) => boolean = () => false;
  /** Receives each line of a watch and each chunk of a list. Default: forwards it. */
  onPiece: (piece: Buffer, exchange: Exchange) => void = forward;
  /** The server that receives the requests. */
  target: Cluster;
  readonly #server: Server;

  private constructor(target: Cluster) {
    this.target = target;
    this.#server = createServer((request, response) => this.#take(request, response));
  }

  static async open(target: Cluster): Promise<HttpProxy> {
    const proxy = new HttpProxy(target);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  /** The address of the proxy as a cluster. */
  get cluster(): Cluster {
    const { port } = this.#server.address() as AddressInfo;
    const { tls: _ours, ...rest } = this.target;
    return { ...rest, server: `http://127.0.0.1:${port}` };
  }

  /** Closes the connection of every open watch. */
  cut(): void {
    for (const { verb, response } of this.open) {
      if (verb !== 'list') response.socket?.resetAndDestroy();
    }
  }

  /** Forwards all data unchanged from now on. */
  restore(): void {
    this.onRequest = () => false;
    this.onPiece = forward;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? '', this.target.server);
    const exchange: Exchange = { verb: verbOf(url), url, request, response };
    this.open.add(exchange);
    response.on('close', () => this.open.delete(exchange));
    if (!this.onRequest(exchange)) this.#forward(exchange);
  }

  #forward(exchange: Exchange): void {
    const { url, request, response } = exchange;
    const ask = url.protocol === 'https:' ? askSecurely : askPlain;
    const { ca, cert, key, servername, rejectUnauthorized } = this.target.tls ?? {};
    const tls = { ca, cert, key, servername, rejectUnauthorized } as object;
    const { token } = this.target;
    const proof = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const headers = { ...request.headers, ...proof, host: url.host };
    const asked = ask(url, { ...tls, headers, agent: false }, (upstream) => {
      this.#relay(upstream, exchange);
    });
    asked.on('error', () => response.destroy());
    response.on('close', () => asked.destroy());
    asked.end();
  }

  #relay(upstream: IncomingMessage, exchange: Exchange): void {
    const { verb, response } = exchange;
    const { connection: _hop, 'transfer-encoding': _framing, ...headers } = upstream.headers;
    response.writeHead(upstream.statusCode ?? 500, headers).flushHeaders();
    const onLine = (piece: Buffer): void => this.onPiece(piece, exchange);
    upstream.on('data', verb === 'list' ? onLine : lines(onLine));
    upstream.on('end', () => response.end());
    upstream.on('error', () => response.destroy());
  }
}

function verbOf({ searchParams }: URL): Exchange['verb'] {
  if (searchParams.has('sendInitialEvents')) return 'watch-list';
  return searchParams.has('watch') ? 'watch' : 'list';
}

/** Forwards a piece unchanged. */
export function forward(piece: Buffer, { response }: Exchange): void {
  if (!response.writableEnded && !response.destroyed) response.write(piece);
}

/** Splits chunks into lines. */
function lines(onLine: (line: Buffer) => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
      onLine(rest.subarray(0, end + 1));
      rest = rest.subarray(end + 1);
    }
  };
}
