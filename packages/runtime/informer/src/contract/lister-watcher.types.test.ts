import { expect, test } from '@jest/globals';
import type { Client } from '@keelson/client';
import type { InformerCacheOptions } from '../cache/informer-cache-options.ts';
import type { ListRequest, WatchRequest } from './lister-watcher.ts';

/** The lister-watcher of `@keelson/client`; neither package imports the other. */
type Theirs = ReturnType<Client['listerWatcher']>;
type Same<Left, Right> = [Left, Right] extends [Right, Left] ? true : never;

/** Never called: the test is that these lines compile. */
export function wiring(client: Client): InformerCacheOptions['listerWatcher'] {
  // The client would ignore an option that only the informer knows.
  const requests: [
    Same<Required<ListRequest>, Required<Parameters<Theirs['list']>[0]>>,
    Same<Required<WatchRequest>, Required<Parameters<Theirs['watch']>[0]>>,
  ] = [true, true];
  expect(requests).toBeDefined();
  return (query) => client.listerWatcher(query);
}

test('a lister-watcher of the client compiles as a ListerWatcher, request by request', () => {
  expect(wiring).toBeInstanceOf(Function);
});
