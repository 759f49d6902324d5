import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { gate, recordingLogger, useFakeTime } from '../testing/fixtures.test-support.ts';
import { HealthChecks } from './health-checks.ts';

afterEach(() => {
  jest.useRealTimers();
});

function checksOf(): { checks: HealthChecks; lines: Record<string, unknown>[] } {
  const { logger, lines } = recordingLogger();
  return { checks: new HealthChecks(['/healthz', '/livez'], 500, logger), lines };
}

const fetchPath = async (checks: HealthChecks, path: string): Promise<[number, string]> => {
  const response = await checks.respond(new URL(path, 'http://server'));
  return [response?.status ?? 404, (response?.body ?? '') as string];
};

const fail = (): never => {
  throw new Error('the password is swordfish');
};

describe('health checks', () => {
  test('HZ01 respond with 200 if all pass, and with 500 if one fails', async () => {
    const { checks } = checksOf();
    checks.add('one', () => undefined);
    checks.add('two', async () => undefined);
    expect(await fetchPath(checks, '/healthz')).toEqual([200, 'ok']);
    const takeOff = checks.add('three', () => Promise.reject(new Error('no')));
    expect((await fetchPath(checks, '/healthz'))[0]).toBe(500);
    takeOff();
    expect((await fetchPath(checks, '/healthz'))[0]).toBe(200);
  });

  test('HZ01 leave out the excluded check, and list all with verbose', async () => {
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

  test('HZ01 run a single check by its path, and respond with 404 to an unknown path', async () => {
    const { checks } = checksOf();
    checks.add('good', () => undefined);
    checks.add('bad', fail);
    expect(await fetchPath(checks, '/healthz/good')).toEqual([200, 'ok']);
    expect((await fetchPath(checks, '/healthz/bad'))[0]).toBe(500);
    expect((await fetchPath(checks, '/healthz/unknown'))[0]).toBe(404);
    expect((await fetchPath(checks, '/healthzz'))[0]).toBe(404);
  });

  test('HZ01 respond alike on every path of the endpoint', async () => {
    const { checks } = checksOf();
    checks.add('good', () => undefined);
    expect(await fetchPath(checks, '/livez?verbose')).toEqual([
      200,
      '[+]good ok\nlivez check passed\n',
    ]);
    checks.add('bad', fail);
    expect((await fetchPath(checks, '/livez'))[0]).toBe(500);
    expect((await fetchPath(checks, '/livez/good'))[0]).toBe(200);
    expect((await fetchPath(checks, '/livez/unknown'))[0]).toBe(404);
  });

  test('share one run among concurrent requests, and run again for a later one', async () => {
    const { checks } = checksOf();
    const [slow, runs] = [gate(), { count: 0 }];
    checks.add('slow', () => {
      runs.count += 1;
      return slow.opened;
    });
    const paths = ['/healthz', '/healthz?verbose', '/healthz/slow'];
    const responses = [...paths, ...paths].map((path) => fetchPath(checks, path));
    slow.open();
    for (const [status] of await Promise.all(responses)) expect(status).toBe(200);
    expect(runs.count).toBe(1);
    await fetchPath(checks, '/healthz');
    expect(runs.count).toBe(2);
  });

  test('HZ01 log the reason of a failure and do not send it', async () => {
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

  test('log the reason of a failure once, and again after a change or a success', async () => {
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
    const messages = lines.map(({ err }) => (err as Error).message);
    expect(messages).toEqual(['no lease', 'no leader', 'no leader']);
  });

  test('fail a check after its timeout and abort its signal', async () => {
    useFakeTime();
    const { checks } = checksOf();
    let given: AbortSignal | undefined;
    checks.add('slow', (signal) => {
      given = signal;
      return new Promise(() => undefined);
    });
    const response = fetchPath(checks, '/healthz');
    await jest.advanceTimersByTimeAsync(5000);
    expect((await response)[0]).toBe(500);
    expect(given?.aborted).toBe(true);
  });

  test('keep a newer check of the same name when an older one is removed', async () => {
    const { checks } = checksOf();
    const takeOff = checks.add('one', () => undefined);
    takeOff();
    checks.add('one', fail);
    takeOff();
    expect((await fetchPath(checks, '/healthz'))[0]).toBe(500);
  });

  test('do not respond to a path of another endpoint', () => {
    const { checks } = checksOf();
    checks.add('one', () => undefined);
    expect(checks.respond(new URL('/another/one', 'http://server'))).toBeUndefined();
    expect(checks.respond(new URL('/healthz/one', 'http://server'))).toBeDefined();
  });

  test('leave no timer after a response', async () => {
    useFakeTime();
    const { checks } = checksOf();
    checks.add('good', () => undefined);
    checks.add('bad', fail);
    await fetchPath(checks, '/healthz');
    expect(jest.getTimerCount()).toBe(0);
  });

  test('log and withhold a thrown value that has no text', async () => {
    const { checks, lines } = checksOf();
    checks.add('odd', () => {
      throw Object.create(null);
    });
    expect((await fetchPath(checks, '/healthz'))[0]).toBe(500);
    expect((await fetchPath(checks, '/healthz'))[0]).toBe(500);
    expect(lines).toEqual([
      expect.objectContaining({ message: 'check failed', endpoint: '/healthz', check: 'odd' }),
    ]);
  });

  test('reject a check that is not a function', () => {
    const { checks } = checksOf();
    expect(() => checks.add('one', 'ok' as never)).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION' }),
    );
  });

  test('reject a name that is in use or invalid in a path', () => {
    const { checks } = checksOf();
    checks.add('one', () => undefined);
    for (const name of ['one', '', 'a/b', 'a b', '-a', 'a\n', 5, undefined, ['a']]) {
      expect(() => checks.add(name as never, () => undefined)).toThrow(
        expect.objectContaining({ code: 'INVALID_OPTION' }),
      );
    }
  });
});
