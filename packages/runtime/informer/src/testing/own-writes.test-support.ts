import { createInformerCache, type InformerCache } from '../cache/informer-cache.ts';
import type { InformerCacheOptions } from '../cache/informer-cache-options.ts';
import type { WatchHandle } from '../contract/watch-handle.ts';
import type { WatchQuery } from '../contract/watch-query.ts';
import { eventually, Thing } from './scripted-source.test-support.ts';
import { VersionedServer, type Stream, type ThingState } from './versioned-server.test-support.ts';

/** A cache over a server whose events wait until `send`. */
export class OwnWrites implements AsyncDisposable {
  readonly server: VersionedServer = new VersionedServer();
  readonly cache: InformerCache;
  readonly ends: string[] = [];
  readonly skips: string[] = [];

  constructor(options: Partial<InformerCacheOptions> = {}) {
    this.server.isHeld = true;
    this.cache = createInformerCache({
      listerWatcher: this.server.listerWatcher,
      freeze: true,
      random: () => 1,
      observer: {
        ownWriteEnded: (_watch, cause) => void this.ends.push(cause),
        skipped: (_watch, cause) => void this.skips.push(cause),
      },
      ...options,
    });
  }

  async synced(query: Partial<WatchQuery<Thing>> = {}): Promise<WatchHandle<Thing>> {
    const handle = this.cache.acquire({ resource: Thing, ...query }, { owner: 'test' });
    await handle.synced;
    await eventually(() => this.server.streams.size > 0, 'the watch');
    return handle;
  }

  /** Writes an object, and gives the response to the cache. */
  write(name: string, state: ThingState = {}): Thing {
    const object = this.server.set(name, state);
    this.cache.written(Thing, structuredClone(object));
    return object;
  }

  /** Deletes an object, and gives the response to the cache. */
  delete(name: string): void {
    const { namespace, uid = '' } = this.server.remove(name)?.metadata ?? {};
    this.cache.deleted(Thing, { namespace, name, uid });
  }

  /** Sends all events, and waits until every watch has reached the last one. */
  async send(): Promise<void> {
    this.server.sendAll();
    this.server.bookmarkAll();
    const version = String(this.server.version);
    await eventually(
      () => this.cache.inventory().every(({ resourceVersion }) => resourceVersion === version),
      'the last version',
    );
  }

  get stream(): Stream {
    return this.server.streamOf(() => true);
  }

  /** The own writes that reads return. */
  get count(): number {
    return this.cache.inventory().reduce((sum, { ownWrites }) => sum + ownWrites, 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cache.close();
  }
}

/** The value of a Thing; `none` without one. */
export function valueOf(
  object: { readonly spec?: { readonly value?: number } } | undefined,
): unknown {
  return object === undefined ? 'none' : object.spec?.value;
}
