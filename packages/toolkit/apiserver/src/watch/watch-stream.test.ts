import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { systemClock } from '@keelson/apimachinery';
import { describe, expect, test } from '@jest/globals';
import { partialObjects } from '../presentation/presentation.ts';
import type { ResourceStore } from '../storage/resource-store.ts';
import { Storage } from '../storage/storage.ts';
import { BookmarkTicks } from './bookmark-ticks.ts';
import { EventFrames } from './event-frames.ts';
import { WatchStream } from './watch-stream.ts';

/** A response whose client reads only when the test drains it. */
class SlowResponse extends EventEmitter {
  text = '';
  writableLength = 0;

  writeHead(): void {}
  flushHeaders(): void {}

  write(chunk: Buffer): boolean {
    this.text += chunk.toString();
    this.writableLength += chunk.length;
    return false;
  }

  end(): void {
    this.emit('close');
  }

  read(): void {
    this.writableLength = 0;
    this.emit('drain');
  }

  get events(): number {
    return this.text.split('\n').length - 1;
  }
}

function storeOf(count: number): ResourceStore {
  const store = new Storage({ changes: 10_000, bytes: 1e8 }).createStore(
    { group: '', plural: 'maps' },
    () => ({}),
  );
  const annotations = { text: 'x'.repeat(10_000) };
  for (let at = 0; at < count; at++) store.put({ metadata: { name: `m${at}`, annotations } });
  return store;
}

function open(store: ResourceStore, from: number, initial: boolean): SlowResponse {
  const response = new SlowResponse();
  const stream = new WatchStream({
    store,
    filter: {
      namespace: '',
      selectsAll: true,
      countsAll: true,
      isSingle: false,
      shards: undefined,
      matches: () => true,
    },
    frames: new EventFrames(partialObjects('meta.k8s.io/v1')),
    response: response as unknown as ServerResponse,
    from,
    initial,
    bookmarks: true,
    ticks: new BookmarkTicks(systemClock, 60_000),
    timeout: 60_000,
    faults: { stalled: () => false, delay: () => 0, withholdsBookmarks: () => false },
    clock: systemClock,
  });
  stream.start(() => {});
  return response;
}

describe('WatchStream', () => {
  test.each([
    ['initial events', true, 501],
    ['changes', false, 500],
  ])('does not buffer more %s than its client reads', (_, initial, total) => {
    const response = open(storeOf(500), 1, initial);
    const first = response.events;
    expect(first).toBeGreaterThan(50);
    expect(first).toBeLessThan(200);
    response.read();
    expect(response.events).toBeGreaterThan(first);
    for (let at = 0; at < 10; at++) response.read();
    expect(response.events).toBe(total);
    response.end();
  });

  test('sends the initial objects of one revision, then the changes since', () => {
    const store = storeOf(200);
    const response = open(store, store.revision, true);
    store.put({ metadata: { name: 'm199', labels: { late: 'yes' } } });
    for (let at = 0; at < 10; at++) response.read();
    const lines = response.text.trim().split('\n');
    const kinds = lines.map((line) => line.slice(0, 20));
    expect(kinds.findIndex((line) => line.includes('BOOKMARK'))).toBe(200);
    expect(lines[199]).not.toContain('late');
    expect(lines.at(-1)).toContain('"type":"MODIFIED"');
    expect(lines.at(-1)).toContain('late');
    response.end();
  });
});
