import { describe, expect, test } from '@jest/globals';
import { Harness } from '../testing/harness.test-support.ts';
import { failing, refused, ScriptedSource } from '../testing/scripted-source.test-support.ts';
import { pass, stopTheClock } from '../testing/stopped-clock.test-support.ts';

stopTheClock();

/** A source of a server that is away at times, and that reports when it is back. */
class RestartedSource extends ScriptedSource {
  isAway = false;
  readonly failures: Error[] = [];
  readonly signals: AbortSignal[] = [];
  #back = Promise.withResolvers<void>();

  override watch(request: Parameters<ScriptedSource['watch']>[0]) {
    if (this.isAway) this.watchScripts.unshift(() => failing(refused()));
    return super.watch(request);
  }

  recovered(failure: Error, signal: AbortSignal): Promise<void> {
    this.failures.push(failure);
    this.signals.push(signal);
    return this.#back.promise;
  }

  leave(): void {
    this.isAway = true;
    this.#back = Promise.withResolvers<void>();
    this.cut(new Error('reset'));
  }

  comeBack(): void {
    this.isAway = false;
    this.#back.resolve();
    this.#back = Promise.withResolvers<void>();
  }
}

async function synced(): Promise<{ harness: Harness; source: RestartedSource } & AsyncDisposable> {
  const source = new RestartedSource();
  source.set('a');
  const harness = new Harness({ listerWatcher: () => source });
  harness.acquire();
  await pass(20_000);
  return { harness, source, [Symbol.asyncDispose]: async () => harness.cache.close() };
}

describe('a reflector whose server is away', () => {
  test.each([2_000, 25_000, 3_600_000])(
    'watches again as soon as the server is back, after %d ms',
    async (outage) => {
      await using setup = await synced();
      const { source, harness } = setup;
      source.leave();
      await pass(outage);
      expect(source.openWatches.size).toBe(0);
      source.comeBack();
      await pass(0);
      expect(source.openWatches.size).toBe(1);
      expect(harness.cache.inventory()[0]?.health.state).toBe('live');
    },
  );

  test('starts its delays low again', async () => {
    await using setup = await synced();
    const { source } = setup;
    source.leave();
    await pass(600_000);
    source.comeBack();
    source.isAway = true;
    await pass(0);
    source.isAway = false;
    // The delay after the attempt that failed is the first one, of 0.8 s.
    await pass(800);
    expect(source.openWatches.size).toBe(1);
  });

  test('a source that always reports the server as back ends one wait a second at most', async () => {
    await using setup = await synced();
    const { source } = setup;
    source.recovered = () => Promise.resolve();
    source.leave();
    const before = source.count('watch');
    await pass(60_000);
    // Each second has an attempt that the source ends, and one after the first delay.
    expect(source.count('watch') - before).toBeLessThanOrEqual(125);
    expect(source.count('watch') - before).toBeGreaterThan(30);
  });

  test('ends each wait for the server with its delay', async () => {
    await using setup = await synced();
    const { source } = setup;
    source.leave();
    await pass(60_000);
    expect(source.signals.length).toBeGreaterThan(4);
    expect(source.signals.filter(({ aborted }) => !aborted)).toHaveLength(1);
    expect(source.failures.every(({ message }) => message === refused().message)).toBe(true);
  });

  const fault = (): never => {
    throw new Error('no probe');
  };
  const throwing = (): object => Object.defineProperty({}, ['th', 'en'].join(''), { get: fault });

  test.each<[string, RestartedSource['recovered']]>([
    ['throws', fault],
    ['rejects', async () => fault()],
    ['returns a thenable whose `then` throws', () => throwing() as never],
    ['returns nothing', () => undefined as never],
  ])('waits for its delay if the source %s', async (_what, recovered) => {
    await using setup = await synced();
    const { source, harness } = setup;
    source.recovered = recovered;
    source.leave();
    await pass(0);
    const requests = source.count('watch');
    await pass(799);
    expect(source.count('watch')).toBe(requests);
    await pass(1);
    expect(source.count('watch')).toBe(requests + 1);
    expect(harness.observer.of('loop')).toEqual([]);
  });

  test('does not wait for the server after a connection that lived', async () => {
    await using setup = await synced();
    const { source } = setup;
    source.cut(new Error('reset'));
    await pass(1_000);
    expect(source.failures).toEqual([]);
    expect(source.openWatches.size).toBe(1);
  });
});
