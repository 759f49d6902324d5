import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { gate, recordingLogger, useFakeTime } from '../testing/fixtures.test-support.ts';
import { HealthChecks } from './health-checks.ts';

afterEach(() => {
  jest.useRealTimers();
});

function checksOf(): { checks: HealthChecks; lines: Record<string, unknown>[] } {
  const { logger, lines } = recordingLogger();
  return { checks: new HealthChecks('/healthz', 500, logger), lines };
}

const fetchPath = async (checks: HealthChecks, path: string): Promise<[number, string]> => {
  const response = await checks.respond(new URL(path, 'http://server'));
  return [response?.status ?? 404, String(response?.body ?? '')];
};

const fail = (): never => {
  throw new Error('the password is swordfish');
};

describe('health checks', () => {
  test('HZ01 all ok → 200; one failing → 500', async () => {
    const { checks } = checksOf();
    checks.add('one', () => undefined);
    checks.add('two', async () => undefined);
    expect(await fetchPath(checks, '/healthz')).toEqual([200, 'ok']);
    const takeOff = checks.add('three', () => Promise.reject(new Error('no')));
    expect((await fetchPath(checks, '/healthz'))[0]).toBe(500);
    takeOff();
    expect((await fetchPath(checks, '/healthz'))[0]).toBe(200);
  });

  test('HZ01 exclude drops one; verbose lists', async () => {
    const { checks } = checksOf();
    checks.add('good', () => undefined);
    checks.add('bad', fail);
    expect(await fetchPath(checks, '/healthz?exclude=bad')).toEqual([200, 'ok']);
    expect(await fetchPath(checks, '/healthz?exclude=bad&verbose')).toEqual([
      200,
      '[+]good ok\n[+]bad excluded: ok\nhealthz check passed\n',
    ]);
    expect((await fetchPath(checks, '/healthz?exclude=good'))[0]).toBe(500);
    expect((await fetchPath(checks, '/healthz?exclude=bad&exclude=odd&verbose'))[1]).toContain(
      'warn: no check is called "odd"',
    );
  });

  test('HZ01 a sub-path ignores the others; an unknown sub-path is 404', async () => {
    const { checks } = checksOf();
    checks.add('good', () => undefined);
    checks.add('bad', fail);
    expect(await fetchPath(checks, '/healthz/good')).toEqual([200, 'ok']);
    expect((await fetchPath(checks, '/healthz/bad'))[0]).toBe(500);
    expect((await fetchPath(checks, '/healthz/unknown'))[0]).toBe(404);
    expect((await fetchPath(checks, '/healthzz'))[0]).toBe(404);
  });

  test('requests at the same time share one run of each check; a later one runs it again', async () => {
    const { checks } = checksOf();
    const [slow, runs] = [gate(), { count: 0 }];
    checks.add('slow', () => {
      runs.count += 1;
      return slow.opened;
    });
    const paths = ['/healthz', '/healthz?verbose', '/healthz/slow'];
    const answers = [...paths, ...paths].map((path) => fetchPath(checks, path));
    slow.open();
    for (const [status] of await Promise.all(answers)) expect(status).toBe(200);
    expect(runs.count).toBe(1);
    await fetchPath(checks, '/healthz');
    expect(runs.count).toBe(2);
  });

  test('HZ01 reasons are withheld from the body, and logged', async () => {
    const { checks, lines } = checksOf();
    checks.add('bad', fail);
    const [, body] = await fetchPath(checks, '/healthz?verbose');
    expect(body).toBe('[-]bad failed: reason withheld\nhealthz check failed\n');
    expect((await fetchPath(checks, '/healthz/bad'))[1]).toBe('[-]bad failed: reason withheld\n');
    expect(lines[0]).toMatchObject({
      check: 'bad',
      err: { message: 'the password is swordfish' },
    });
  });

  test('why a check fails is logged once, and again when it changes or comes back', async () => {
    const { checks, lines } = checksOf();
    let reason: string | undefined = 'no lease';
    checks.add('lease', () => {
      if (reason !== undefined) throw new Error(reason);
    });
    for (const next of ['no lease', 'no leader', undefined, 'no leader']) {
      await fetchPath(checks, '/healthz');
      reason = next;
    }
    await fetchPath(checks, '/healthz');
    const told = lines.map(({ err }) => (err as Error).message);
    expect(told).toEqual(['no lease', 'no leader', 'no leader']);
  });

  test('a check that takes too long fails, and its signal aborts', async () => {
    useFakeTime();
    const { checks } = checksOf();
    let given: AbortSignal | undefined;
    checks.add('slow', (signal) => {
      given = signal;
      return new Promise(() => undefined);
    });
    const answer = fetchPath(checks, '/healthz');
    await jest.advanceTimersByTimeAsync(5000);
    expect((await answer)[0]).toBe(500);
    expect(given?.aborted).toBe(true);
  });

  test('taking a check off leaves one that has its name since', async () => {
    const { checks } = checksOf();
    const takeOff = checks.add('one', () => undefined);
    takeOff();
    checks.add('one', fail);
    takeOff();
    expect((await fetchPath(checks, '/healthz'))[0]).toBe(500);
  });

  test('a path of the same length that is not of this endpoint is not answered', () => {
    const { checks } = checksOf();
    checks.add('one', () => undefined);
    expect(checks.respond(new URL('/another/one', 'http://server'))).toBeUndefined();
    expect(checks.respond(new URL('/healthz/one', 'http://server'))).toBeDefined();
  });

  test('an answer leaves no timer behind', async () => {
    useFakeTime();
    const { checks } = checksOf();
    checks.add('good', () => undefined);
    checks.add('bad', fail);
    await fetchPath(checks, '/healthz');
    expect(jest.getTimerCount()).toBe(0);
  });

  test('what is no function is refused', () => {
    const { checks } = checksOf();
    expect(() => checks.add('one', 'ok' as never)).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION' }),
    );
  });

  test('a name in use, or that no path can hold, is refused', () => {
    const { checks } = checksOf();
    checks.add('one', () => undefined);
    for (const name of ['one', '', 'a/b', 'a b']) {
      expect(() => checks.add(name, () => undefined)).toThrow(
        expect.objectContaining({ code: 'INVALID_OPTION' }),
      );
    }
  });
});
