import { expect, test } from '@jest/globals';
import type { Client } from '@keelson/client';
import type { InformerCacheOptions } from '../cache/informer-cache-options.ts';
import type { ListRequest, WatchRequest } from './lister-watcher.ts';

/** What `@keelson/client` makes; neither package imports the other. */
type Theirs = ReturnType<Client['listerWatcher']>;
type Same<Left, Right> = [Left, Right] extends [Right, Left] ? true : never;

/** Never run: what matters is what the compiler says of each line. */
export function wiring(client: Client): InformerCacheOptions['listerWatcher'] {
  // An option that only one side knows would be asked for and never sent.
  const requests: [
    Same<Required<ListRequest>, Required<Parameters<Theirs['list']>[0]>>,
    Same<Required<WatchRequest>, Required<Parameters<Theirs['watch']>[0]>>,
  ] = [true, true];
  expect(requests).toBeDefined();
  return (query) => client.listerWatcher(query);
}

test("a client's lister-watcher is one of ours, request by request, or it is a compile error", () => {
  expect(wiring).toBeInstanceOf(Function);
});
