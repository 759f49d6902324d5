import { describe, expect, test } from '@jest/globals';
import type { Cluster, Credentials } from '../cluster/cluster.ts';
import { ClientError } from '../errors.ts';
import { CredentialCache } from './credential-cache.ts';
import { rejection } from '../testing/recording-server.test-support.ts';

/** A cluster whose credentials are `token-<n>` for the n-th fetch, with the requests for them. */
function counted(tokenOf = (fetches: number) => `token-${fetches}`): {
  cluster: Cluster;
  forced: boolean[];
} {
  const forced: boolean[] = [];
  const cluster: Cluster = {
    server: 'http://x',
    async credentials({ force }) {
      forced.push(force);
      return { headers: { authorization: tokenOf(forced.length) } };
    },
  };
  return { cluster, forced };
}

const invalidCredentials = [
  undefined,
  null,
  'token',
  [],
  { header: { authorization: 'Bearer b' } },
  { headers: null },
  { headers: ['Bearer b'] },
  { headers: { authorization: undefined } },
  { headers: { authorization: '' } },
  { headers: { authorization: [] } },
  { headers: { authorization: 5 } },
  { headers: { authorization: 'Bearer b\n' } },
  { headers: { authorization: 'Bearer ключ' } },
  { headers: { 'bad name': 'x' } },
  { headers: { 'transfer-encoding': 'chunked' } },
  { tls: 'pem' },
  { tls: { certificate: 'pem' } },
  { tls: { ca: 5 } },
  { tls: { servername: 5 } },
  { tls: { rejectUnauthorized: 'no' } },
  { tls: { cert: 'no certificate', key: 'no key' } },
];

function failedWith(message: string): unknown {
  return expect.objectContaining({ code: 'CREDENTIALS_FAILED', cause: new Error(message) });
}

