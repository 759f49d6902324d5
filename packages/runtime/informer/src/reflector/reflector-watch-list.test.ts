import { describe, expect, test } from '@jest/globals';
import { defineResource } from '@keelson/apimachinery';
import { Harness, withCode } from '../testing/harness.test-support.ts';
import type { WatchRequest } from '../contract/lister-watcher.ts';
import {
  ScriptedSource,
  silence,
  Thing,
  type Script,
} from '../testing/scripted-source.test-support.ts';
import { pass, stopTheClock } from '../testing/stopped-clock.test-support.ts';

stopTheClock();

const Foreign = defineResource<Thing>({
  group: 'foreign.example.com',
  version: 'v1',
  kind: 'Thing',
  plural: 'things',
});
const Sibling = { ...Thing, plural: 'siblings' };

/** Starts the response after a delay; then runs a script, or sends no data. */
function headersAfter(delay: number, then: Script<WatchRequest>): Script<WatchRequest> {
  return async function* (request) {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, delay);
    request.signal.addEventListener('abort', () => resolve());
    await promise;
    clearTimeout(timer);
    request.signal.throwIfAborted();
    yield* then(request);
  };
}

/** A source for each resource, as the cache creates them. */
function perResource(): Map<unknown, ScriptedSource> {
  const sources = new Map<unknown, ScriptedSource>();
  for (const resource of [Thing, Sibling, Foreign]) sources.set(resource, new ScriptedSource());
  return sources;
}

describe('reflector: support of WatchList', () => {
  test('RF40 a WatchList whose response starts late has its full time from that moment', async () => {
    await using harness = new Harness();
    harness.source.set('a');
    const late = new ScriptedSource();
    late.set('a');
    harness.source.watchScripts.push(headersAfter(25_000, (request) => late.watch(request)));
    const handle = harness.acquire();
    await pass(24_999);
    expect(handle.hasSynced).toBe(false);
    await pass(1);
    expect(handle.hasSynced).toBe(true);
    expect(harness.source.requests).toHaveLength(1);
  });

  test('RF40 silence is measured from the headers of the response', async () => {
    await using harness = new Harness();
    harness.source.watchScripts.push(headersAfter(25_000, silence));
    harness.acquire();
    await pass(34_999);
    expect(harness.source.count('list')).toBe(0);
    await pass(1);
    expect(harness.source.count('list')).toBe(1);
    expect(harness.observer.errors).toEqual([withCode('WATCH_LIST_SILENT')]);
  });

  test('a server that does not start a response is listed, and gets a WatchList the next time', async () => {
    await using harness = new Harness();
    harness.source.watchScripts.push(headersAfter(1_000_000, silence));
    const handle = harness.acquire();
    await pass(30_000);
    expect(handle.hasSynced).toBe(true);
    expect(harness.source.requests.map(({ verb }) => verb)).toEqual(['watch', 'list', 'watch']);
    harness.source.fail(410, 'Expired');
    await pass(100);
    expect(harness.lastRequest).toMatchObject({ sendInitialEvents: true });
  });

  test('a rejection is remembered for the kinds of its API group, and for no other group', async () => {
    const sources = perResource();
    await using harness = new Harness({
      listerWatcher: ({ resource }) => sources.get(resource) as ScriptedSource,
    });
    sources.get(Thing)?.watchScripts.push(silence);
    harness.acquire();
    await pass(10_000);
    harness.acquire({ resource: Sibling });
    harness.acquire({ resource: Foreign });
    await pass(0);
    const verbs = [Thing, Sibling, Foreign].map((resource) =>
      sources.get(resource)?.requests.map(({ verb }) => verb),
    );
    expect(verbs).toEqual([['watch', 'list', 'watch'], ['list', 'watch'], ['watch']]);
  });
});
