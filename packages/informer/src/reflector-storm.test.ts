import { describe, expect, test } from '@jest/globals';
import type { Frame } from '@keelson/apimachinery';
import { array, assert, asyncProperty, boolean, constantFrom, nat, record } from 'fast-check';
import { Harness } from './harness.test-support.ts';
import { History } from './history.test-support.ts';
import type { InformerEvent } from './informer-event.ts';
import type { ListRequest, WatchRequest } from './lister-watcher.ts';
import { isOlder } from './resource-version.ts';
import {
  bytesFrame,
  cutShort,
  failing,
  objectFrame,
  refused,
  silence,
  statusError,
  Thing,
} from './scripted-source.test-support.ts';
import { pass, stopTheClock } from './stopped-clock.test-support.ts';
import type { WatchHandle } from './watch-handle.ts';

stopTheClock();

/** A source in the hands of chance: what happens to it, one deed at a time. */
class Storm {
  readonly #harness: Harness;
  readonly #told: Frame[] = [];
  /** What is torn three times in a row is passed over, what goes back three times is no longer held to an order. */
  #tearsLeft = 2;
  #repeatsLeft = 2;
  #tears = false;

  constructor(harness: Harness) {
    this.#harness = harness;
    harness.source.toFrame = (type, object) => {
      const frame = bytesFrame(type, object);
      if (type === 'BOOKMARK') return frame;
      this.#told.push(frame);
      const to = this.#tears ? frame.to - 5 : frame.to;
      this.#tears = false;
      return { ...frame, to };
    };
  }

  /** Deeds that take a number, by their names. */
  readonly deeds: Readonly<Record<string, (number: number) => void | Promise<void>>> = {
    set: (n) => void this.#harness.source.set(`o${n % 5}`),
    remove: (n) => this.#remove(`o${n % 5}`),
    replace: (n) => {
      this.#remove(`o${n % 5}`);
      this.#harness.source.set(`o${n % 5}`);
    },
    compact: () => this.#harness.source.compact(),
    end: () => this.#harness.source.cut(),
    cut: () => this.#harness.source.cut(new Error('reset')),
    fail: (n) => this.#harness.source.fail([410, 500, 429][n % 3] ?? 410, 'Trouble'),
    repeat: (n) => {
      if (this.#repeatsLeft-- > 0) this.#tellAll(this.#told.slice(-(n % 10) - 1));
    },
    tear: () => void (this.#tears = this.#tearsLeft-- > 0),
    bookmark: () => this.#harness.source.bookmark(),
    mute: () => this.#harness.source.openWatches.clear(),
    troubleWatches: (n) => void this.#harness.source.watchScripts.push(trouble(n)),
    troubleLists: (n) => void this.#harness.source.listScripts.push(trouble(n)),
    wait: (n) => pass([0, 50, 1_000, 20_000, 100_000][n % 5] ?? 0),
  };

  #remove(name: string): void {
    const isThere = this.#harness.source.objects.some(({ metadata }) => metadata?.name === name);
    if (isThere) this.#harness.source.remove(name);
  }

  #tellAll(frames: readonly Frame[]): void {
    for (const watch of this.#harness.source.openWatches) watch.push(frames);
  }
}

function trouble(n: number) {
  const troubles = [
    () => failing(refused()),
    () => failing(statusError(410, 'Expired')),
    () => failing(statusError(503, 'ServiceUnavailable')),
    () => failing(statusError(429, 'TooManyRequests', { details: { retryAfterSeconds: 2 } })),
    () => failing(statusError(422, 'Invalid')),
    cutShort,
    silence,
    halfAState,
  ];
  return troubles[n % troubles.length];
}

/** One object of a state, and then the connection breaks. */
async function* halfAState(request: ListRequest | WatchRequest) {
  const isFollowing = 'timeoutSeconds' in request && request.sendInitialEvents !== true;
  const metadata = { name: 'ghost', namespace: 'default', uid: 'ghost', resourceVersion: '1' };
  yield { frames: isFollowing ? [] : [objectFrame('ADDED', { metadata })], receivedAt: 0 };
  throw new Error('reset');
}

const byUid = { name: 'uid', head: ({ uid }: { readonly uid: string }) => [uid] };

function versionOf({ object }: InformerEvent<Thing>): string {
  return object.resourceVersion;
}

/** The objects that a list by the index does not find, or not alone. */
function unindexed({ store }: WatchHandle<Thing>): string[] {
  return store
    .views()
    .filter((view) => {
      const found = store.views({ index: { name: 'uid', value: view.uid } });
      return found.length !== 1 || found[0] !== view;
    })
    .map(({ key }) => key);
}

describe('reflector in a storm', () => {
  test('SI36 whatever happens in whatever order: in the end everything is told, once and in order', async () => {
    const names = Object.keys(new Storm(new Harness()).deeds);
    const deed = record({
      does: constantFrom('set', 'set', 'set', 'remove', 'replace', 'wait', ...names),
      number: nat(100),
    });
    await assert(
      asyncProperty(
        array(deed, { minLength: 20, maxLength: 60 }),
        boolean(),
        async (deeds, watchList) => {
          await using harness = new Harness();
          harness.source.supportsWatchList = watchList;
          const storm = new Storm(harness);
          const scope = harness.cache.scope();
          const handle = scope.acquire({ resource: Thing, indexers: [byUid] }, { owner: 'storm' });
          const history = new History();
          const late: string[] = [];
          handle.addEventHandler((event) => {
            history.handler(event);
            if (event.type !== 'deleted' && isOlder(handle.store.resourceVersion, versionOf(event)))
              late.push(`the store is at ${handle.store.resourceVersion}`);
          });
          for (const { does, number } of deeds) {
            await storm.deeds[does]?.(number);
            await pass(0);
          }
          harness.source.watchScripts.length = 0;
          harness.source.listScripts.length = 0;
          await pass(20 * 60_000);
          const truth = harness.source.objects.map(
            ({ metadata: { namespace, name, uid, resourceVersion } = {} }) =>
              `${namespace}/${name} ${uid} ${resourceVersion}`,
          );
          expect([...history.complaints, ...late]).toEqual([]);
          expect(scope.list(Thing)).toEqual(handle.store.list());
          expect(unindexed(handle)).toEqual([]);
          expect(harness.cache.inventory()[0]?.indices[0]?.values).toBe(truth.length);
          expect(history.state).toEqual(truth.toSorted());
          expect(handle.health.state).toBe('live');
          expect(harness.observer.of('loop')).toEqual([]);
        },
      ),
      { numRuns: 300 },
    );
  }, 60_000);
});
