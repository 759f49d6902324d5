import { describe, expect, test } from '@jest/globals';
import { ownerReferenceTo } from '@keelson/apimachinery';
import { jsonFormat, type Frame, type WatchEventType } from '@keelson/wire';
import { array, assert, asyncProperty, boolean, constantFrom, nat, record } from 'fast-check';
import { Harness } from '../testing/harness.test-support.ts';
import { History } from '../testing/history.test-support.ts';
import type { EventHandlerRegistration, InformerEvent } from '../contract/informer-event.ts';
import type { ListRequest, WatchRequest } from '../contract/lister-watcher.ts';
import type { ObjectView } from '../contract/object-view.ts';
import { checkedIndexers, checkedOwner, indexFaults } from '../testing/index-check.test-support.ts';
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
} from '../testing/scripted-source.test-support.ts';
import { pass, stopTheClock } from '../testing/stopped-clock.test-support.ts';
import type { WatchHandle } from '../contract/watch-handle.ts';

/** The share of the random runs: a tenth in `npm test`, all in `.ci/run`. */
const multiple = Number(process.env['KEELSON_RUNS'] ?? 1);

stopTheClock();

/** Applies random actions to a source, one at a time. */
class Storm {
  readonly #harness: Harness;
  readonly #sent: Frame[] = [];
  /**
   * Limits of torn and repeated events: after three in a row, the reflector skips an object or
   * ignores the order of versions.
   */
  #tearsLeft = 2;
  #repeatsLeft = 2;
  #tears = false;
  #spoils = false;

  constructor(harness: Harness) {
    this.#harness = harness;
    harness.source.toFrame = (type, object) => {
      if (type === 'BOOKMARK') return bytesFrame(type, object);
      const frame = this.#spoils ? spoilt(type, object) : bytesFrame(type, object);
      this.#spoils = false;
      this.#sent.push(frame);
      const to = this.#tears ? frame.to - 5 : frame.to;
      this.#tears = false;
      return { ...frame, to };
    };
  }

  /** The actions by name; each takes a number. */
  readonly actions: Readonly<Record<string, (number: number) => void | Promise<void>>> = {
    set: (n) => void this.#harness.source.set(`o${n % 5}`, stateOf(n)),
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
      if (this.#repeatsLeft-- > 0) this.#sendAll(this.#sent.slice(-(n % 10) - 1));
    },
    tear: () => void (this.#tears = this.#tearsLeft-- > 0),
    /** The body of the next object does not parse; its metadata do. */
    spoil: () => void (this.#spoils = true),
    bookmark: () => this.#harness.source.bookmark(),
    mute: () => this.#harness.source.openWatches.clear(),
    breakWatches: (n) => void this.#harness.source.watchScripts.push(badResponse(n)),
    breakLists: (n) => void this.#harness.source.listScripts.push(badResponse(n)),
    wait: (n) => pass([0, 50, 1_000, 20_000, 100_000][n % 5] ?? 0),
  };

  #remove(name: string): void {
    const isThere = this.#harness.source.objects.some(({ metadata }) => metadata?.name === name);
    if (isThere) this.#harness.source.remove(name);
  }

  #sendAll(frames: readonly Frame[]): void {
    for (const watch of this.#harness.source.openWatches) watch.push(frames);
  }
}

/** The labels, the value and the owner of an object. */
function stateOf(n: number): Partial<Thing> {
  const ownerReferences = n % 2 === 0 ? [ownerReferenceTo(checkedOwner, { controller: true })] : [];
  return { metadata: { labels: { app: `a${n % 3}` }, ownerReferences }, spec: { value: n % 4 } };
}

function badResponse(n: number) {
  const responses = [
    () => failing(refused()),
    () => failing(statusError(410, 'Expired')),
    () => failing(statusError(503, 'ServiceUnavailable')),
    () => failing(statusError(429, 'TooManyRequests', { details: { retryAfterSeconds: 2 } })),
    () => failing(statusError(422, 'Invalid')),
    // The 404 of a gateway, which discovery does not confirm.
    () => failing(statusError(404, 'NotFound')),
    cutShort,
    silence,
    halfAState,
  ];
  return responses[n % responses.length];
}

function spoilt(type: WatchEventType, object: unknown): Frame {
  const text = JSON.stringify(object);
  const buffer = Buffer.from(`${text.slice(0, -1)},"spec":{"value":x}}`);
  return { type, format: jsonFormat, buffer, from: 0, to: buffer.length };
}

/** Sends one object of a state, then breaks. */
async function* halfAState(request: ListRequest | WatchRequest) {
  const isFollowing = 'timeoutSeconds' in request && request.sendInitialEvents !== true;
  const metadata = { name: 'ghost', namespace: 'default', uid: 'ghost', resourceVersion: '1' };
  yield { frames: isFollowing ? [] : [objectFrame('ADDED', { metadata })], receivedAt: 0 };
  throw new Error('reset');
}

const byKind = { name: 'kind', body: ({ kind }: { readonly kind?: string }) => [kind ?? ''] };
const fault = (): never => {
  throw new Error('boom');
};

/**
 * A handler that is added late, and the objects of its snapshot that it had not received when it
 * was synced.
 */
class LateHandler {
  readonly history: History = new History();
  readonly unseen: string[] = [];
  readonly registration: EventHandlerRegistration;

