import { describe, expect, test } from '@jest/globals';
import type { WatchState } from '../contract/watch-health.ts';
import { objectFrame, thing } from '../testing/scripted-source.test-support.ts';
import { pass, stopTheClock } from '../testing/stopped-clock.test-support.ts';
import {
  begun,
  broken,
  crowded,
  crowdedEvent,
  cut,
  down,
  ended,
  errorEvent,
  expired,
  forbidden,
  listed,
  live,
  notFound,
  opened,
  quiet,
  restart,
  served,
  Situation,
  steps,
  stop,
  throttled,
  type Act,
} from '../testing/watch-situation.test-support.ts';

stopTheClock();

/** How a watch reaches each state. */
const reach: Readonly<Record<string, Act>> = {
  syncing: () => pass(0),
  'syncing again': steps(live, restart),
  live,
  'live, not for long': steps(listed, opened),
  'backing-off': steps(live, cut, down),
  'backing-off from a list': down,
  'forbidden to list': forbidden,
  'forbidden to watch': steps(listed, forbidden),
  'over-budget': crowded,
  'over-budget with objects': steps(live, crowdedEvent),
  parked: notFound,
  'parked again': steps(live, cut, notFound, notFound),
  stale: steps(live, quiet),
  stopped: steps(live, stop),
};

type Row = readonly [
  from: string,
  event: string,
  act: Act,
  to: WatchState,
  reason: string,
  attempts: number,
  /** The status or the code of the last error, or `none`. Default: not checked. */
  error?: number | string,
];

const initial = 'reading the initial state';
const requested = 'reading the whole state again (requested)';
const expiredAgain = 'reading the whole state again (expired)';
const errorAgain = 'reading the whole state again (error)';
const receiving = 'receiving changes';
const unserved = 'the server does not serve example.com/v1/things';
const noList = 'the server does not allow to list example.com/v1/things';
const noWatch = 'the server does not allow to watch example.com/v1/things';
const silent = 'the stream has been silent for too long';
const unstable = 'the connection did not last';
const failed = 'the attempt failed';
const asked = 'the server asked to wait';
const stopped = 'the watch was stopped';
const used = 'the memory budget is used up';
const exceeded = 'MEMORY_BUDGET_EXCEEDED';

const soon: Act = () => pass(1_000);
const minute: Act = () => pass(60_000);
const asks: Act = (situation) => situation.request();
const gone = errorEvent(410, 'Expired');
const fault = errorEvent(500, 'InternalError');
const denied = errorEvent(403, 'Forbidden');
const reopened = steps(listed, opened);

