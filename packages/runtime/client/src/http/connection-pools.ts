import type { TLSSocket } from 'node:tls';
import type { buildConnector, Dispatcher, Pool } from 'undici';
import { startTimer } from '@keelson/apimachinery';
import type { ClusterTls } from '../cluster/cluster.ts';
import { ConnectError, markFailures } from './connect-error.ts';
import type { CurrentCredentials } from './credential-cache.ts';
import { ClientError } from '../errors.ts';
import { Http1Watches, type ConnectSocket } from './http1/http1-watches.ts';
import { Http2Connection } from './http2/http2-connection.ts';
import { abortReason } from './body/abort-reason.ts';
import { exchange } from './body/undici-exchange.ts';
import type { OpenResponse, SentRequest } from './body/exchange.ts';
import { OpenSockets } from './open-sockets.ts';
import { tlsOptions } from '../cluster/tls-options.ts';
import type { TransportRequest } from './transport-request.ts';
import { WatchConnections } from './http2/watch-connections.ts';
import { guardedDispatcher } from './write-guard.ts';
import {
  loadConnector,
  loadPools,
  loadUndici,
  type Undici,
  type UndiciConnector,
  type UndiciPools,
} from '../undici/load-undici.ts';

type Connector = buildConnector.connector;

/** The address of a cluster, and how to reach it. */
export interface Target {
  readonly url: URL;
  readonly proxy: string | undefined;
  /** Watches, and the requests `beforeWatch`, use HTTP/2 if the server supports it. */
  readonly http2: boolean;
}

/** Time limit for opening a connection, TLS handshake included. */
const CONNECT_TIMEOUT_MS = 10_000;
/**
 * Milliseconds of silence before the first TCP keep-alive probe. libuv sends 10 probes a second apart, so a lost host
 * is noticed after 19 s.
 */
const TCP_KEEPALIVE_MS = 9_000;
/**
 * Milliseconds for which idle connections are kept, for bursts of reconciles. kube-apiserver closes them after 90 s.
 */
const IDLE_CONNECTION_TIMEOUT_MS = 60_000;
/** The most connections of the pool `requests`. Further requests wait for a free connection. */
const MAX_REQUEST_CONNECTIONS = 64;

/**
 * The connection pools of one cluster: for requests, for streams and for watches. Requests therefore never wait
 * for a thousand open watches, or for a list whose consumer sends requests of its own. New TLS material leads
 * to new pools; requests that are still running finish on the old ones.
 */
export class ConnectionPools {
  readonly #target: Target;
  #connector: UndiciConnector | undefined;
  /** All that the client uses of undici for a target with a proxy. */
  #undici: UndiciPools | Undici | undefined;
  /** The loads of undici that requests wait for. */
  readonly #loads = new Set<Promise<void>>();
  #current: PoolSet | undefined;
  readonly #retired = new Set<PoolSet>();
  readonly #sockets = new OpenSockets();
  #isClosed = false;

  constructor(target: Target) {
    this.#target = target;
    if (target.proxy !== undefined) checkProxy(target.proxy);
  }

