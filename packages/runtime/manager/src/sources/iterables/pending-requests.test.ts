import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { WorkQueue } from '@keelson/workqueue';
import * as fc from 'fast-check';
import type { Request } from '../../reconcile/request.ts';
import { CauseSet, type QueuedCause } from '../../reconcile/cause.ts';
import { UserCode } from '../../user-code/user-code.ts';
import { IterableSources } from './iterable-sources.ts';

const MAX_PENDING = 2;

type Step =
  | { readonly do: 'yield' | 'foreign' | 'purge'; readonly name: string }
  | { readonly do: 'take' | 'succeed' | 'fail' | 'withdraw' };

const name = fc.constantFrom('a', 'b', 'c', 'd');
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constantFrom('yield' as const, 'yield' as const, 'foreign' as const, 'purge' as const),
      name,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'take' as const,
        'take' as const,
        'succeed' as const,
        'fail' as const,
        'withdraw' as const,
      ),
    }),
  },
);

/** A queue with one iterable source, and the keys of the source that are queued by the simplest rules. */
class World {
  readonly #foreign = new CauseSet('foreign');
  readonly queue: WorkQueue<Request, QueuedCause, CauseSet>;
  readonly sources: IterableSources<Request>;
  /** The sources of each queued key. */
  readonly queued: Map<string, Set<string>> = new Map();
  readonly #held: string[] = [];
  readonly #values: string[] = [];
  #wake = Promise.withResolvers<void>();
  read = 0;

  constructor() {
    this.queue = new WorkQueue<Request, QueuedCause, CauseSet>({
      keyOf: (request) => request.name,
      causes: { sourceOf: (cause) => cause.source },
      backoff: { base: 0 },
      onLeave: (key) => this.sources.left(String(key)),
    });
    const sink = {
      enqueue: (request: Request, add: object): string => {
        this.#queued(request.name, 'source');
        this.queue.add(request, add);
        return request.name;
      },
      keyOf: (request: Request) => request.name,
      forget: () => undefined,
      sourceError: (_source: string, error: unknown) => {
        throw error;
      },
      eventHandled: () => undefined,
    };
    const host = {
      sink,
      settings: { debounce: undefined },
      slice: { next: () => Promise.resolve() },
      userCode: new UserCode(),
      fights: {},
    };
    this.sources = new IterableSources<Request>([], 'leader', host as never);
    this.sources.add({ name: 'source', requests: () => this.#requests(), maxPending: MAX_PENDING });
  }

  async apply(step: Step): Promise<void> {
    if (step.do === 'yield') {
      this.#values.push(step.name);
      this.#wake.resolve();
    } else if (step.do === 'foreign') {
      this.#queued(step.name, 'foreign');
      this.queue.add({ name: step.name }, { cause: this.#foreign.by.added });
    } else if (step.do === 'purge') {
      this.queue.purge((request) => request.name === step.name);
      this.queued.delete(step.name);
    } else if (step.do === 'take') {
      const work = this.queue.take();
      if (work !== undefined) this.#held.push(work.item.name);
      if (work !== undefined) this.queued.delete(work.item.name);
    } else if (step.do === 'withdraw') {
      this.queue.withdraw((source) => source === this.#foreign);
      for (const [key, sources] of this.queued) {
        if (sources.delete('foreign') && sources.size === 0) this.queued.delete(key);
      }
    } else {
      const held = this.#held.shift();
      if (held === undefined) return;
      if (step.do === 'fail') {
        // The retry keeps its causes without being a request of the source.
        const sources = this.queued.get(held) ?? new Set();
        this.queued.set(held, sources.add('retry'));
        this.queue.add(
          { name: held },
          { rateLimited: true, cause: new CauseSet('retry').by.retry },
        );
      } else {
        this.queue.forget({ name: held });
      }
      this.queue.done({ name: held });
    }
    for (let turn = 0; turn < 3; turn += 1) await setImmediate();
  }

  get pending(): number {
    return this.sources.pending().get('source') ?? 0;
  }

  get unread(): number {
    return this.#values.length;
  }

  #queued(key: string, source: string): void {
    const sources = this.queued.get(key) ?? new Set();
    this.queued.set(key, sources.add(source));
  }

  async *#requests(): AsyncGenerator<Request> {
    for (;;) {
      const next = this.#values.shift();
      if (next === undefined) {
        await this.#wake.promise;
        this.#wake = Promise.withResolvers<void>();
      } else {
        this.read += 1;
        yield { name: next };
      }
    }
  }
}

describe('the pending requests of an iterable source', () => {
  test('are those in the queue, whatever takes them out, and the source reads on while there is room', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { maxLength: 40 }), async (steps) => {
        const world = new World();
        await world.sources.consume('leader');
        for (const one of steps) {
          await world.apply(one);
          const own = [...world.queued.values()].filter((sources) => sources.has('source'));
          expect(world.pending).toBe(own.length);
          if (world.pending < MAX_PENDING) expect(world.unread).toBe(0);
        }
        world.sources.closeAll();
        await world.queue.shutDown();
      }),
      { numRuns: Math.ceil(60 * Number(process.env['KEELSON_RUNS'] ?? 1)) },
    );
  });
});
