import { describe, expect, jest, test } from '@jest/globals';
import { builtin, StatusError } from '@keelson/apimachinery';
import type { Client } from '../verbs/client.ts';
import { createClient, type ClientOptions } from '../verbs/create-client.ts';
import { openClient } from '../testing/open-client.test-support.ts';
import { json, rejection, status } from '../testing/recording-server.test-support.ts';
import { retryOnConflict } from '../verbs/retry-on-conflict.ts';

const name = { namespace: 'a', name: 'b' };
const object = { metadata: { ...name, uid: 'u' } };
const not = undefined as unknown;

type Run = (client: Client, options: never) => unknown;
const calls: Readonly<Record<string, Run>> = {
  get: (client, options) => client.get(builtin.ConfigMap, name, options),
  list: (client, options) => client.list(builtin.ConfigMap, options),
  items: (client, options) => client.items(builtin.ConfigMap, options).next(),
  watch: (client, options) => client.watch(builtin.ConfigMap, options).next(),
  create: (client, options) => client.create(builtin.ConfigMap, object, options),
  update: (client, options) => client.update(builtin.ConfigMap, object, options),
  patch: (client, options) =>
    client.patch(builtin.ConfigMap, name, { type: 'merge', body: {} }, options),
  apply: (client, options) => client.apply(builtin.ConfigMap, object, options),
  'status.update': (client, options) => client.status(builtin.Pod).update(object, options),
  delete: (client, options) => client.delete(builtin.ConfigMap, name, options),
  deleteCollection: (client, options) => client.deleteCollection(builtin.ConfigMap, options),
};
const all = Object.keys(calls);
const writes = ['create', 'update', 'patch', 'apply', 'status.update'];
const removals = ['delete', 'deleteCollection'];
const lists = ['list', 'items', 'watch'];
const numbers = [Number.NaN, Infinity, -1, 1.5, '5', null];

/** Invalid values of options, and the calls that have the option. */
const wrong: [string, readonly unknown[], readonly string[]][] = [
  ['signal', [new AbortController(), null, true], all],
  [
    'timeout',
    [Number.NaN, -1, 'soon', null],
    all.filter((call) => !['items', 'watch'].includes(call)),
  ],
  [
    'dryRun',
    ['all', 'true', 1, 'None', [], ['None'], ['All', 'All'], null],
    [...writes, ...removals],
  ],
  ['fieldManager', ['', 5, 'a\nb', 'x'.repeat(129), null], writes],
  ['fieldValidation', ['strict', true, null], writes],
  ['force', ['true', 1, null], ['apply']],
  ['gracePeriodSeconds', numbers, removals],
  ['propagationPolicy', ['foreground', true, null], removals],
  [
    'preconditions',
    ['u', {}, { uid: not }, { uid: 'u', resourceVersion: 5 }, { uuid: 'u' }, null],
    removals,
  ],
  ['namespace', [5, null, ['a']], [...lists, 'deleteCollection']],
  ['labelSelector', [5, null, ['a']], [...lists, 'deleteCollection']],
  ['fieldSelector', [5, null, { a: 'b' }], [...lists, 'deleteCollection']],
  ['shardSelector', [5, null], lists],
  ['limit', numbers, ['list', 'items']],
  ['continue', [5, null], ['list', 'items']],
  ['resourceVersion', [5, null], ['get', ...lists]],
  ['resourceVersionMatch', ['exact', true, null], lists],
  ['sendInitialEvents', ['true', 1, null], ['watch']],
  ['allowWatchBookmarks', ['true', 1, null], ['watch']],
  ['timeoutSeconds', numbers, ['watch']],
];
const each = wrong.flatMap(([option, values, names]) =>
  names.flatMap((call) => values.map((value) => [call, option, value] as const)),
);

