import { describe, expect, test } from '@jest/globals';
import { oneLine } from './terminal-text.ts';

describe('text of others in one line', () => {
  test.each([
    ['plain text, ümlaut 👍 é', 'plain text, ümlaut 👍 é'],
    ['a\nb\r\tc', String.raw`a\nb\u000d\u0009c`],
    ['\u001B[2J\u009B', String.raw`\u001b[2J\u009b`],
    ['\u202Eabc\u2066\u2028', String.raw`\u202eabc\u2066\u2028`],
    ['\uD800', String.raw`\ud800`],
  ])('%j', (text, shown) => {
    expect(oneLine(text)).toBe(shown);
  });
});