describe('CredentialCache', () => {
  test('shares one fetch between concurrent callers, and fetches again after ten seconds', async () => {
    const { cluster, forced } = counted();
    let now = 0;
    const cache = new CredentialCache(cluster, { now: () => now });
    const held = await Promise.all([cache.get(), cache.get(), cache.get()]);
    expect(new Set(held).size).toBe(1);
    now = 9999;
    await cache.get();
    expect(forced).toEqual([false]);
    now = 10_000;
    expect((await cache.get()).headers['authorization']).toBe('token-2');
    expect(forced).toEqual([false, false]);
  });

  test('does not fetch a token that does not change', async () => {
    const cache = new CredentialCache({ server: 'http://x', token: 'abc' });
    const held = await cache.get();
    expect(held.headers['authorization']).toBe('Bearer abc');
    expect(cache.get()).toBe(held);
  });

  test('RF45 refreshes once for a thousand refusals of the same credentials', async () => {
    const { cluster, forced } = counted();
    const cache = new CredentialCache(cluster, { now: () => 0 });
    const refused = await cache.get();
    const replaced = await Promise.all(Array.from({ length: 1000 }, () => cache.renew(refused)));
    expect(forced).toEqual([false, true]);
    expect(new Set(replaced.map((held) => held?.headers['authorization']))).toEqual(
      new Set(['token-2']),
    );
    // A late refusal of credentials that have been replaced needs no refresh either.
    expect((await cache.renew(refused))?.headers['authorization']).toBe('token-2');
    expect(forced).toHaveLength(2);
  });

  test('returns undefined if the refresh returns the same credentials, and does not refresh again for a while', async () => {
    const { cluster, forced } = counted(() => 'same');
    let now = 0;
    const refreshes: boolean[] = [];
    const cache = new CredentialCache(cluster, {
      now: () => now,
      onRefresh: ({ changed }) => refreshes.push(changed),
    });
    const refused = await cache.get();
    expect(await cache.renew(refused)).toBeUndefined();
    expect(await cache.renew(refused)).toBeUndefined();
    expect(forced).toEqual([false, true]);
    now = 5000;
    expect(await cache.renew(refused)).toBeUndefined();
    expect(forced).toEqual([false, true, true]);
    expect(refreshes).toEqual([false, false]);
  });

  test('stops refreshing if every new token is refused too', async () => {
    const { cluster, forced } = counted();
    const cache = new CredentialCache(cluster, { now: () => 0 });
    const renewed = await cache.renew(await cache.get());
    if (renewed === undefined) throw new Error('expected other credentials');
    cache.recordRefusal(renewed);
    expect(await cache.renew(renewed)).toBeUndefined();
    expect(forced).toEqual([false, true]);
  });

  test('never fetches twice at the same time', async () => {
    let asking = 0;
    let most = 0;
    let now = 0;
    let released = Promise.withResolvers<void>();
    const cache = new CredentialCache(
      {
        server: 'http://x',
        async credentials({ force }) {
          most = Math.max(most, ++asking);
          if (!force) await released.promise;
          asking--;
          return { headers: { authorization: String(force) } };
        },
      },
      { now: () => (now += 10_000) },
    );
    released.resolve();
    const refused = await cache.get();
    released = Promise.withResolvers<void>();
    const renewing = cache.get();
    const replacing = cache.renew(refused);
    released.resolve();
    await renewing;
    expect((await replacing)?.headers['authorization']).toBe('true');
    expect(most).toBe(1);
  });

  test('keeps its credentials after a failed refresh, and refreshes again after ten seconds', async () => {
    let now = 0;
    let fetches = 0;
    const failures: unknown[] = [];
    const cache = new CredentialCache(
      {
        server: 'http://x',
        async credentials() {
          if (++fetches === 2) throw new Error('plugin');
          return { headers: { authorization: `token-${fetches}` } };
        },
      },
      {
        now: () => now,
        onFailure: (error) => failures.push(error),
        onRefresh: (refresh) => failures.push(refresh),
      },
    );
    const first = await cache.get();
    now = 10_000;
    expect(await cache.get()).toBe(first);
    expect(failures).toEqual([failedWith('plugin')]);
    now = 19_999;
    expect(await cache.get()).toBe(first);
    expect(fetches).toBe(2);
    now = 20_000;
    expect((await cache.get()).headers['authorization']).toBe('token-3');
    expect(failures).toEqual([failedWith('plugin'), { changed: true }]);
  });

  test('RF45 refreshes once for 200 refusals also if it fails, late refusals included', async () => {
    let forced = 0;
    let now = 0;
    const cache = new CredentialCache(
      {
        server: 'http://x',
        async credentials({ force }) {
          if (force) throw new Error(`plugin ${++forced}`);
          return { headers: { authorization: 'token' } };
        },
      },
      { now: () => now },
    );
    const refused = await cache.get();
    const replacing = Array.from({ length: 200 }, () => cache.renew(refused));
    // Requests that were not refused use the old credentials.
    expect(await cache.get()).toBe(refused);
    const ends = await Promise.allSettled([...replacing, cache.renew(refused)]);
    ends.push(...(await Promise.allSettled([cache.renew(refused)])));
    const reasons = new Set(ends.map((end): unknown => (end as PromiseRejectedResult).reason));
    expect([...reasons]).toEqual([failedWith('plugin 1')]);
    expect(await cache.get()).toBe(refused);
    now = 5000;
    await expect(cache.renew(refused)).rejects.toEqual(failedWith('plugin 2'));
  });

  test('close aborts a fetch and does not wait for one that ignores its signal', async () => {
    const reason = new Error('closed');
    const signals: (AbortSignal | undefined)[] = [];
    const cluster: Cluster = {
      server: 'http://x',
      credentials({ signal }) {
        signals.push(signal);
        return new Promise(() => undefined);
      },
    };
    const cache = new CredentialCache(cluster);
    void cache.get();
    await cache.close(reason);
    expect(signals[0]?.reason).toBe(reason);
    const closed = new CredentialCache(cluster);
    await closed.close(reason);
    await expect(closed.get()).rejects.toBe(reason);
    expect(signals).toHaveLength(1);
  });

  test('rejects all waiting callers if a fetch fails, and does not cache the failure', async () => {
    let fails = true;
    const cache = new CredentialCache({
      server: 'http://x',
      async credentials() {
        if (fails) throw new Error('plugin');
        return {};
      },
    });
    await expect(cache.get()).rejects.toEqual(failedWith('plugin'));
    fails = false;
    await expect(cache.get()).resolves.toMatchObject({ headers: {} });
  });

  test('compares TLS material by its bytes, in any form', async () => {
    const forms = ['pem', Buffer.from('pem'), ['pem'], 'other'];
    let fetches = 0;
    let now = 0;
    const cache = new CredentialCache(
      { server: 'https://x', credentials: async () => ({ tls: { ca: forms[fetches++] ?? '' } }) },
      { now: () => (now += 10_000) },
    );
    const prints: string[] = [];
    for (const _ of forms) prints.push((await cache.get()).tlsFingerprint);
    expect(prints[1]).toBe(prints[0]);
    expect(prints[2]).toBe(prints[0]);
    expect(prints[3]).not.toBe(prints[0]);
    expect(prints.join()).not.toContain('pem');
  });

  test('passes an error with a code on as it is', async () => {
    const error = new ClientError('CREDENTIALS_FAILED', { user: 'u' });
    const credentials = (): Promise<Credentials> => Promise.reject(error);
    const cache = new CredentialCache({ server: 'http://x', credentials });
    await expect(cache.get()).rejects.toBe(error);
  });

  test.each(invalidCredentials)(
    'RF45 refuses the credentials %j, and keeps those that are held',
    async (invalid) => {
      let next: Credentials = { headers: { authorization: 'Bearer a' } };
      let now = 0;
      const failures: unknown[] = [];
      const cache = new CredentialCache(
        { server: 'http://x', credentials: async () => next },
        { now: () => now, onFailure: (error) => failures.push(error) },
      );
      const held = await cache.get();
      next = invalid as Credentials;
      const refused = expect.objectContaining({
        code: expect.stringMatching(/^(CREDENTIALS_FAILED|INVALID_CLUSTER)$/),
      });
      await expect(cache.renew(held)).rejects.toEqual(refused);
      now = 10_000;
      expect(await cache.get()).toBe(held);
      expect(failures).toEqual([refused, refused]);
      const first = new CredentialCache({ server: 'http://x', credentials: async () => next });
      await expect(first.get()).rejects.toEqual(refused);
    },
  );

  test('names the invalid member without its value', async () => {
    const headers = { authorization: 'Bearer hunter2\n' };
    const cache = new CredentialCache({
      server: 'http://x',
      credentials: async () => ({ headers }),
    });
    const error = await rejection(Promise.resolve(cache.get()));
    expect(error).toMatchObject({ facts: { option: 'headers.authorization' } });
    expect(JSON.stringify(error)).not.toContain('hunter2');
  });

  test('sends a header once, in whichever case it is given', async () => {
    const headers = { Authorization: 'Bearer b' };
    const cluster = { server: 'http://x', token: 'a', credentials: async () => ({ headers }) };
    expect((await new CredentialCache(cluster).get()).headers).toEqual({
      authorization: 'Bearer b',
    });
  });
});
