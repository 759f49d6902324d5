import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import type { Credentials } from '../cluster/cluster.ts';
import { CredentialCache, type CurrentCredentials } from './credential-cache.ts';

/** The share of the random runs: a tenth in `npm test`, all in `.ci/run`. */
const multiple = Number(process.env['KEELSON_RUNS'] ?? 1);

/** The next step of a schedule: a request needs credentials or is refused, a fetch ends, or time passes. */
type Step = 'get' | 'refuse' | 'same' | 'other' | 'fail' | 'wait';

const steps = fc.array(
  fc.constantFrom<Step>('get', 'get', 'refuse', 'refuse', 'same', 'other', 'fail', 'wait'),
  { minLength: 1, maxLength: 40 },
);

/** A cache whose fetches end as the schedule says, with the invariants that hold at any time. */
class Schedule {
  readonly #fetches: PromiseWithResolvers<Credentials>[] = [];
  readonly #asked: Promise<unknown>[] = [];
  /** Violated invariants. They are collected, because the cache catches the errors of a fetch. */
  readonly #faults: string[] = [];
  readonly #forcedAt = new Map<string, number>();
  #now = 0;
  #token = 0;
  #last: CurrentCredentials | undefined;
  readonly #cache = new CredentialCache(
    { server: 'http://x', credentials: ({ force }) => this.#fetch(force) },
    { now: () => this.#now },
  );

  async take(step: Step): Promise<void> {
    if (step === 'get') this.#keep(this.#get());
    if (step === 'refuse' && this.#last !== undefined) this.#keep(this.#replace(this.#last));
    if (step === 'wait') this.#now += 6000;
    if (step === 'same' || step === 'other' || step === 'fail') this.#end(step);
    // All microtasks that the step has started end before this resolves.
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** Lets every fetch succeed, so that all waiting requests settle. */
  async finish(): Promise<void> {
    while (this.#fetches.length > 0) await this.take('other');
    await Promise.all(this.#asked);
    expect(this.#faults).toEqual([]);
  }

  #fetch(force: boolean): Promise<Credentials> {
    if (this.#fetches.length > 0) this.#faults.push('two fetches at the same time');
    if (force) this.#checkPace();
    const fetch = Promise.withResolvers<Credentials>();
    this.#fetches.push(fetch);
    return fetch.promise;
  }

  /**
   * The same credentials are refreshed at most once in five seconds, however many requests are refused with
   * them.
   */
  #checkPace(): void {
    const refused = this.#last?.fingerprint ?? '';
    const before = this.#forcedAt.get(refused) ?? -Infinity;
    if (this.#now - before < 5000) this.#faults.push('two refreshes within five seconds');
    this.#forcedAt.set(refused, this.#now);
  }

  #end(how: 'same' | 'other' | 'fail'): void {
    const fetch = this.#fetches.pop();
    if (how === 'other') this.#token += 1;
    const headers = { authorization: `Bearer ${this.#token}` };
    if (how === 'fail') fetch?.reject(new Error('no session'));
    else fetch?.resolve({ headers });
  }

  async #get(): Promise<void> {
    const hadSome = this.#last !== undefined;
    try {
      const held = await this.#cache.get();
      expect(held.headers['authorization']).toMatch(/^Bearer \d+$/);
      this.#last = held;
    } catch (error) {
      expect(error).toMatchObject({ code: 'CREDENTIALS_FAILED', cause: new Error('no session') });
      // Credentials stay in use once they have been fetched.
      expect(hadSome).toBe(false);
    }
  }

  async #replace(refused: CurrentCredentials): Promise<void> {
    try {
      const held = await this.#cache.renew(refused);
      expect(held?.fingerprint).not.toBe(refused.fingerprint);
      this.#last = held ?? this.#last;
    } catch (error) {
      expect(error).toMatchObject({ code: 'CREDENTIALS_FAILED', cause: new Error('no session') });
    }
  }

  /** Assertions count at the end; until then no rejection may be unhandled. */
  #keep(asked: Promise<unknown>): void {
    asked.catch(() => undefined);
    this.#asked.push(asked);
  }
}

describe('CredentialCache, over random schedules', () => {
  test('RF45 fetches one at a time, keeps its credentials, and settles every request', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (course) => {
        const cache = new Schedule();
        for (const step of course) await cache.take(step);
        await cache.finish();
      }),
      { numRuns: Math.ceil(500 * multiple) },
    );
  });
});