  constructor(handle: WatchHandle<Thing>) {
    const snapshot = handle.store.views();
    this.registration = handle.addEventHandler(this.history.handler);
    const isThere = ({ name, uid }: ObjectView): boolean =>
      handle.store.view({ namespace: 'default', name })?.uid === uid;
    void this.registration.synced.then(() => {
      const unknown = snapshot.filter((view) => isThere(view) && !this.history.known.has(view.key));
      return this.unseen.push(...unknown.map(({ key }) => `synced before ${key}`));
    });
  }
}

const byUid = { name: 'uid', head: ({ uid }: { readonly uid: string }) => [uid] };

function versionOf({ object }: InformerEvent<Thing>): string {
  return object.resourceVersion;
}

/** The objects for which a lookup by the index fails or returns others. */
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
  test('SI36 random actions in random order: in the end every change is delivered, once and in order', async () => {
    const names = Object.keys(new Storm(new Harness()).actions);
    const action = record({
      does: constantFrom('set', 'set', 'set', 'remove', 'replace', 'wait', 'add', ...names),
      number: nat(100),
    });
    await assert(
      asyncProperty(
        array(action, { minLength: 20, maxLength: 60 }),
        boolean(),
        async (actions, watchList) => {
          await using harness = new Harness();
          harness.source.supportsWatchList = watchList;
          const storm = new Storm(harness);
          const scope = harness.cache.scope();
          harness.source.isServed = async () => Promise.resolve(true);
          const indexers = [byUid, byKind, ...checkedIndexers()];
          const handle = scope.acquire({ resource: Thing, indexers }, { owner: 'storm' });
          handle.addEventHandler(fault);
          handle.addIndexer({ name: 'bad', head: () => undefined as never });
          handle.onHealthChange(fault);
          const healths: string[] = [];
          handle.onHealthChange(({ state }) => healths.push(state));
          const lateHandlers: LateHandler[] = [];
          const history = new History();
          const late: string[] = [];
          const indexErrors: string[] = [];
          handle.addEventHandler((event) => {
            history.handler(event);
            if (event.type !== 'deleted' && isOlder(handle.store.resourceVersion, versionOf(event)))
              late.push(`the store is at ${handle.store.resourceVersion}`);
          });
          for (const { does, number } of actions) {
            if (does === 'add') lateHandlers.push(new LateHandler(handle));
            else await storm.actions[does]?.(number);
            await pass(0);
            indexErrors.push(...indexFaults(scope));
          }
          harness.source.watchScripts.length = 0;
          harness.source.listScripts.length = 0;
          await pass(20 * 60_000);
          // After four failed fetches, a read fetches the object again.
          handle.store.list();
          await pass(60_000);
          const truth = harness.source.objects.map(
            ({ metadata: { namespace, name, uid, resourceVersion } = {} }) =>
              `${namespace}/${name} ${uid} ${resourceVersion}`,
          );
          expect([...history.complaints, ...late, ...indexErrors]).toEqual([]);
          expect(scope.list(Thing)).toEqual(handle.store.list());
          expect(unindexed(handle)).toEqual([]);
          expect(harness.cache.inventory()[0]?.indices[0]?.values).toBe(truth.length);
          expect(history.state).toEqual(truth.toSorted());
          for (const { history: known, unseen, registration } of lateHandlers) {
            expect([...known.complaints, ...unseen]).toEqual([]);
            expect(known.state).toEqual(truth.toSorted());
            expect(registration.hasSynced).toBe(true);
          }
          const index = { name: 'kind', value: 'Thing' };
          expect(handle.store.list({ index })).toHaveLength(truth.length);
          expect(handle.health.state).toBe('live');
          expect(healths.at(-1)).toBe('live');
          expect(harness.observer.of('loop')).toEqual([]);
        },
      ),
      { numRuns: Math.ceil(300 * multiple) },
    );
  });
});
