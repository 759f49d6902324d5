import { describe, expect, test } from '@jest/globals';
import { CodedError, hasCode } from './coded-error.ts';

describe('CodedError', () => {
  test('the message tells the facts, texts as they are and the rest as JSON', () => {
    const facts = { name: 'a', ports: [80, 443], known: null };
    const { message } = new CodedError('WRONG', 'it is wrong', facts);
    expect(message).toBe('it is wrong (name=a, ports=[80,443], known=null)');
  });

  test('facts that are not known are left out of the message', () => {
    const error = new CodedError('WRONG', 'it is wrong', { host: undefined, port: 80 });
    expect(error.message).toBe('it is wrong (port=80)');
    expect(new CodedError('WRONG', 'it is wrong', { host: undefined }).message).toBe('it is wrong');
  });

  test('facts that JSON cannot say do not keep the error from being made', () => {
    const circle: { self?: object } = {};
    circle.self = circle;
    const { message } = new CodedError('WRONG', 'it is wrong', { circle, big: 1n });
    expect(message).toBe('it is wrong (circle=object, big=bigint)');
  });
});

describe('hasCode', () => {
  test('is true of an error with that code, whatever its class', () => {
    expect(hasCode(new CodedError('WRONG', 'it is wrong'), 'WRONG')).toBe(true);
    expect(hasCode(Object.assign(new Error('other copy'), { code: 'WRONG' }), 'WRONG')).toBe(true);
  });

  test.each([
    new CodedError('OTHER', 'it is wrong'),
    new Error('WRONG'),
    { code: 'WRONG' },
    'WRONG',
    undefined,
  ])('is not true of %p', (value) => {
    expect(hasCode(value, 'WRONG')).toBe(false);
  });
});
