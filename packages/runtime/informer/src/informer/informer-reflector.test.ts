import { describe, expect, test } from '@jest/globals';
import { statusError } from '../testing/scripted-source.test-support.ts';
import { pass, stopTheClock } from '../testing/stopped-clock.test-support.ts';
import { forbidden, live, Situation } from '../testing/watch-situation.test-support.ts';
import type { AccessRule } from '../contract/lister-watcher.ts';

stopTheClock();

const rule: AccessRule = {
  apiGroups: ['example.com'],
  resources: ['things'],
  verbs: ['list', 'watch'],
};
const denied = 'the server does not allow to list example.com/v1/things';
const lack = "lack { apiGroups: ['example.com'], resources: ['things'], verbs: ['list', 'watch'] }";

describe('the cause of a forbidden watch', () => {
  test('the reason names the rule that the user lacks, and keeps it during later attempts', async () => {
    await using situation = new Situation();
    const { source, handle } = situation;
    const message = 'things is forbidden: User "bob" cannot list resource "things"';
    const refusal = statusError(403, 'Forbidden', { message });
    const reasons: string[] = [];
    handle.onHealthChange(({ reason }) => reasons.push(reason));
    source.missingRule = async () => rule;
    await situation.request();
    source.fail(refusal);
    await pass(0);
    const explained = `${denied}; the rules of bob ${lack}`;
    expect(reasons).toEqual([denied, explained]);
    await situation.request();
    source.fail(refusal);
    await pass(0);
    expect(handle.health).toMatchObject({ reason: explained, attempts: 2 });
    await live(situation);
    expect(handle.health.reason).toBe('receiving changes');
  });

  test.each([
    ['rejects', async () => Promise.reject(new Error('down'))],
    ['throws', () => raise(new Error('down'))],
    ['does not know the rule', async () => undefined],
    ['never settles', () => new Promise<undefined>(() => undefined)],
    ['returns something else', async () => 7 as never],
  ])('a source that %s changes nothing', async (_what, missingRule) => {
    await using situation = new Situation();
    situation.source.missingRule = missingRule;
    await forbidden(situation);
    expect(situation.handle.health).toMatchObject({ state: 'forbidden', reason: denied });
  });

  test('an explanation that is late does not change another state', async () => {
    await using situation = new Situation();
    const { promise, resolve } = Promise.withResolvers<AccessRule>();
    situation.source.missingRule = () => promise;
    await forbidden(situation);
    await live(situation);
    resolve(rule);
    await pass(0);
    expect(situation.handle.health).toMatchObject({ state: 'live', reason: 'receiving changes' });
  });

  test('the source is asked once for each attempt, and not after the stop', async () => {
    await using situation = new Situation();
    const signals: AbortSignal[] = [];
    situation.source.missingRule = async (_verb, signal) => {
      signals.push(signal);
      return rule;
    };
    await forbidden(situation);
    await forbidden(situation);
    expect(signals).toHaveLength(2);
    situation.handle.release();
    await pass(0);
    expect(signals.every(({ aborted }) => aborted)).toBe(true);
  });
});

function raise(error: Error): never {
  throw error;
}
