import { describe, expect, test } from '@jest/globals';
import { PatternMatcher } from './pattern-matcher.ts';

/** Patterns with strings that match and strings that do not, recorded from kube-apiserver 1.36.3. */
const cases: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ['(?i)abc', ['ABC'], ['ab', '\u00e9', 'a\nc', '\n']],
  ['^[[:alpha:]]+$', ['ABC', 'ab', 'aXc'], ['\u00e9', 'a\nc', '\n', '-']],
  ['^\\pL+$', ['ABC', 'ab', '\u00e9', '\u03b1'], ['a\nc', '\n', '-', '']],
  ['\\Aab\\z', ['ab'], ['ABC', '\u00e9', 'a\nc', '\n']],
  ['^(a+)+$', [], ['ABC', 'ab', '\u00e9', 'a\nc']],
  ['^\\d{3}$', ['123'], ['ABC', 'ab', '\u00e9', 'a\nc']],
  ['^a.c$', ['aXc'], ['ABC', 'ab', '\u00e9', 'a\nc']],
  ['^(?s)a.c$', ['a\nc', 'aXc'], ['ABC', 'ab', '\u00e9', '\n']],
  ['^[^a]$', ['\u00e9', '\n', '\u03b1', '\ud83d\ude00'], ['ABC', 'ab', 'a\nc', '']],
  ['\\p{Greek}', ['\u03b1'], ['ABC', 'ab', '\u00e9', 'a\nc']],
  ['^\\w+$', ['ABC', 'ab', '123', 'aXc'], ['\u00e9', 'a\nc', '\n', '-']],
  ['^.$', ['\u00e9', '\u03b1', '\ud83d\ude00', '-'], ['ABC', 'ab', 'a\nc', '\n']],
  ['^(?P<n>a)$', [], ['ABC', 'ab', '\u00e9', 'a\nc']],
  ['^\\x{1F600}$', ['\ud83d\ude00'], ['ABC', 'ab', '\u00e9', 'a\nc']],
  ['^[\\d\\-]$', ['-'], ['ABC', 'ab', '\u00e9', 'a\nc']],
  ['a{,2}', ['a{,2}'], ['ABC', 'ab', '\u00e9', 'a\nc']],
  ['^\\Qa.b\\E$', ['a.b'], ['ABC', 'ab', '\u00e9', 'a\nc']],
  ['^$', [''], ['ABC', 'ab', '\u00e9', 'a\nc']],
];

describe('PatternMatcher', () => {
  test.each(cases)('matches %s as kube-apiserver does', (pattern, good, bad) => {
    const patterns = new PatternMatcher();
    expect(good.filter((text) => !patterns.matches(pattern, text))).toEqual([]);
    expect(bad.filter((text) => patterns.matches(pattern, text))).toEqual([]);
  });

  test('matches a backtracking pattern in time linear to the string', () => {
    const patterns = new PatternMatcher();
    expect(patterns.matches('^(a+)+$', `${'a'.repeat(100_000)}!`)).toBe(false);
    expect(patterns.matches('^(a|aa)+$', `${'a'.repeat(100_000)}!`)).toBe(false);
  }, 5000);
});
