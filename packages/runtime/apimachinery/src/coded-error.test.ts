import { inspect } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { CodedError, hasCode } from './coded-error.ts';
import { isNotFound } from './objects/status-guards.ts';

describe('CodedError', () => {
  test('appends the facts to the message, strings unchanged and other values as JSON', () => {
    const facts = { name: 'a', ports: [80, 443], known: null };
    const { message } = new CodedError('WRONG', 'it is wrong', facts);
    expect(message).toBe('it is wrong (name=a, ports=[80,443], known=null)');
  });

  test('has the address of its entry, which an uncaught error prints', () => {
    const error = new CodedError('CACHE_SYNC_TIMEOUT', 'it is late');
    expect(error.docs).toMatch(/^https:.*\/docs\/errors\.md#cache_sync_timeout$/);
    expect(inspect(error)).toContain(error.docs);
  });

  test('omits undefined facts from the message', () => {
    const error = new CodedError('WRONG', 'it is wrong', { host: undefined, port: 80 });
    expect(error.message).toBe('it is wrong (port=80)');
    expect(new CodedError('WRONG', 'it is wrong', { host: undefined }).message).toBe('it is wrong');
  });

  test('accepts facts that JSON cannot represent', () => {
    const circle: { self?: object } = {};
    circle.self = circle;
    const { message } = new CodedError('WRONG', 'it is wrong', { circle, big: 1n });
    expect(message).toBe('it is wrong (circle=object, big=bigint)');
  });
});

describe('hasCode', () => {
  test('is true for an error with that code, whatever its class', () => {
    expect(hasCode(new CodedError('WRONG', 'it is wrong'), 'WRONG')).toBe(true);
    expect(hasCode(Object.assign(new Error('other copy'), { code: 'WRONG' }), 'WRONG')).toBe(true);
  });

  test.each([
    new CodedError('OTHER', 'it is wrong'),
    new Error('WRONG'),
    { code: 'WRONG' },
    'WRONG',
    undefined,
  ])('is false for %p', (value) => {
    expect(hasCode(value, 'WRONG')).toBe(false);
  });

  test('is false for a value that cannot be read', () => {
    const { proxy, revoke } = Proxy.revocable(new Error('gone'), {});
    revoke();
    const get = (): never => {
      throw new Error('unreadable');
    };
    const odd = Object.defineProperty(new Error('odd'), 'code', { get });
    expect([proxy, odd].map((value) => hasCode(value, 'WRONG'))).toEqual([false, false]);
    expect([proxy, odd].map((value) => isNotFound(value))).toEqual([false, false]);
  });
});
