import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { examineResult, ignoreRejections } from './promised-result.ts';

const rejected = (): Promise<never> => Promise.reject(new Error('boom'));

/** Jest fails a test whose rejections are not handled within its last turn of the event loop. */
describe('the promises in an invalid result', () => {
  test.each<[string, () => unknown]>([
    ['itself', rejected],
    ['a member', () => ({ name: rejected() })],
    ['a member of a member', () => ({ metadata: { labels: { a: rejected() } } })],
    ['items', () => [{ name: rejected() }, rejected()]],
    ['an item behind holes', () => Object.assign([], { 500_000_000: rejected() })],
    ['a value of a Map and of a Set', () => new Map([['a', new Set([rejected()])]])],
    [
      'a member of a cycle',
      () => {
        const cycle: Record<string, unknown> = { name: rejected() };
        return Object.assign(cycle, { self: cycle });
      },
    ],
    ['a member of a promise', () => Object.assign(Promise.resolve(), { name: rejected() })],
  ])('do not end the process: %s', async (_, result) => {
    ignoreRejections(result());
    await setImmediate();
  });

  test('are found without a call of user code', () => {
    const get = (): never => {
      throw new Error('a getter was called');
    };
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const trap = new Proxy({}, { ownKeys: get, get, has: get, getOwnPropertyDescriptor: get });
    ignoreRejections({
      get name(): string {
        return get();
      },
      proxy,
      trap,
    });
  });

  test('are ignored only if the result is refused', async () => {
    const refuse = (): never => {
      throw new Error('refused');
    };
    expect(() => examineResult({ name: rejected() }, refuse)).toThrow('refused');
    expect(examineResult({ name: 'a' }, ({ name }) => name)).toBe('a');
    await setImmediate();
  });
});
