import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { systemClock } from '@keelson/apimachinery';
import { ServerProbe, type ProbeResult } from './server-probe.ts';

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask'] });
});

afterEach(() => {
  jest.useRealTimers();
});

const pass = async (milliseconds: number): Promise<void> => {
  await jest.advanceTimersByTimeAsync(milliseconds);
};

/** A small generator with a seed (a linear congruence): the same seed gives the same numbers. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

/** A server that is away until it is started, and the probe of one process. */
class Setup {
  /** The reaction of the server to a probe. */
  answer: 'refuse' | 'hang' | ProbeResult = 'refuse';
  readonly times: number[] = [];
  readonly back: number[] = [];
  readonly stops: AbortController[] = [];
  readonly probe: ServerProbe;

  constructor(random: () => number = () => 0.5) {
    this.probe = new ServerProbe((signal) => this.#asked(signal), {
      random,
      clock: systemClock,
    });
  }

  wait(count = 1): void {
    for (let wait = 0; wait < count; wait++) {
      const stop = new AbortController();
      this.stops.push(stop);
      void this.probe.back(stop.signal).then(() => this.back.push(performance.now()));
    }
  }

  async #asked(signal: AbortSignal): Promise<ProbeResult> {
    this.times.push(performance.now());
    if (this.answer === 'refuse') throw new Error('refused');
    if (this.answer !== 'hang') return this.answer;
    return new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('aborted')));
    });
  }
}

function gaps(times: readonly number[]): number[] {
  return times.slice(1).map((time, index) => time - (times[index] as number));
}

