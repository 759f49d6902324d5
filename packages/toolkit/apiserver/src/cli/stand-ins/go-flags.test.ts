import { describe, expect, test } from '@jest/globals';
import { parseGoFlags } from './go-flags.ts';

describe('flags of a program in Go', () => {
  test.each([
    [['--a=1', '-b=2'], { a: '1', b: '2' }],
    [['--a', '1', '--b'], { a: '1', b: 'true' }],
    [['--a', '--b=x=y'], { a: 'true', b: 'x=y' }],
    [['--a=', '--a=2', '--a=3'], { a: '3' }],
    [['word', '--', '-1', '--__proto__=1'], {}],
    [['--lines=1\n2'], { lines: '1\n2' }],
  ])('%j', (words, flags) => {
    expect(Object.fromEntries(parseGoFlags(words))).toEqual(flags);
  });
});
