import { describe, expect, test } from '@jest/globals';
import { CauseSet } from '../reconcile/cause.ts';
import type { ControllerObserver, ControllerReading } from './controller-observer.ts';
import { eventually } from '../testing/fixtures.test-support.ts';
import { loopOptions } from '../testing/request-loop.test-support.ts';
import { ReconcileLoop } from './reconcile-loop.ts';
import type { Outcome } from '../reconcile/outcome.ts';
import { nameIdentity } from '../reconcile/request.ts';

/** Counts the starts and ends of runs, and compares them with the controller at each call. */
class Counts implements ControllerObserver {
  started = 0;
  ended = 0;
  /** The calls at which the counts and the controller differed. */
  readonly differences: string[] = [];
  readonly queue = {
    taken: () => this.#compare('taken'),
    finished: () => this.#compare('finished'),
    added: () => this.#compare('added'),
  };
  #reading: ControllerReading | undefined;

  attach(reading: ControllerReading): void {
    this.#reading = reading;
  }

  reconcileStarted(): void {
    this.started += 1;
    this.#compare('started');
  }

  reconcileEnded(): void {
    this.ended += 1;
    this.#compare('ended');
  }

  deadLetter(): void {}
  queueFunctionFailed(): void {}
  terminalError(): void {}
  panic(): void {}
  invalidResult(): void {}
  timedOut(): void {}
  sourceError(): void {}
  eventHandled(): void {}
  eventDelayed(): void {}
  fieldManagersFight(): void {}
  blocked(): void {}
  removed(): void {}

  #compare(when: string): void {
    const active = this.#reading?.running;
    if (this.started - this.ended !== active) {
      this.differences.push(`${when}: ${this.started} - ${this.ended} and ${active}`);
    }
  }
}

describe('the loop of a controller', () => {
  test('CT25 the started runs minus the ended runs always equal the active ones, for every outcome', async () => {
    const observer = new Counts();
    const outcomes: (() => Outcome | Promise<Outcome> | undefined)[] = [
      () => undefined,
      () => ({ retry: true }),
      () => ({ requeueAfter: 1 }),
      () => ({ requeueAfter: 0 }),
      () => Promise.reject(new Error('later')),
      () => {
        throw new Error('at once');
      },
    ];
    const own = new CauseSet('controller');
    const loop = new ReconcileLoop(
      loopOptions<{ readonly name: string }>({
        identify: nameIdentity,
        observer,
        reconcile: () => {
          observer.differences.push(...(loop.reading.running > 3 ? ['more than three'] : []));
          return outcomes[observer.started % outcomes.length]?.();
        },
      }),
    );
    const sources = {
      exists: () => false,
      repeatsOf: () => own,
      isOwn: () => false,
      repeated: () => [],
      iterables: { all: new Set(), left: () => undefined, pending: () => new Map() },
    };
    loop.connect(sources, undefined);
    loop.start();
    for (let at = 0; at < 200; at += 1) loop.add({ name: `n${at}` }, { cause: own.by.manual });
    await eventually(() => observer.ended > 200);
    await loop.stop(60_000);
    expect(observer.differences).toEqual([]);
    expect([observer.started - observer.ended, loop.reading.running]).toEqual([0, 0]);
  });
});
