import { readFileSync } from 'node:fs';
import { builtin, StatusError } from '@keelson/apimachinery';
import { createClient, type Client, type Cluster } from '@keelson/client';
import { createInformerCache, type ListerWatcher } from '@keelson/informer';
import type { LiveView, LiveViewOptions } from './live-view.ts';

export function keelsonView(options: LiveViewOptions): LiveView {
  const client = createClient({ cluster: clusterFor(options), http2: options.http2 ?? true });
  return viewOver((query) => client.listerWatcher(query), options);
}

/** Reads built-in kinds as custom resources are read. */
export function keelsonJsonView(options: LiveViewOptions): LiveView {
  const client = createClient({ cluster: clusterFor(options), protobuf: false });
  return viewOver((query) => client.listerWatcher(query), options);
}

/** Lists as with a server that does not support WatchList. */
export function keelsonByListView(options: LiveViewOptions): LiveView {
  return byListView(createClient({ cluster: clusterFor(options) }), options);
}

export function keelsonByListJsonView(options: LiveViewOptions): LiveView {
  return byListView(createClient({ cluster: clusterFor(options), protobuf: false }), options);
}

function byListView(client: Client, options: LiveViewOptions): LiveView {
  return viewOver((query) => withoutWatchList(client.listerWatcher(query)), options);
}

/** The connection data of a client of Keelson. */
export function clusterFor({ server, tls }: Pick<LiveViewOptions, 'server' | 'tls'>): Cluster {
  if (server.access !== undefined) {
    return JSON.parse(readFileSync(server.access.cluster, 'utf8')) as Cluster;
  }
  return { server: tls ? server.tlsUrl : server.url, tls: { rejectUnauthorized: false } };
}

function viewOver(
  listerWatcher: (query: Parameters<Client['listerWatcher']>[0]) => ListerWatcher,
  options: LiveViewOptions,
): LiveView {
  const cache = createInformerCache({ listerWatcher });
  const acquire = (n: number) => cache.acquire({ resource: builtin.Pod }, { owner: `bench-${n}` });
  const handle = acquire(0);
  const others = Array.from({ length: (options.handles ?? 1) - 1 }, (_, n) => acquire(n + 1));
  const { keepsViews = false } = options;
  const registrations = [handle, ...others].flatMap((held) =>
    Array.from({ length: options.handlers }, () =>
      held.addEventHandler((event) => options.onEvent(event.object.metadata), { keepsViews }),
    ),
  );
  return {
    async start(): Promise<void> {
      await handle.synced;
      await Promise.all(registrations.map((registration) => registration.synced));
    },
    size: () => handle.store.size,
  };
}

/** Rejects the request as an API server does that does not support the option. */
function withoutWatchList(inner: ListerWatcher): ListerWatcher {
  return {
    list: (request) => inner.list(request),
    watch(request) {
      if (request.sendInitialEvents !== true) return inner.watch(request);
      throw new StatusError({ code: 422, reason: 'Invalid', message: 'no sendInitialEvents here' });
    },
  };
}