/** Every transition: the state, the event, the state after it. */
const table: readonly Row[] = [
  ['syncing', 'the list is complete', listed, 'syncing', initial, 0, 'none'],
  ['syncing', 'list and watch open', reopened, 'live', receiving, 0, 'none'],
  ['syncing', 'the server is down', down, 'backing-off', failed, 1, 'ECONNREFUSED'],
  ['syncing', '500', broken, 'backing-off', failed, 1, 500],
  ['syncing', '429', throttled, 'backing-off', asked, 1, 429],
  ['syncing', '410', steps(expired, expired), 'backing-off', failed, 1, 410],
  ['syncing', 'the list is silent', steps(begun, minute), 'backing-off', failed, 1, 'WATCH_IDLE'],
  ['syncing', '403', forbidden, 'forbidden', noList, 1, 403],
  ['syncing', '403 of the watch', steps(listed, forbidden), 'forbidden', noWatch, 1, 403],
  ['syncing', '404', notFound, 'parked', unserved, 1, 404],
  ['syncing', 'no memory', crowded, 'over-budget', used, 1, exceeded],
  ['syncing', 'stop', stop, 'stopped', stopped, 0, 'none'],

  ['syncing again', 'the list is complete', listed, 'syncing', requested, 0, 'none'],
  ['syncing again', 'list and watch open', reopened, 'live', receiving, 0, 'none'],
  ['syncing again', 'the server is down', down, 'backing-off', failed, 1, 'ECONNREFUSED'],
  ['syncing again', '403', forbidden, 'forbidden', noList, 1, 403],
  ['syncing again', '404', notFound, 'parked', unserved, 1, 404],
  ['syncing again', 'stop', stop, 'stopped', stopped, 0, 'none'],

  ['live', 'the stream ends', ended, 'live', receiving, 0, 'none'],
  ['live', 'the stream is cut', cut, 'live', receiving, 0, 'none'],
  ['live', 'the stream ends and opens', steps(ended, opened), 'live', receiving, 0, 'none'],
  ['live', 'cut, then down', steps(cut, down), 'backing-off', failed, 1, 'ECONNREFUSED'],
  ['live', 'cut, then 429', steps(cut, throttled), 'backing-off', asked, 1, 429],
  ['live', 'cut, then 500', steps(cut, broken), 'backing-off', failed, 1, 500],
  ['live', 'cut, then 403', steps(cut, forbidden), 'forbidden', noWatch, 1, 403],
  ['live', 'cut, then 404', steps(cut, notFound), 'backing-off', unstable, 1, 404],
  ['live', 'cut, 404 twice', steps(cut, notFound, notFound), 'parked', unserved, 2, 404],
  ['live', 'cut, then 410', steps(cut, expired, soon), 'syncing', expiredAgain, 0],
  ['live', '410 as an event', steps(gone, soon), 'syncing', expiredAgain, 0],
  ['live', '403 as an event', denied, 'forbidden', noWatch, 1, 403],
  ['live', '500 as an event', steps(fault, soon), 'syncing', errorAgain, 0],
  ['live', 'no memory', crowdedEvent, 'over-budget', used, 1, exceeded],
  ['live', 'silence', quiet, 'stale', silent, 1, 'WATCH_IDLE'],
  ['live', 'restart', restart, 'syncing', requested, 0, 'none'],
  ['live', 'the kind is served', served, 'live', receiving, 0, 'none'],
  ['live', 'stop', stop, 'stopped', stopped, 0, 'none'],

  ['live, not for long', 'the stream is cut', cut, 'backing-off', unstable, 1],
  ['live, not for long', 'cut, and opened again', steps(cut, opened), 'live', receiving, 0],

  ['backing-off', 'the watch opens', opened, 'live', receiving, 0, 'ECONNREFUSED'],
  ['backing-off', 'the server is down', down, 'backing-off', failed, 2, 'ECONNREFUSED'],
  ['backing-off', '403', forbidden, 'forbidden', noWatch, 2, 403],
  ['backing-off', '410, the list begins', steps(expired, begun), 'syncing', expiredAgain, 1],
  ['backing-off', 'restart, the list begins', steps(restart, begun), 'syncing', requested, 1],
  ['backing-off', 'stop', stop, 'stopped', stopped, 1, 'ECONNREFUSED'],
  ['backing-off from a list', 'the list is requested', asks, 'backing-off', failed, 1],
  ['backing-off from a list', 'the list begins', begun, 'syncing', initial, 1, 'ECONNREFUSED'],
  ['backing-off from a list', 'the server is down', down, 'backing-off', failed, 2],
  ['backing-off from a list', 'list and watch open', reopened, 'live', receiving, 0],
  ['backing-off from a list', '404', notFound, 'parked', unserved, 2, 404],

  ['forbidden to list', 'the list is requested', asks, 'forbidden', noList, 1, 403],
  ['forbidden to list', '403', forbidden, 'forbidden', noList, 2, 403],
  ['forbidden to list', 'the list begins', begun, 'syncing', initial, 1, 403],
  ['forbidden to list', 'list and watch open', reopened, 'live', receiving, 0, 403],
  ['forbidden to list', 'the server is down', down, 'backing-off', failed, 2, 'ECONNREFUSED'],
  ['forbidden to list', 'stop', stop, 'stopped', stopped, 1, 403],
  ['forbidden to watch', '403', forbidden, 'forbidden', noWatch, 2, 403],
  ['forbidden to watch', 'the watch opens', opened, 'live', receiving, 0, 403],
  ['forbidden to watch', 'restart, 403', steps(restart, forbidden), 'forbidden', noList, 2, 403],

  ['over-budget', 'there is room', served, 'over-budget', used, 1, exceeded],
  ['over-budget', 'room, the list begins', steps(served, begun), 'syncing', initial, 1, exceeded],
  ['over-budget', 'room, list and watch open', steps(served, reopened), 'live', receiving, 0],
  ['over-budget', 'room, no memory again', steps(served, crowded), 'over-budget', used, 2],
  ['over-budget', '10 minutes', steps(asks, begun), 'syncing', initial, 1, exceeded],
  ['over-budget', 'room, then 403', steps(served, forbidden), 'forbidden', noList, 2, 403],
  ['over-budget', 'room, then 404', steps(served, notFound), 'parked', unserved, 2, 404],
  ['over-budget', 'restart, then down', steps(restart, down), 'backing-off', failed, 2],
  ['over-budget', 'stop', stop, 'stopped', stopped, 1, exceeded],
  ['over-budget with objects', 'room', steps(served, begun), 'syncing', errorAgain, 1, exceeded],

  ['parked', 'the kind is served', served, 'parked', unserved, 1, 404],
  ['parked', 'served, the list begins', steps(served, begun), 'syncing', initial, 1, 404],
  ['parked', 'served, list and watch open', steps(served, reopened), 'live', receiving, 0],
  ['parked', '404', notFound, 'parked', unserved, 2, 404],
  ['parked', '403', forbidden, 'forbidden', noList, 2, 403],
  ['parked', 'the server is down', down, 'backing-off', failed, 2, 'ECONNREFUSED'],
  ['parked', 'stop', stop, 'stopped', stopped, 1, 404],
  ['parked again', 'served, list and watch open', steps(served, reopened), 'live', receiving, 0],

  ['stale', 'the watch opens', opened, 'live', receiving, 0, 'WATCH_IDLE'],
  ['stale', 'the server is down', down, 'backing-off', failed, 2, 'ECONNREFUSED'],
  ['stale', '410', steps(expired, soon), 'syncing', expiredAgain, 1],
  ['stale', '403', forbidden, 'forbidden', noWatch, 2, 403],
  ['stale', 'restart', restart, 'syncing', requested, 1],
  ['stale', 'stop', stop, 'stopped', stopped, 1, 'WATCH_IDLE'],

  ['stopped', 'the kind is served', served, 'stopped', stopped, 0, 'none'],
];

