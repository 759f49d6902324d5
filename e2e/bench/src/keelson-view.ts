import { builtin } from '@keelson/apimachinery';
import { createClient } from '@keelson/client';
import { createInformerCache } from '@keelson/informer';
import type { LiveView, LiveViewOptions } from './live-view.ts';

export function keelsonView(options: LiveViewOptions): LiveView {
  const server = options.tls ? options.server.tlsUrl : options.server.url;
  const client = createClient({ cluster: { server, tls: { rejectUnauthorized: false } } });
  const cache = createInformerCache({ listerWatcher: (query) => client.listerWatcher(query) });
  const handle = cache.acquire({ resource: builtin.Pod }, { owner: 'bench' });
  const registrations = Array.from({ length: options.handlers }, () =>
    handle.addEventHandler((event) => options.onEvent(event.object.metadata)),
  );
  return {
    async start(): Promise<void> {
      await handle.synced;
      await Promise.all(registrations.map((registration) => registration.synced));
    },
    size: () => handle.store.size,
  };
}
