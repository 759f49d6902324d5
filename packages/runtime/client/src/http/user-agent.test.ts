import { describe, expect, test } from '@jest/globals';
import { userAgentOf } from './user-agent.ts';

describe('userAgentOf', () => {
  test.each<[() => unknown, string]>([
    [() => 'mine/1', 'mine/1'],
    [() => 'a\r\nb: c', 'keelson'],
    [() => '', 'keelson'],
    [() => undefined, 'keelson'],
    [
      () => {
        throw new Error('odd');
      },
      'keelson',
    ],
  ])('%p is the header %s', (given, header) => {
    expect(userAgentOf(given as () => string)).toBe(header);
  });
});
