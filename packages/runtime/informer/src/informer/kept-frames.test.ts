import { describe, expect, test } from '@jest/globals';
import { jsonFormat, type Frame, type FrameBatch } from '@keelson/wire';
import { createInformerCache } from '../cache/informer-cache.ts';
import type { ListerWatcher, WatchRequest } from '../contract/lister-watcher.ts';
import { collectGarbage } from '../testing/collect-garbage.test-support.ts';
import { eventually, statusError, Thing, thing } from '../testing/scripted-source.test-support.ts';

/** A source that sends one object at a time, and remembers the chunks weakly. */
class ChunkSource implements ListerWatcher {
  readonly chunks: WeakRef<ArrayBufferLike>[] = [];
  watches = 0;
  #wake: () => void = () => undefined;
  #text: string | undefined;
  #sent: () => void = () => undefined;

  async *list(): AsyncGenerator<FrameBatch> {
    yield { frames: [this.#frame(textOf(thing('a', { resourceVersion: '5' })))], receivedAt: 0 };
    yield { frames: [], receivedAt: 0, listMetadata: { resourceVersion: '5' } };
  }

  async *watch({ sendInitialEvents, signal }: WatchRequest): AsyncGenerator<FrameBatch> {
    if (sendInitialEvents === true) throw statusError(422, 'Invalid');
    this.watches++;
    signal.addEventListener('abort', () => this.#wake());
    while (!signal.aborted) {
      yield this.#batch();
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  /** Sends an object; resolves when the reflector has taken it or has refused it. */
  async send(text: string): Promise<void> {
    const sent = new Promise<void>((resolve) => (this.#sent = resolve));
    this.#text = text;
    this.#wake();
    await sent;
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
  }

  #batch(): FrameBatch {
    const text = this.#text;
    this.#text = undefined;
    if (text === undefined) return { frames: [], receivedAt: 0 };
    this.#sent();
    return { frames: [this.#frame(text)], receivedAt: 0 };
  }

  #frame(text: string): Frame {
    const buffer = Buffer.allocUnsafeSlow(text.length);
    buffer.write(text);
    this.chunks.push(new WeakRef(buffer.buffer));
    return { type: 'ADDED', format: jsonFormat, buffer, from: 0, to: buffer.length };
  }
}

function textOf(object: object): string {
  return JSON.stringify(object);
}

const later = { resourceVersion: '6' };

describe('an idle watch', () => {
  test.each([
    ['was stored', textOf(thing('b', later))],
    ['was unchanged', textOf(thing('a', { resourceVersion: '5' }))],
    ['was of another kind', textOf({ ...thing('b', later), kind: 'Other' })],
    ['had no metadata', textOf({ kind: 'Thing' })],
    ['was malformed', textOf(thing('b', later)).slice(0, -40)],
    ['was older than the store', textOf(thing('b', { resourceVersion: '4' }))],
  ])('does not keep the chunk of an object that %s', async (_how, text) => {
    const source = new ChunkSource();
    await using cache = createInformerCache({ listerWatcher: () => source, linger: 0 });
    const handle = cache.acquire({ resource: Thing }, { owner: 'test' });
    await handle.synced;
    await eventually(() => source.watches > 0);
    await source.send(text);
    await collectGarbage(() => source.chunks.every((chunk) => chunk.deref() === undefined));
    const isKept = source.chunks.map((chunk) => chunk.deref() !== undefined);
    expect(isKept).toEqual(source.chunks.map(() => false));
    expect(handle.store.size).toBeGreaterThan(0);
  });
});