  /** Sends a request with the TLS material of these credentials over one of the pools. */
  async send(
    held: CurrentCredentials,
    { pool: kind = 'requests', guard }: Pick<TransportRequest, 'pool' | 'guard'>,
    sent: SentRequest,
  ): Promise<OpenResponse> {
    const isWatch = kind === 'watches' || kind === 'beforeWatch';
    // undici is loaded with the first request, so that importing the package stays cheap. A watch needs its pools only
    // through a proxy, and does not wait for them otherwise.
    const needsPools = !isWatch || this.#target.proxy !== undefined;
    if (this.#connector === undefined || (needsPools && this.#undici === undefined)) {
      await this.#load(needsPools);
    }
    if (this.#isClosed) throw new ClientError('CLIENT_CLOSED');
    if (this.#current?.tlsFingerprint !== held.tlsFingerprint) this.#renew(held);
    const set = this.#current as PoolSet;
    if (kind === 'watches') return set.watches.request(sent);
    if (kind === 'beforeWatch') {
      return set.watches.request(sent, () => this.#requestOverHttp1(sent));
    }
    const undici = this.#undici as UndiciPools;
    const pool = set[kind] ?? set.open(undici, kind);
    return exchange(guard === undefined ? pool : guardedDispatcher(undici, pool, guard), sent);
  }

  /** Aborts pending requests; settles when every socket is closed. */
  async close(reason: Error): Promise<void> {
    const sets = [...this.#retired, ...(this.#current === undefined ? [] : [this.#current])];
    const ended = sets.flatMap((set) => set.destroy(reason));
    this.#isClosed = true;
    this.#sockets.destroy(reason);
    await Promise.all([...ended, ...sets.map(({ http1Watches }) => http1Watches.close())]);
  }

  /** Closes the sockets when the last response has ended. The caller must not send further requests. */
  async retire(): Promise<void> {
    // A request that waits for undici has no pool yet. It continues before this call does.
    await Promise.allSettled(this.#loads);
    if (this.#current !== undefined) await this.#retire(this.#current);
  }

  #load(needsPools: boolean): Promise<void> {
    // From its import on, node:tls reads NODE_EXTRA_CA_CERTS in a thread, for which the first connection waits.
    if (this.#target.url.protocol === 'https:') process.getBuiltinModule('node:tls');
    const load = needsPools ? this.#loadUndici() : this.#loadConnector();
    this.#loads.add(load);
    const forget = (): void => void this.#loads.delete(load);
    load.then(forget, forget);
    return load;
  }

  async #loadConnector(): Promise<void> {
    this.#connector ??= await loadConnector();
  }

  async #loadUndici(): Promise<void> {
    const load = this.#target.proxy === undefined ? loadPools : loadUndici;
    this.#undici ??= await load();
    this.#connector = this.#undici;
  }

  /** Sends a request over the present pool `requests`, whose TLS material may be newer than that of the request. */
  async #requestOverHttp1(sent: SentRequest): Promise<OpenResponse> {
    if (this.#undici === undefined) await this.#load(true);
    const set = this.#current as PoolSet;
    return exchange(set.requests ?? set.open(this.#undici as UndiciPools, 'requests'), sent);
  }

  #renew(held: CurrentCredentials): void {
    const old = this.#current;
    const route = { ...this.#target, tls: held.tls, sockets: this.#sockets };
    const connector = this.#connector as UndiciConnector;
    this.#current = new PoolSet(route, held.tlsFingerprint, connector, this.#undici);
    if (old !== undefined) void this.#retire(old);
  }

  async #retire(set: PoolSet): Promise<void> {
    this.#retired.add(set);
    await set.close();
    this.#retired.delete(set);
  }
}

/** The connection pools for one set of TLS material. */
class PoolSet {
  readonly tlsFingerprint: string;
  readonly watches: WatchConnections;
  readonly http1Watches: Http1Watches;
  /** Pool of requests whose bodies the client reads at once; `undefined` until the first of them. */
  requests: Dispatcher | undefined;
  /**
   * Pool of lists, and of watches through a proxy, which hold their sockets for as long as their consumers need;
   * `undefined` until the first of them.
   */
  streams: Dispatcher | undefined;
  readonly #route: Route;
  #isClosing = false;

  /** `undici` must be given for a route through a proxy. */
  constructor(
    route: Route,
    tlsFingerprint: string,
    connector: UndiciConnector,
    undici: UndiciPools | Undici | undefined,
  ) {
    this.#route = route;
    this.tlsFingerprint = tlsFingerprint;
    const http1Watches = new Http1Watches(socketConnector(connector, route));
    this.http1Watches = http1Watches;
    const streams =
      route.proxy === undefined ? undefined : this.open(undici as UndiciPools, 'streams');
    this.watches = new WatchConnections({
      open: () => openHttp2(connector, route),
      http1: (sent) =>
        streams === undefined ? http1Watches.request(sent) : exchange(streams, sent),
    });
  }

  /** Creates a pool. Throws the error of a closed one after `close`. */
  open(undici: UndiciPools, kind: 'requests' | 'streams'): Dispatcher {
    if (this.#isClosing) throw new undici.errors.ClientClosedError();
    const connections = kind === 'requests' ? MAX_REQUEST_CONNECTIONS : null;
    const pool = connect(undici, this.#route, connections);
    this[kind] = pool;
    return pool;
  }

  /** Resolves when every response has ended and every connection is closed. */
  async close(): Promise<void> {
    const { watches, http1Watches } = this;
    this.#isClosing = true;
    const all = [...this.#opened(), watches, http1Watches];
    await Promise.allSettled(all.map((each) => each.close()));
  }

  /** Aborts the responses of undici and of HTTP/2. Returns their ends. */
  destroy(reason: Error): Promise<void>[] {
    this.#isClosing = true;
    return [...this.#opened(), this.watches].map((each) => each.destroy(reason));
  }

  #opened(): Dispatcher[] {
    return [this.requests, this.streams].filter((pool) => pool !== undefined);
  }
}

interface Route extends Target {
  readonly tls: ClusterTls;
  readonly sockets: OpenSockets;
}

const socketOptions = {
  keepAlive: true,
  keepAliveInitialDelay: TCP_KEEPALIVE_MS,
  timeout: CONNECT_TIMEOUT_MS,
};

/** Opens a connection over HTTP/2. Resolves with `undefined` if the server or the route does not support it. */
async function openHttp2(
  { buildConnector, errors }: UndiciConnector,
  route: Route,
): Promise<Http2Connection | undefined> {
  const { url, proxy, http2, tls, sockets } = route;
  if (!http2 || proxy !== undefined || url.protocol !== 'https:') return undefined;
  // It loads during the handshake instead of after it.
  void import('node:http2');
  const attempt = new OpenSockets();
  let timeout: Error | undefined;
  const stop = startTimer(CONNECT_TIMEOUT_MS, () => {
    timeout = new errors.ConnectTimeoutError();
    attempt.destroy(timeout);
  });
  try {
    const options = { ...tlsOptions(tls), ...socketOptions, allowH2: true, preferH2: true };
    const connector = attempt.tracked(buildConnector(options));
    const opened = await connected(sockets.tracked(connector), url);
    if (opened.alpnProtocol === 'h2') return await Http2Connection.open(url, opened);
    opened.destroy();
    return undefined;
  } catch (error) {
    throw new ConnectError('no connection was opened', { cause: timeout ?? error });
  } finally {
    stop();
  }
}

/** Returns a function that opens connections over HTTP/1.1 without a proxy. */
function socketConnector(
  { buildConnector }: UndiciConnector,
  { url, tls, sockets }: Route,
): ConnectSocket {
  const isPlain = url.protocol === 'http:';
  const secure = buildConnector({ ...tlsOptions(tls), ...socketOptions, allowH2: false });
  return async (onread, signal) => {
    const connector = isPlain ? buildConnector({ ...socketOptions, onread }) : secure;
    const attempt = new OpenSockets();
    const abort = (): void => attempt.destroy(abortReason(signal));
    signal?.addEventListener('abort', abort, { once: true });
    try {
      return await connected(attempt.tracked(sockets.tracked(connector)), url);
    } catch (error) {
      throw new ConnectError('no connection was opened', { cause: error });
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  };
}

function connected(
  connector: Connector,
  { protocol, host, hostname, port }: URL,
): Promise<TLSSocket> {
  const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>();
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  connector({ protocol, host, hostname: address, port }, (error, socket) => {
    if (error === null) resolve(socket as TLSSocket);
    else reject(error);
  });
  return promise;
}

function connect(undici: UndiciPools, route: Route, connections: number | null): Dispatcher {
  const { url, proxy, tls, sockets } = route;
  // Requests of the pools use HTTP/1.1: over HTTP/2, undici ends the body of a broken stream as if it were complete.
  const common = {
    allowH2: false,
    connections,
    pipelining: 1,
    keepAliveTimeout: IDLE_CONNECTION_TIMEOUT_MS,
  };
  const connector = { ...tlsOptions(tls), ...socketOptions };
  const open = (origin: string | URL, options: Pool.Options, connects: Connector): Dispatcher =>
    new undici.Pool(origin, { ...options, connect: markFailures(sockets.tracked(connects)) });
  if (proxy === undefined) {
    return open(url.origin, common, undici.buildConnector({ ...connector, allowH2: false }));
  }
  // A target with a proxy loads all of it.
  const { ProxyAgent, Socks5ProxyAgent } = undici as Undici;
  if (proxy.startsWith('socks')) {
    return new Socks5ProxyAgent(proxy.replace(/^socks5?h?:/, 'socks5:'), {
      ...common,
      connect: markFailures(sockets.tracked(undici.buildConnector(socketOptions))),
      requestTls: connector,
    });
  }
  return new ProxyAgent({
    ...common,
    uri: proxy,
    requestTls: connector,
    proxyTls: socketOptions,
    clientFactory(origin, options) {
      const { connect: connects, ...rest } = options as Pool.Options & { connect: Connector };
      return new undici.Pool(origin, { ...rest, connect: sockets.tracked(connects) });
    },
    factory: (origin, options) => {
      // The connector of the proxy agent, which opens a tunnel through the proxy.
      const tunnelled = options as Pool.Options & { connect: Connector };
      return open(origin, tunnelled, tunnelled.connect);
    },
  });
}

function checkProxy(proxy: string): void {
  const protocol = URL.canParse(proxy) ? new URL(proxy).protocol : '';
  if (['http:', 'https:', 'socks:', 'socks5:', 'socks5h:'].includes(protocol)) return;
  throw new ClientError('INVALID_CLUSTER', {
    option: 'proxy',
    expected: 'an http, https or socks5 URL',
  });
}
