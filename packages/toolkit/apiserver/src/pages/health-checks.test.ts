import { describe, expect, test } from '@jest/globals';
import { clientOfRunningServer } from '../server/running-server.test-support.ts';

describe('Health checks', () => {
  const client = clientOfRunningServer();

  test.each([
    ['healthz', 34, 'loopback-serving-certificate'],
    ['livez', 34, 'loopback-serving-certificate'],
    ['readyz', 36, 'informer-sync'],
  ])('/%s?verbose lists %d checks of kube-apiserver', async (endpoint, count, name) => {
    const lines = (await client.get(`/${endpoint}?verbose`)).text.split('\n');
    expect(lines.slice(-2)).toEqual([`${endpoint} check passed`, '']);
    expect(lines).toHaveLength(count + 2);
    expect(lines).toContain(`[+]${name} ok`);
  });

  test('a check has its own path and says only that it passed', async () => {
    const { text } = await client.get('/livez/poststarthook/rbac/bootstrap-roles?verbose');
    expect(text).toBe('ok');
    expect((await client.get('/healthz/informer-sync')).code).toBe(404);
  });

  test('a check is excluded by its name', async () => {
    const { text } = await client.get('/readyz?verbose&exclude=etcd&exclude=none');
    expect(text).toContain('[+]etcd excluded: ok\n');
    expect(text).toContain(
      'warn: some health checks cannot be excluded: no matches for "none"\nreadyz check passed\n',
    );
  });

  test('every response names its audit id, which a request may choose', async () => {
    const own = await client.get('/healthz', { 'audit-id': 'mine' });
    expect(own.headers.get('audit-id')).toBe('mine');
    const ids = await Promise.all(['/version', '/nothing'].map((path) => client.get(path)));
    const found = ids.map(({ headers }) => headers.get('audit-id'));
    expect(found).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), expect.any(String)]);
    expect(new Set(found).size).toBe(2);
  });
});
