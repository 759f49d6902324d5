import { describe, expect, jest, test } from '@jest/globals';
import {
  managersOfTest,
  nothing,
  recordingLogger,
  useFakeTime,
  valueOf,
  WebApp,
} from '../testing/fixtures.test-support.ts';
import type { IterableSourceOptions } from '../sources/iterables/iterable-source.ts';
import type { Request } from '../reconcile/request.ts';

const managers = managersOfTest();
const pass = (ms: number): Promise<void> => jest.advanceTimersByTimeAsync(ms);

/** A running controller with a source that yields what the test pushes. */
async function run(options: Partial<IterableSourceOptions<Request>>, shared: object = {}) {
  useFakeTime();
  const { logger, lines } = recordingLogger();
  const { manager } = managers.make({ logger, controllers: shared });
  const values: Request[] = [];
  const waiting: (() => void)[] = [];
  async function* requests(): AsyncGenerator<Request> {
    for (;;) {
      for (let next = values.shift(); next !== undefined; next = values.shift()) yield next;
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
  }
  const runs: [string, number][] = [];
  let begin = 0;
  const controller = manager.addController({
    name: 'calm',
    for: WebApp,
    sources: [{ name: 'hooks', requests, ...options }],
    reconcile: ({ name }) => void runs.push([name, Math.round(performance.now() - begin)]),
  });
  manager.start().catch(nothing);
  await pass(1);
  begin = performance.now();
  const push = async (count: number, name = 'a'): Promise<void> => {
    for (let index = 0; index < count; index += 1) {
      values.push({ namespace: 'default', name });
      waiting.shift()?.();
      await pass(0);
    }
  };
  const delayed = () => valueOf(manager, 'keelson_delayed_events_total', { controller: 'calm' });
  const warnings = (): Record<string, unknown>[] => lines.filter(({ level }) => level === 'warn');
  return { controller, runs, push, delayed, warnings };
}

const eventRate = { burst: 2, perSecond: 1 };

describe('the eventRate of an async-iterable source', () => {
  test('values beyond the burst of their request wait for its next token; one warning follows', async () => {
    const { runs, push, delayed, warnings } = await run({ eventRate });
    await push(5);
    await push(2, 'b');
    expect(runs.map(([name]) => name)).toEqual(['a', 'a', 'b', 'b']);
    await pass(999);
    expect(runs).toHaveLength(4);
    await pass(1);
    expect(runs.slice(4)).toEqual([['a', 1000]]);
    expect(await delayed()).toBe(3);
    expect(warnings()).toMatchObject([
      {
        message: 'source yields a request too often',
        controller: 'calm',
        source: 'hooks',
        request: 'default/a',
        ...eventRate,
      },
    ]);
  });

  test('without its own one a source is not limited, whatever that of the controller is', async () => {
    const { runs, push, delayed } = await run({}, { eventRate });
    await push(50);
    expect(runs).toHaveLength(50);
    expect(await delayed()).toBe(0);
  });

  test('a value that is not a request is reported, and the next one follows', async () => {
    const { runs, push, warnings } = await run({ eventRate });
    await push(1, 'no/name');
    await push(1);
    expect(runs.map(([name]) => name)).toEqual(['a']);
    expect(warnings()).toEqual([]);
  });

  test('a debounce that lasts longer applies, without a delay by the rate', async () => {
    const debounce = { wait: '5s' } as const;
    const { runs, push, delayed } = await run({ eventRate, debounce });
    await push(5);
    await pass(6000);
    expect(runs).toEqual([['a', 5000]]);
    expect(await delayed()).toBe(0);
  });
});
