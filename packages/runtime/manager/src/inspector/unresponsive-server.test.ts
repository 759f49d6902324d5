import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { builtin, systemClock } from '@keelson/apimachinery';
import type { RequestPage } from '@keelson/inspector';
import type { WriterRead } from '../explain/explainer.ts';
import type { PlainResponse } from '../servers/http-server.ts';
import { objectOf, useFakeTime } from '../testing/fixtures.test-support.ts';
import type { InspectedController, InspectedManager } from './inspected-manager.ts';
import { Inspector } from './inspector.ts';

const { ConfigMap } = builtin;
const at = '2026-01-01T00:00:00.000Z';

/** The requests to the API server that were sent, each with its end. */
let sent: { readonly signal: AbortSignal; readonly end: (result: unknown) => void }[];
let inspector: Inspector;

/** A request to an API server that hangs. */
function hanging(signal: AbortSignal | undefined): Promise<never> {
  if (signal === undefined) throw new Error('a request without a signal');
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  sent.push({ signal, end: resolve });
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  return promise as Promise<never>;
}

const writerReads: readonly WriterRead[] = ['a', 'b'].map((name) => ({
  source: 'for ConfigMap',
  object: `default/${name}`,
  read: hanging,
}));

const cluster = {
  name: undefined,
  primary: ConfigMap,
  owned: [],
  cache: { get: () => objectOf(ConfigMap, 'a', { metadata: { uid: '1' } }) },
  client: { list: (_kind: unknown, { signal }: { signal?: AbortSignal }) => hanging(signal) },
};
const explanation = {
  state: 'waiting',
  obstacles: [{ code: 'backing-off', text: 'it failed' }],
  events: [],
  runs: [],
  dropped: [{ at, source: 'for ConfigMap', object: 'default/a', reason: 'filtered' }],
};
const controller = {
  name: 'config',
  parts: { clusterOf: () => cluster, isPaused: () => false, writerReads: () => writerReads },
  explainKey: () => explanation,
} as unknown as InspectedController;
const manager = {
  clock: systemClock,
  hasActions: false,
  controllers: () => [controller],
  clusters: () => [],
} as unknown as InspectedManager;

beforeEach(() => {
  useFakeTime();
  sent = [];
  inspector = new Inspector(manager, undefined);
});

afterEach(() => void jest.useRealTimers());

const query = new URLSearchParams({ controller: 'config', request: 'default/a' });

function open(signal: AbortSignal = new AbortController().signal): Promise<PlainResponse> {
  return inspector.respond('/request', query, signal);
}

function pageOf({ status, body }: PlainResponse): RequestPage {
  expect(status).toBe(200);
  return JSON.parse(body as string) as RequestPage;
}

const turns = (): Promise<void> => jest.advanceTimersByTimeAsync(0);

describe('the page of a request, while the API server hangs', () => {
  test('has what is in memory after 2 s, and names the parts that are not available', async () => {
    const response = open();
    await jest.advanceTimersByTimeAsync(2000);
    const page = pageOf(await response);
    expect(page).toMatchObject({
      obstacles: ['it failed (backing-off)'],
      timeline: [{ at, type: 'dropped' }],
      object: { kind: 'ConfigMap' },
      events: [],
      writers: [],
    });
    expect(page.unread.map(({ part }) => part)).toEqual([
      'Events',
      'Last writers of default/a (for ConfigMap)',
      'Last writers of default/b (for ConfigMap)',
    ]);
    expect(page.unread[0]?.reason).toContain('no response of the API server within 2 s');
    expect(sent.map(({ signal }) => signal.aborted)).toEqual([true, true, true]);
    expect(jest.getTimerCount()).toBe(0);
  });

  test('has the parts that arrive in time', async () => {
    const response = open();
    await turns();
    sent[0]?.end({ items: [{ reason: 'Made', message: 'a note' }] });
    const managers = [{ manager: 'kubectl', operation: 'Apply', subresource: undefined, at }];
    sent[2]?.end({ source: 'for ConfigMap', object: 'default/b', managers });
    await jest.advanceTimersByTimeAsync(2000);
    const page = pageOf(await response);
    expect(page.events).toMatchObject([{ reason: 'Made', note: 'a note' }]);
    expect(page.writers).toMatchObject([
      { object: 'default/b (for ConfigMap)', manager: 'kubectl', operation: 'Apply' },
    ]);
    expect(page.unread.map(({ part }) => part)).toEqual([
      'Last writers of default/a (for ConfigMap)',
    ]);
  });

  test('ends its requests when its reader goes away', async () => {
    const gone = new AbortController();
    const response = open(gone.signal);
    await turns();
    expect(sent.map(({ signal }) => signal.aborted)).toEqual([false, false, false]);
    gone.abort();
    await response;
    expect(sent.map(({ signal }) => signal.aborted)).toEqual([true, true, true]);
  });

  test('sends at most 4 requests at a time for all its readers', async () => {
    const responses = Array.from({ length: 50 }, () => open());
    await jest.advanceTimersByTimeAsync(1999);
    expect(sent).toHaveLength(4);
    await jest.advanceTimersByTimeAsync(1);
    const pages = (await Promise.all(responses)).map(pageOf);
    expect(new Set(pages.map(({ unread }) => unread.length))).toEqual(new Set([3]));
    sent = [];
    void open();
    await turns();
    expect(sent).toHaveLength(3);
  });

  test('ends with the manager', async () => {
    const response = open();
    await turns();
    inspector.stop();
    expect(pageOf(await response).unread[0]?.reason).toContain('the manager stops');
    expect(sent.map(({ signal }) => signal.aborted)).toEqual([true, true, true]);
  });
});