describe('an option with an invalid value', () => {
  test.each(each)(
    '%s: %s of %p is refused before a request is sent',
    async (call, option, value) => {
      await using setup = await openClient((_request, response) => json(response, object));
      const run = calls[call] as Run;
      const asked = async (): Promise<unknown> => run(setup.client, { [option]: value } as never);
      expect(await rejection(asked())).toMatchObject({ code: 'INVALID_OPTION' });
      const error = await rejection(asked());
      expect(error.message).toContain(`.${option}`);
      expect(setup.server.requests).toHaveLength(0);
    },
  );

  test.each([
    [{ retry: { attempts: Number.NaN } }, 'retry.attempts'],
    [{ retry: { attempts: 0 } }, 'retry.attempts'],
    [{ retry: { attempts: 1.5 } }, 'retry.attempts'],
    [{ retry: { base: Number.NaN } }, 'retry.base'],
    [{ retry: { base: -1 } }, 'retry.base'],
    [{ retry: { max: Infinity } }, 'retry.max'],
    [{ retry: { max: '1s' } }, 'retry.max'],
    [{ retry: true }, 'retry'],
    [{ fieldManager: '' }, 'fieldManager'],
    [{ userAgent: 'a\r\nb: c' }, 'userAgent'],
    [{ userAgent: '' }, 'userAgent'],
    [{ compression: 'gzip' }, 'compression'],
    [{ observer: true }, 'observer'],
  ] as const)('createClient: %p is refused by the name %s', (given, option) => {
    const options = { cluster: { server: 'http://x' }, ...given } as unknown as ClientOptions;
    expect(() => createClient(options)).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        facts: expect.objectContaining({ option: `createClient.${option}` }),
      }),
    );
  });

  test.each([
    { attempts: Number.NaN },
    { attempts: 0 },
    { attempts: '3' },
    { delay: Number.NaN },
    { delay: -1 },
    { signal: new AbortController() },
  ])('retryOnConflict: %p is refused, and the change does not run', async (options) => {
    const change = jest.fn(async () => Promise.reject(new StatusError({ code: 409 })));
    const error = await rejection(retryOnConflict(change, options as never));
    expect(error).toMatchObject({ code: 'INVALID_OPTION' });
    expect(change).not.toHaveBeenCalled();
  });

  test.each([
    { method: 'get' },
    { method: 'CONNECT' },
    { path: 5 },
    { query: { a: Number.NaN } },
    { query: { a: {} } },
    { query: 'a=b' },
    { headers: { a: 'b\r\nc: d' } },
    { headers: { a: 5 } },
    { headers: { 'a b': 'c' } },
    { headers: { 'Transfer-Encoding': 'chunked' } },
    { body: 5 },
    { body: null },
    { timeout: 'soon' },
  ])('request: %p is refused before a request is sent', async (request) => {
    await using setup = await openClient((_request, response) => json(response, { metadata: {} }));
    const sent = setup.client.request({ path: '/x', ...request } as never);
    expect(await rejection(sent)).toMatchObject({ code: 'INVALID_OPTION' });
    expect(setup.server.requests).toHaveLength(0);
  });

  test('an invalid patch, object or field manager is refused', async () => {
    await using setup = await openClient((_request, response) => json(response, { metadata: {} }));
    const { client } = setup;
    const operations = [{ op: 'remove', path: '/data' }];
    const patches: unknown[] = [
      operations,
      { data: {} },
      { type: 'json', body: {} },
      { type: 'merge', body: operations },
      { type: 'Merge', body: {} },
    ];
    const asked = [
      ...patches.map((patch) => async () => client.patch(builtin.ConfigMap, name, patch as never)),
      ...patches.map((patch) => async () => client.status(builtin.Pod).patch(name, patch as never)),
      ...[null, [], 'b'].map(
        (given) => async () => client.create(builtin.ConfigMap, given as never),
      ),
      async () => client.withFieldManager(''),
      async () => client.listerWatcher({ resource: builtin.Pod, projection: 'meta' as never }),
    ];
    for (const ask of asked) {
      expect(await rejection(ask())).toMatchObject({ code: 'INVALID_OPTION' });
    }
    expect(setup.server.requests).toHaveLength(0);
  });
});

describe('dryRun', () => {
  const spellings = [true, 'All', ['All']] as const;

  test.each(writes.flatMap((call) => spellings.map((dryRun) => [call, dryRun] as const)))(
    '%s: %p sends dryRun=All',
    async (call, dryRun) => {
      await using setup = await openClient((_request, response) => json(response, object));
      await (calls[call] as Run)(setup.client, { dryRun } as never);
      expect(setup.server.requests[0]?.url.searchParams.get('dryRun')).toBe('All');
    },
  );

  test.each(removals.flatMap((call) => spellings.map((dryRun) => [call, dryRun] as const)))(
    '%s: %p sends dryRun=All',
    async (call, dryRun) => {
      await using setup = await openClient((_request, response) => json(response, object));
      await (calls[call] as Run)(setup.client, { dryRun } as never);
      expect(JSON.parse(setup.server.requests[0]?.body ?? '')).toMatchObject({ dryRun: ['All'] });
    },
  );
});

describe('valid options', () => {
  test('may be undefined, or zero if zero is meaningful', async () => {
    await using setup = await openClient((_request, response) =>
      json(response, { items: [], metadata: {} }),
    );
    for (const run of Object.values(calls)) {
      const options = Object.fromEntries(wrong.map(([option]) => [option, undefined]));
      const error = await rejection(
        Promise.resolve().then(() => run(setup.client, options as never)),
      );
      // Each call refuses the options of other calls as unknown, and none because of its value.
      expect(error.message).toContain('unknown option');
    }
    await setup.client.list(builtin.ConfigMap, { limit: 0, timeout: undefined, namespace: '' });
    await setup.client.delete(builtin.ConfigMap, name, { gracePeriodSeconds: 0, dryRun: false });
  });

  test('include a timeout that is longer than any timer', async () => {
    const timer = jest.spyOn(globalThis, 'setTimeout');
    await using setup = await openClient((_request, response) => json(response, object));
    await setup.client.get(builtin.ConfigMap, name, { timeout: '10000h' });
    const longest = Math.max(...timer.mock.calls.map(([, delay = 0]) => delay));
    timer.mockRestore();
    // Node runs a longer timer after 1 ms.
    expect(longest).toBe(2 ** 31 - 1);
  });
});

describe('Retry-After', () => {
  test.each([
    ['-1', undefined],
    ['1.5', 2000],
    ['NaN', undefined],
    ['1e3', undefined],
    ['2001', 2_001_000],
    ['', undefined],
  ])('of %j is parsed', async (header, wait) => {
    await using setup = await openClient(
      (_request, response) => status(response, 429, 'TooManyRequests', { 'retry-after': header }),
      { retry: false },
    );
    const error = await rejection(setup.client.get(builtin.ConfigMap, name));
    expect((error as StatusError).retryAfter).toBe(wait);
  });

  test('is treated as missing if it is invalid', async () => {
    const delays: number[] = [];
    await using setup = await openClient(
      (_request, response, index) => {
        const header = ['-1', 'x'][index];
        if (header !== undefined) status(response, 429, 'Busy', { 'retry-after': header });
        else if (index === 2) {
          json(response, { kind: 'Status', details: { retryAfterSeconds: -5 } }, 429);
        } else json(response, object);
      },
      {
        retry: { base: 8, max: 8 },
        observer: { requestRetried: (_request, { delay }) => void delays.push(delay) },
      },
    );
    await setup.client.create(builtin.ConfigMap, object);
    expect(delays).toHaveLength(3);
    for (const delay of delays) expect(delay).toBeGreaterThanOrEqual(4);
  });
});
