import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import { builtin, systemClock } from '@keelson/apimachinery';
import type { FrameBatch } from '@keelson/wire';
import { AbortableIterator } from './abortable-iterator.ts';
import { watchFrames } from './frame-stream.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** A response with one event. The socket is left out, because Node.js itself keeps the last bytes that it read. */
class OneEvent {
  readonly mediaType = 'application/json';
  chunk: WeakRef<ArrayBufferLike> | undefined;
  #isRead = false;

  read(): Promise<Uint8Array | undefined> {
    if (this.#isRead) return new Promise(() => undefined);
    this.#isRead = true;
    return Promise.resolve(this.#event());
  }

  discard(): void {
    this.#isRead = true;
  }

  #event(): Buffer {
    const metadata = { name: 'a', namespace: 'n', uid: 'u', resourceVersion: '1' };
    const text = JSON.stringify({ type: 'ADDED', object: { kind: 'ConfigMap', metadata } });
    const chunk = Buffer.allocUnsafeSlow(text.length + 1);
    chunk.write(`${text}\n`);
    this.chunk = new WeakRef(chunk.buffer);
    return chunk;
  }
}

/** Reads up to the next object. */
async function nextObject(batches: AsyncIterator<FrameBatch>): Promise<void> {
  for (;;) {
    const { value } = (await batches.next()) as { value: FrameBatch };
    if (value.frames.length > 0) return;
  }
}

test('an idle watch does not keep the chunk of its last event', async () => {
  const response = new OneEvent();
  const transport = { clock: systemClock, open: () => Promise.resolve(response) };
  const batches = new AbortableIterator(undefined, async () =>
    watchFrames({ transport, resource: builtin.ConfigMap, request: {} } as never),
  );
  await nextObject(batches);
  expect(response.chunk).toBeDefined();
  void batches.next();
  for (let turns = 0; turns < 50 && response.chunk?.deref() !== undefined; turns++) {
    await new Promise((resolve) => setImmediate(resolve));
    collect();
  }
  expect(response.chunk?.deref()).toBeUndefined();
  expect(batches).toBeDefined();
});
