import type { SeenMetadata } from '../views/live-view.ts';
import { loadView } from '../views/load-view.ts';
import { FIRST_EVENT_VERSION, microseconds } from '../servers/pod-stream.ts';
import type { Job } from '../servers/protocol.ts';

/** Measures the time from the end of a watch to the last missed change, and the requests to the server. */
export const recovery: Job = async ({ options, server, ask }) => {
  const changed = Number(options['changed']);
  const how = options['how'] as 'stream' | 'connect' | 'cut';
  const create = await loadView(String(options['view']));
  const finished = Promise.withResolvers<number>();
  let missing = changed;
  const onEvent = ({ resourceVersion }: SeenMetadata): void => {
    if (Number(resourceVersion) < FIRST_EVENT_VERSION) return;
    if (--missing === 0) finished.resolve(microseconds());
  };
  const view = await create({ server, tls: false, handlers: 1, onEvent });
  await view.start();
  const before = await ask({ name: 'stats' });
  const { at } = await ask({ name: 'expire', how, changed });
  const ms = ((await finished.promise) - at) / 1000;
  const { lists } = await ask({ name: 'stats' });
  return { ms, lists: lists - before.lists };
};
