import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import * as fc from 'fast-check';
import type { Credentials } from '../cluster/cluster.ts';
import { CredentialCache } from './credential-cache.ts';

/** How the source of the credentials responds to one fetch. */
type Manner = 'right' | 'stale' | 'fails' | 'late' | 'hangs';

const MINUTE_MS = 60_000;
const FETCH_TIMEOUT_MS = 5 * MINUTE_MS;
const LATE_MS = 20_000;

/** A source of tokens whose every response may be stale, late or missing, and a server that accepts the newest only. */
class Source {
  readonly manners: Manner[];
  newest = 1;
  fetches = 0;
  running = 0;
  mostRunning = 0;
  readonly cache = new CredentialCache({
    server: 'http://x',
    credentials: (request) => this.#fetch(request.signal),
  });

  constructor(manners: Iterable<Manner>) {
    this.manners = [...manners];
  }

  /** Sends one request; returns true if the server accepts it, at the first or the second attempt. */
  async request(): Promise<boolean> {
    try {
      const held = await this.cache.get();
      if (this.#accepts(held.headers['authorization'])) return true;
      const renewed = await this.cache.renew(held);
      return this.#accepts(renewed?.headers['authorization']);
    } catch {
      return false;
    }
  }

  #accepts(header: unknown): boolean {
    return header === `Bearer ${this.newest}`;
  }

  async #fetch(signal: AbortSignal | undefined): Promise<Credentials> {
    this.fetches += 1;
    this.running += 1;
    this.mostRunning = Math.max(this.mostRunning, this.running);
    signal?.addEventListener('abort', () => (this.running -= 1));
    const credentials = await this.#response(this.manners.shift() ?? 'right');
    this.running -= 1;
    return credentials;
  }

  async #response(manner: Manner): Promise<Credentials> {
    if (manner === 'hangs') return new Promise(() => undefined);
    if (manner === 'late') await new Promise((resolve) => setTimeout(resolve, LATE_MS));
    if (manner === 'fails') {
      this.running -= 1;
      throw new Error('no session');
    }
    const token = manner === 'stale' ? this.newest - 1 : this.newest;
    return { headers: { authorization: `Bearer ${token}` } };
  }
}

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
});
afterEach(() => {
  jest.useRealTimers();
});

const manner = fc.constantFrom<Manner>('right', 'stale', 'fails', 'late', 'hangs');

describe('the progress of the credentials', () => {
  test('requests succeed again when the source is right again, whatever it did before', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(manner, { maxLength: 6 }), fc.nat(5), async (manners, rotateAt) => {
        const source = new Source(manners);
        const accepted: boolean[] = [];
        for (let second = 0; second < 7 * 6 * 60; second += 6) {
          if (second === rotateAt * 60) source.newest += 1;
          void source.request().then((isAccepted) => accepted.push(isAccepted));
          await jest.advanceTimersByTimeAsync(6_000);
        }
        await source.cache.close(new Error('over'));
        const rest = accepted.slice(-10);
        expect(rest).toEqual(rest.map(() => true));
        expect(source.mostRunning).toBe(1);
      }),
      { numRuns: 20 },
    );
  });

  test('a request waits ten seconds for a refresh that does not settle, then uses the held credentials', async () => {
    const source = new Source(['right', 'hangs']);
    await source.cache.get();
    await jest.advanceTimersByTimeAsync(10_000);
    const waiting = Promise.resolve(source.cache.get());
    await jest.advanceTimersByTimeAsync(10_000);
    expect((await waiting).headers).toEqual({ authorization: 'Bearer 1' });
    // Later requests do not wait for it.
    expect(source.cache.get()).not.toBeInstanceOf(Promise);
    expect(source.fetches).toBe(2);
  });

  test('a fetch that does not settle is aborted after five minutes, and the next one is another', async () => {
    const source = new Source(['hangs']);
    const first = Promise.resolve(source.cache.get());
    const failed = expect(first).rejects.toMatchObject({
      code: 'CREDENTIALS_FAILED',
      facts: { reason: 'the credentials function did not settle in time' },
    });
    await jest.advanceTimersByTimeAsync(FETCH_TIMEOUT_MS);
    await failed;
    expect(source.running).toBe(0);
    expect((await source.cache.get()).headers).toEqual({ authorization: 'Bearer 1' });
    expect(jest.getTimerCount()).toBe(0);
  });
});
