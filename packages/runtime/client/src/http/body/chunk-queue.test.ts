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

/** A consumer that needs time for each chunk until the test lets it continue. */
class SlowConsumer {
  readonly texts: string[] = [];
  #gate = Promise.withResolvers<void>();

  readonly consume = async (bytes: Uint8Array): Promise<void> => {
    await this.#gate.promise;
    this.texts.push(String(bytes));
  };

  release(): void {
    this.#gate.resolve();
    this.#gate = Promise.withResolvers();
  }
}

async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

describe('a queue that passes its chunks to a consumer', () => {
  test('passes a chunk in the call that pushes it', async () => {
    const queue = new ChunkQueue(new Source());
    const texts: string[] = [];
    const end = queue.passTo((bytes) => void texts.push(String(bytes)));
    queue.push(chunk('a'));
    expect(texts).toEqual(['a']);
    queue.end();
    await expect(end).resolves.toBeUndefined();
  });

  test('passes the chunks that arrived earlier first, then the error', async () => {
    const queue = new ChunkQueue(new Source());
    queue.push(chunk('a'));
    queue.push(chunk('b'));
    queue.fail(new Error('cut'));
    const texts: string[] = [];
    await expect(queue.passTo((bytes) => void texts.push(String(bytes)))).rejects.toThrow('cut');
    expect(texts).toEqual(['a', 'b']);
  });

  test('passes no chunk before the consumer has processed the last one', async () => {
    const queue = new ChunkQueue(new Source());
    const slow = new SlowConsumer();
    const end = queue.passTo(slow.consume);
    for (const text of ['a', 'b']) queue.push(chunk(text));
    queue.end();
    slow.release();
    await turn();
    expect(slow.texts).toEqual(['a']);
    slow.release();
    await end;
    expect(slow.texts).toEqual(['a', 'b']);
  });

  test('destroys the body with the error of the consumer', async () => {
    const source = new Source();
    const queue = new ChunkQueue(source);
    const end = queue.passTo(() => {
      throw new Error('refused');
    });
    queue.push(chunk('a'));
    queue.push(chunk('b'));
    await expect(end).rejects.toThrow('refused');
    expect(source.aborted).toBeDefined();
  });

  test('rejects after the chunk that the consumer processes while the body is destroyed', async () => {
    const queue = new ChunkQueue(new Source());
    const slow = new SlowConsumer();
    let hasEnded = false;
    const end = queue.passTo(slow.consume).finally(() => (hasEnded = true));
    queue.push(chunk('a'));
    queue.push(chunk('b'));
    queue.destroy(new Error('enough'));
    await turn();
    expect(hasEnded).toBe(false);
    slow.release();
    await expect(end).rejects.toThrow('enough');
    expect(slow.texts).toEqual(['a']);
  });

  test('ends if the consumer destroys the body', async () => {
    const queue = new ChunkQueue(new Source());
    const end = queue.passTo(() => {
      queue.destroy(new Error('enough'));
      return undefined;
    });
    queue.push(chunk('a'));
    await expect(end).rejects.toThrow('enough');
  });

  test('pauses its source while the consumer has a lent chunk, and no longer', async () => {
    const source = new Source();
    const queue = new ChunkQueue(source);
    const slow = new SlowConsumer();
    const end = queue.passTo(slow.consume);
    queue.lend(chunk('a'));
    expect(source.isPaused).toBe(true);
    slow.release();
    await turn();
    expect(source.isPaused).toBe(false);
    queue.end();
    await end;
  });

  test('copies a lent chunk that no consumer takes at once', async () => {
    const queue = new ChunkQueue(new Source());
    const memory = chunk('a');
    queue.lend(memory);
    memory.write('b');
    expect(await queue.next()).toEqual(chunk('a'));
  });

  test('passes every chunk once and in order, however long the consumer takes', async () => {
    const step = fc.constantFrom('push', 'lend', 'turn', 'release');
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 40 }),
        fc.array(fc.boolean(), { minLength: 1, maxLength: 8 }),
        async (steps, slowness) => {
          const slow = new SlowConsumer();
          const queue = new ChunkQueue(new Source());
          const expected: string[] = [];
          const end = queue.passTo((bytes) => {
            if (slowness[expected.length % slowness.length] === true) return slow.consume(bytes);
            slow.texts.push(String(bytes));
            return undefined;
          });
          for (const what of steps) {
            const text = String(10 + expected.length);
            if (what === 'push' || what === 'lend') expected.push(text);
            if (what === 'push') queue.push(chunk(text));
            if (what === 'lend') queue.lend(chunk(text));
            if (what === 'turn') await turn();
            if (what === 'release') slow.release();
          }
          queue.end();
          for (let left = expected.length; left > 0; left--) {
            slow.release();
            await turn();
          }
          await end;
          expect(slow.texts).toEqual(expected);
        },
      ),
      { numRuns: 50 },
    );
  });
});