describe('ServerProbe', () => {
  test('sends nothing while nothing waits', async () => {
    const setup = new Setup();
    await pass(60_000);
    expect(setup.times).toEqual([]);
    expect(setup.probe.isAway).toBe(false);
  });

  test('probes once a second for any number of waits', async () => {
    const setup = new Setup();
    setup.wait(500);
    await pass(60_000);
    expect(setup.times.length).toBeGreaterThanOrEqual(57);
    expect(Math.min(...gaps(setup.times))).toBeGreaterThanOrEqual(1000);
    expect(Math.max(...gaps(setup.times))).toBeLessThanOrEqual(1050);
    setup.probe.stop();
  });

  test('ends the waits after the first success, apart from each other, and probes no more', async () => {
    const setup = new Setup();
    setup.wait(500);
    await pass(25_000);
    setup.answer = 'ready';
    const since = performance.now();
    await pass(1350);
    expect(setup.back).toHaveLength(500);
    expect(Math.max(...setup.back) - since).toBeLessThanOrEqual(1350);
    const perMillisecond = Map.groupBy(setup.back, (time) => Math.floor(time));
    expect(Math.max(...[...perMillisecond.values()].map(({ length }) => length))).toBeLessThan(5);
    const probes = setup.times.length;
    await pass(60_000);
    expect(setup.times).toHaveLength(probes);
    expect(jest.getTimerCount()).toBe(0);
  });

  test.each([300, 5_000, 25_000, 3_600_000])(
    'ends a wait within 1.35 s after an outage of %d ms',
    async (outage) => {
      const setup = new Setup(seeded(outage));
      setup.wait(100);
      await pass(outage);
      setup.answer = 'ready';
      await pass(1350);
      expect(setup.back).toHaveLength(100);
    },
  );

  test('ends a wait within 2 s if probes have no response while the server is away', async () => {
    const setup = new Setup();
    setup.answer = 'hang';
    setup.wait();
    await pass(30_000);
    expect(setup.times.length).toBeGreaterThanOrEqual(14);
    setup.answer = 'ready';
    await pass(2100);
    expect(setup.back).toHaveLength(1);
  });

  test('probes again after a probe that does not end with its signal, such as one that waits for credentials', async () => {
    let probes = 0;
    const probe = new ServerProbe(() => {
      probes += 1;
      return probes === 1 ? new Promise<never>(() => undefined) : Promise.resolve('ready');
    });
    let isBack = false;
    void probe.back(new AbortController().signal).then(() => (isBack = true));
    await pass(4_000);
    expect(isBack).toBe(true);
    expect(jest.getTimerCount()).toBe(0);
  });

  test('respects Retry-After of a server that is not ready', async () => {
    const setup = new Setup();
    setup.answer = { retryAfter: 5_000 };
    setup.wait();
    await pass(21_000);
    expect(Math.min(...gaps(setup.times))).toBeGreaterThanOrEqual(5_000);
    setup.answer = { retryAfter: 3_600_000 };
    await pass(5_000);
    setup.answer = 'ready';
    await pass(31_000);
    expect(setup.back).toHaveLength(1);
  });

  test('stops when the last wait is aborted, and keeps the time of the next probe', async () => {
    const setup = new Setup();
    setup.wait();
    await pass(600);
    setup.stops[0]?.abort();
    await pass(700);
    expect(setup.times).toEqual([setup.times[0]]);
    expect(jest.getTimerCount()).toBe(0);
    setup.wait();
    await pass(400);
    expect(gaps(setup.times).every((gap) => gap >= 1000)).toBe(true);
    setup.probe.stop();
  });

  test('waits that follow each other within a second do not delay the probe', async () => {
    const setup = new Setup();
    for (let attempt = 0; attempt < 100; attempt++) {
      setup.wait();
      await pass(100);
      setup.stops.at(-1)?.abort();
    }
    expect(setup.times.length).toBeGreaterThanOrEqual(9);
    expect(Math.min(...gaps(setup.times))).toBeGreaterThanOrEqual(1000);
  });

  test('a server that is ready but breaks the watches ends their waits every 10 s at most', async () => {
    const setup = new Setup();
    setup.answer = 'ready';
    let ended = 0;
    const stop = new AbortController();
    const again = async (): Promise<void> => {
      await setup.probe.back(stop.signal);
      ended++;
      await again();
    };
    void again();
    await pass(60_000);
    expect(ended).toBeGreaterThanOrEqual(6);
    expect(ended).toBeLessThanOrEqual(7);
    setup.probe.stop();
  });

  test('a server that goes away again after a second ends the waits when it is back', async () => {
    const setup = new Setup();
    setup.wait();
    await pass(3_000);
    setup.answer = 'ready';
    await pass(1_400);
    setup.answer = 'refuse';
    setup.wait();
    await pass(2_500);
    expect(setup.back).toHaveLength(1);
    setup.answer = 'ready';
    await pass(1_400);
    expect(setup.back).toHaveLength(2);
  });

  test('`stop` ends everything, also waits that are about to end', async () => {
    const setup = new Setup();
    setup.wait(100);
    await pass(2_000);
    setup.answer = 'ready';
    await pass(1_000);
    setup.probe.stop();
    const { length } = setup.back;
    await pass(10_000);
    expect(setup.back).toHaveLength(length);
    expect(jest.getTimerCount()).toBe(0);
  });

  test('a wait with an aborted signal sends nothing', async () => {
    const setup = new Setup();
    void setup.probe.back(AbortSignal.abort());
    await pass(10_000);
    expect(setup.times).toEqual([]);
  });

  test('a hundred processes with 30 watches each do not storm the server', async () => {
    const random = seeded(20_261_128);
    const processes = Array.from({ length: 100 }, () => new Setup(random));
    for (const process of processes) process.wait(30);
    await pass(25_000);
    const probes = processes.flatMap(({ times }) => times);
    const perSecond = Map.groupBy(probes, (time) => Math.floor(time / 1000));
    // One probe of each process in a second: 100, and not all of them in the same moment.
    expect(Math.max(...[...perSecond.values()].map(({ length }) => length))).toBeLessThanOrEqual(
      110,
    );
    const perTenMs = Map.groupBy(probes, (time) => Math.floor(time / 10));
    expect(Math.max(...[...perTenMs.values()].map(({ length }) => length))).toBeLessThanOrEqual(10);
    const since = performance.now();
    for (const process of processes) process.answer = 'ready';
    await pass(1350);
    const back = processes.flatMap((process) => process.back);
    expect(back).toHaveLength(3000);
    expect(Math.max(...back) - since).toBeLessThanOrEqual(1350);
    // Evenly spread, 3 000 watches in a second are 30 in 10 ms.
    const watches = Map.groupBy(back, (time) => Math.floor(time / 10));
    expect(Math.max(...[...watches.values()].map(({ length }) => length))).toBeLessThanOrEqual(90);
  });
});
