import { describe, expect, test } from '@jest/globals';
import { watchNamespaces } from './watch-namespaces.ts';

describe('watchNamespaces', () => {
  test.each([undefined, ''])('has no namespaces for %j: all are watched', (text) => {
    expect(watchNamespaces(text)).toEqual({});
  });

  test.each([' ', ',', ' , ,', '\n'])('refuses %j, which names no namespace', (text) => {
    expect(() => watchNamespaces(text)).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        message: expect.stringContaining('WATCH_NAMESPACES'),
      }),
    );
  });

  test.each([5, ['a'], {}, null])('refuses %j, which is not a text', (text) => {
    expect(() => watchNamespaces(text as never)).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION' }),
    );
  });

  test.each([
    ['shop', ['shop']],
    ['warehouse,shop', ['shop', 'warehouse']],
    [' shop , warehouse,\nshop,', ['shop', 'warehouse']],
  ])('reads the names of %j, each once', (text, namespaces) => {
    expect(watchNamespaces(text)).toEqual({ namespaces });
  });

  test.each(['Shop', 'shop,a/b', '*', 'a'.repeat(64)])('refuses the invalid name in %j', (text) => {
    expect(() => watchNamespaces(text)).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        message: expect.stringContaining('WATCH_NAMESPACES['),
      }),
    );
  });
});
