import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { eventually, managersOfTest, running } from '../testing/fixtures.test-support.ts';
import type { PulledController } from '../controller/controller.ts';
import type { PulledWork } from './pulled-work.ts';

/** The share of the random runs: a tenth in `npm test`, all in `.ci/run`. */
const multiple = Number(process.env['KEELSON_RUNS'] ?? 1);

const managers = managersOfTest();

/** A loop that a test advances step by step. */
class SteppedLoop {
  /** The request that the loop processes; `undefined` after its work has ended. */
  work: PulledWork | undefined;
  readonly #controller: PulledController;
  /** The names that some loop must still receive. */
  readonly #due: Set<string>;
  #abort = new AbortController();
  #loop: ReturnType<PulledController['work']>;
  #isWaiting = false;

  constructor(controller: PulledController, due: Set<string>) {
    this.#controller = controller;
    this.#due = due;
    this.#loop = controller.work({ signal: this.#abort.signal });
  }

  play(act: string): void {
    if (act === 'turn') void this.turn();
    else if (act === 'signal') this.#abort.abort();
    else if (act === 'break') void this.leave();
    else this.#settle(act);
  }

  /** Asks for the next request, which ends the work of the current one. */
  async turn(): Promise<void> {
    if (this.#isWaiting) return;
    this.work = undefined;
    this.#isWaiting = true;
    const { value } = await this.#loop.next();
    this.#isWaiting = false;
    this.work = value ?? undefined;
    if (this.work !== undefined) this.#due.delete(this.work.request.name);
  }

  /** Leaves the loop and opens a new one. */
  async leave(): Promise<void> {
    if (this.work !== undefined) this.#due.add(this.work.request.name);
    this.work = undefined;
    const left = this.#loop;
    this.#abort.abort();
    this.#abort = new AbortController();
    this.#loop = this.#controller.work({ signal: this.#abort.signal });
    await left.return();
  }

  #settle(act: string): void {
    const { work } = this;
    if (work === undefined) return;
    this.work = undefined;
    if (act === 'done') return work.done();
    this.#due.add(work.request.name);
    work.fail(new Error('no'));
  }
}

/** Three loops over four keys. At the end another loop receives every request that is still due. */
async function play(
  acts: readonly (readonly [act: string, at: number, key: number])[],
): Promise<void> {
  const { manager } = managers.make();
  const controller = manager.addPulledController({ name: 'pulled', backoff: { base: 0 } });
  await running(manager);
  const due = new Set<string>();
  const loops = [0, 1, 2].map(() => new SteppedLoop(controller, due));
  for (const [act, at, key] of acts) {
    if (act === 'event') {
      due.add(`${key}`);
      controller.enqueue({ name: `${key}` });
    } else {
      loops[at]?.play(act);
    }
    await new Promise((resolve) => setImmediate(resolve));
    const held = loops.flatMap(({ work }) => work?.request.name ?? []);
    expect(new Set(held).size).toBe(held.length);
  }
  await Promise.all(loops.map((loop) => loop.leave()));
  const last = new SteppedLoop(controller, due);
  await eventually(() => {
    void last.turn();
    return due.size === 0 && controller.length === 0;
  });
  await manager.stop();
}

describe('random loops over the work of a controller', () => {
  test('CT44 turns, breaks, failures and aborts: one loop per key, and no request is lost', async () => {
    const act = fc.constantFrom(
      'turn',
      'turn',
      'turn',
      'done',
      'fail',
      'break',
      'signal',
      'event',
      'event',
    );
    const acts = fc.array(fc.tuple(act, fc.nat(2), fc.nat(3)), { maxLength: 40 });
    await fc.assert(fc.asyncProperty(acts, play), { numRuns: Math.ceil(60 * multiple) });
  });
});
