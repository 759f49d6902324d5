import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { ChunkQueue } from './chunk-queue.ts';

/** A source that records what its queue did. */
class Source {
  isPaused = false;
  aborted: Error | undefined;

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
  }

  abort(reason: Error): void {
    this.aborted = reason;
  }
}

function chunk(text: string): Buffer {
  return Buffer.from(text);
}

async function readNext(queue: ChunkQueue, read: (Uint8Array | undefined)[]): Promise<void> {
  read.push(await queue.next());
}

describe('a queue of chunks', () => {
  test('resolves a waiting read with the next chunk', async () => {
    const queue = new ChunkQueue(new Source());
    const read = queue.next();
    queue.push(chunk('a'));
    expect(await read).toEqual(chunk('a'));
    expect(queue.next()).toBeInstanceOf(Promise);
  });

  test('yields chunks that arrived before an error, then the error', async () => {
    const queue = new ChunkQueue(new Source());
    queue.push(chunk('a'));
    queue.fail(new Error('cut'));
    queue.push(chunk('b'));
    expect(await queue.next()).toEqual(chunk('a'));
    await expect(queue.next()).rejects.toThrow('cut');
    await expect(queue.next()).rejects.toThrow('cut');
  });

  test('rejects a waiting read if the body breaks off', async () => {
    const queue = new ChunkQueue(new Source());
    const read = queue.next();
    queue.fail(new Error('cut'));
    await expect(read).rejects.toThrow('cut');
  });

  test('aborts its source when it is destroyed, and drops what has arrived', async () => {
    const source = new Source();
    const queue = new ChunkQueue(source);
    queue.push(chunk('a'));
    queue.destroy(new Error('enough'));
    expect(source.aborted).toEqual(new Error('enough'));
    await expect(queue.next()).rejects.toThrow('enough');
  });

  test('does not abort a source whose body has arrived completely', async () => {
    const source = new Source();
    const queue = new ChunkQueue(source);
    queue.end();
    queue.destroy();
    expect(source.aborted).toBeUndefined();
    expect(queue.next()).toBeUndefined();
  });

  test('pauses its source while more than 128 KiB wait, and resumes it when all are read', () => {
    const source = new Source();
    const queue = new ChunkQueue(source);
    const half = Buffer.alloc(64 * 1024);
    queue.push(half);
    queue.push(half);
    expect(source.isPaused).toBe(false);
    queue.push(chunk('a'));
    expect(source.isPaused).toBe(true);
    expect([queue.next(), queue.next()]).toEqual([half, half]);
    expect(source.isPaused).toBe(true);
    expect(queue.next()).toEqual(chunk('a'));
    expect(source.isPaused).toBe(false);
  });

  test('yields every chunk once and in order, whenever they arrive and are read', async () => {
    const step = fc.constantFrom('push', 'read');
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        let pushed = 0;
        const queue = new ChunkQueue(new Source());
        const read: (Uint8Array | undefined)[] = [];
        let waiting: Promise<unknown> | undefined;
        for (const what of steps) {
          if (what === 'push') queue.push(chunk(String(pushed++)));
          else if (waiting === undefined) {
            waiting = readNext(queue, read).finally(() => (waiting = undefined));
          }
          await Promise.resolve();
          await Promise.resolve();
        }
        queue.end();
        await waiting;
        for (let next = await queue.next(); next !== undefined; next = await queue.next()) {
          read.push(next);
        }
        const texts = read.flatMap((bytes) => (bytes === undefined ? [] : [String(bytes)]));
        expect(texts).toEqual(Array.from({ length: pushed }, (_, index) => String(index)));
      }),
    );
  });
});