const verbs = new Map<string, string>([
  [noList, 'list'],
  [noWatch, 'watch'],
]);

describe('the state of a watch', () => {
  test.each(table)('%s: %s', async (from, _event, act, to, ...facts) => {
    await using situation = new Situation();
    await reach[from]?.(situation);
    const before = situation.handle.health;
    expect(before.state).toBe(from.split(/[ ,]/)[0]);
    const at = Date.now();
    await act(situation);
    const [reason, attempts, error] = facts;
    const { health } = situation.handle;
    const verb = verbs.get(reason);
    expect(health).toMatchObject({ state: to, reason, attempts, verb });
    if (error !== undefined) expect(idOf(health.lastError)).toBe(error);
    if (to !== before.state) expect(health.since).toBeGreaterThanOrEqual(at);
  });

  test('the table has each state before and after an event', () => {
    const states: WatchState[] = [
      'backing-off',
      'forbidden',
      'live',
      'over-budget',
      'parked',
      'stale',
      'stopped',
      'syncing',
    ];
    const sorted = (names: readonly string[]): string[] => [...new Set(names)].toSorted();
    expect(sorted(table.map(([from]) => from.split(/[ ,]/)[0] ?? ''))).toEqual(states);
    expect(sorted(table.map(([, , , to]) => to))).toEqual(states);
  });

  test('readers keep the former state and synced during a relist', async () => {
    await using situation = new Situation();
    await steps(live, restart, begun)(situation);
    const { handle } = situation;
    expect(handle.health.state).toBe('syncing');
    expect(handle.hasSynced).toBe(true);
    expect(handle.store.size).toBe(1);
  });

  test('a WatchList reports syncing, and live after its last bookmark', async () => {
    await using situation = new Situation();
    situation.source.supportsWatchList = true;
    await steps(opened)(situation);
    expect(situation.handle.health).toMatchObject({ state: 'syncing', reason: initial });
    const annotations = { 'k8s.io/initial-events-end': 'true' };
    const bookmark = thing('', { resourceVersion: '5', annotations });
    situation.source.stream?.push([objectFrame('BOOKMARK', bookmark)]);
    await pass(0);
    expect(situation.handle.health).toMatchObject({ state: 'live', reason: receiving });
  });
});

/** The status code or the code of an error. */
function idOf(error: Error | undefined): unknown {
  const { statusCode, code } = (error ?? {}) as { statusCode?: number; code?: string };
  return statusCode ?? code ?? 'none';
}
