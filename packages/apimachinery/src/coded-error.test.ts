import { describe, expect, test } from '@jest/globals';
import { CodedError } from './coded-error.ts';

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
});
