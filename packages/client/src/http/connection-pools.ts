import { setMaxListeners } from 'node:events';
import type { buildConnector, Dispatcher, Pool } from 'undici';
import type { ClusterTls } from '../cluster/cluster.ts';
import { markFailures } from './connect-error.ts';
import type { CurrentCredentials } from './credential-cache.ts';
import { ClientError } from '../errors.ts';
import { tlsOptions } from '../cluster/tls-options.ts';
import type { WriteGuard } from './transport-request.ts';
import { guardedDispatcher } from './write-guard.ts';

type Undici = typeof import('undici');
type Connector = buildConnector.connector;

/** The two connection pools for one set of TLS material. */
interface PoolPair {
  readonly tlsFingerprint: string;
  /** Pool of requests whose bodies the client reads at once. */
  readonly requests: Dispatcher;
  /** Pool of watches and lists, which hold their sockets for as long as their consumers need. */
  readonly streams: Dispatcher;
}

/** Time limit for opening a connection, TLS handshake included. */
const CONNECT_TIMEOUT_MS = 10_000;
/** Below the idle timeouts of common load balancers; the value of client-go. */
const TCP_KEEPALIVE_MS = 30_000;
/** Idle connections are kept for bursts of reconciles. kube-apiserver closes them after 90 s. */
const IDLE_CONNECTION_TIMEOUT_MS = 60_000;
/** Further requests wait for a free connection instead of opening more sockets. */
const MAX_REQUEST_CONNECTIONS = 64;

/**
 * The connection pools of one cluster: one for requests and one for streams. Requests therefore never wait
 * for a thousand open watches, or for a list whose consumer sends requests of its own. New TLS material leads
 * to new pools; requests that are still running finish on the old ones.
 */
export class ConnectionPools {
  readonly #url: URL;
  readonly #proxy: string | undefined;
  #undici: Undici | undefined;
  #current: PoolPair | undefined;
  readonly #retired = new Set<PoolPair>();
  /** Destroys sockets that do not belong to a request yet, such as those in a TLS handshake. */
  readonly #stop = new AbortController();

  constructor(url: URL, proxy: string | undefined) {
    this.#url = url;
    this.#proxy = proxy;
    if (proxy !== undefined) checkProxy(proxy);
    setMaxListeners(0, this.#stop.signal);
  }

  async for(
    held: CurrentCredentials,
    kind: 'requests' | 'streams',
    guard?: WriteGuard,
  ): Promise<Dispatcher> {
    // Loaded with the first request, so that importing the package stays cheap.
    this.#undici ??= await import('undici');
    if (this.#stop.signal.aborted) throw new ClientError('CLIENT_CLOSED');
    if (this.#current?.tlsFingerprint !== held.tlsFingerprint) this.#renew(this.#undici, held);
    const pool = (this.#current as PoolPair)[kind];
    return guard === undefined ? pool : guardedDispatcher(this.#undici, pool, guard);
  }

  /** Aborts pending requests; settles when every socket is closed. */
  async close(reason: Error): Promise<void> {
    const generations = [...this.#retired, ...(this.#current === undefined ? [] : [this.#current])];
    const ended = generations.flatMap(({ requests, streams }) => [
      requests.destroy(reason),
      streams.destroy(reason),
    ]);
    this.#stop.abort(reason);
    await Promise.all(ended);
  }

  #renew(undici: Undici, held: CurrentCredentials): void {
    const old = this.#current;
    const open = (connections: number | null): Dispatcher =>
      connect(undici, {
        url: this.#url,
        proxy: this.#proxy,
        tls: held.tls,
        connections,
        signal: this.#stop.signal,
      });
    this.#current = {
      tlsFingerprint: held.tlsFingerprint,
      requests: open(MAX_REQUEST_CONNECTIONS),
      streams: open(null),
    };
    if (old !== undefined) this.#retire(old);
  }

  #retire(generation: PoolPair): void {
    this.#retired.add(generation);
    const ended = Promise.allSettled([generation.requests.close(), generation.streams.close()]);
    void ended.then(() => this.#retired.delete(generation));
  }
}

interface Route {
  readonly url: URL;
  readonly proxy: string | undefined;
  readonly tls: ClusterTls;
  readonly connections: number | null;
  readonly signal: AbortSignal;
}

function connect(undici: Undici, { url, proxy, tls, connections, signal }: Route): Dispatcher {
  const socket = {
    signal,
    keepAlive: true,
    keepAliveInitialDelay: TCP_KEEPALIVE_MS,
    timeout: CONNECT_TIMEOUT_MS,
  };
  // HTTP/1.1 only: over HTTP/2, undici ends the body of a broken stream as if it were complete.
  const common = {
    allowH2: false,
    connections,
    pipelining: 1,
    keepAliveTimeout: IDLE_CONNECTION_TIMEOUT_MS,
  };
  const connector = { ...tlsOptions(tls), ...socket };
  const open = (origin: string | URL, options: Pool.Options, connects: Connector): Dispatcher =>
    new undici.Pool(origin, { ...options, connect: markFailures(connects) });
  if (proxy === undefined) {
    return open(url.origin, common, undici.buildConnector({ ...connector, allowH2: false }));
  }
  if (proxy.startsWith('socks')) {
    return new undici.Socks5ProxyAgent(proxy.replace(/^socks5?h?:/, 'socks5:'), {
      ...common,
      connect: markFailures(undici.buildConnector(socket)),
      requestTls: connector,
    });
  }
  return new undici.ProxyAgent({
    ...common,
    uri: proxy,
    requestTls: connector,
    proxyTls: socket,
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
