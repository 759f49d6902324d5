import { describe, expect, test } from '@jest/globals';
import { RE2JS } from 're2js';
import { patternProblem } from '../pattern-functions.ts';
import { goPatterns } from './go-pattern.ts';

const patterns = goPatterns(RE2JS);

function problem(source: string): string | undefined {
  return patternProblem(patterns, source);
}

// The results are those of Go 1.26.
describe('goPatterns', () => {
  test.each([
    'Emoji Alphabetic Lowercase Uppercase White_Space Hex_Digit Dash Math Extended_Pictographic Unknown Garay Todhri',
    'Old_Italic SignWriting Phags_Pa sc=Greek Script=Latin IsGreek L& ^^L é',
  ])('refuses the classes %s', (names) => {
    for (const name of ['', '^', ...names.split(' ')]) {
      const source = String.raw`a\p{${name}}`;
      const words =
        String.raw`error parsing regexp: invalid character class range: ` + '`\\p{' + name + '}`';
      expect(problem(source)).toBe(words);
      expect(problem(`[${source}]`)).toBe(words);
    }
  });

  test.each([
    [String.raw`^\p{Letter}$`, 'a', '1'],
    [String.raw`^\p{Uppercase_Letter}$`, 'A', 'a'],
    [String.raw`^\p{uppercase-letter}$`, 'A', 'a'],
    [String.raw`^\p{digit}$`, '1', 'a'],
    [String.raw`^\P{digit}$`, 'a', '1'],
    [String.raw`^\p{^digit}$`, 'a', '1'],
    [String.raw`^\P{^digit}$`, '1', 'a'],
    [String.raw`^\p{ASCII}$`, 'a', 'é'],
    [String.raw`^\p{any}$`, 'é', ''],
    [String.raw`^\p{assigned}$`, 'é', '\u0378'],
    [String.raw`^\p{lu}$`, 'A', 'a'],
    [String.raw`^\p{LC}$`, 'A', '1'],
    [String.raw`^\p{greek}$`, 'α', 'a'],
    [String.raw`^\p{ L }$`, 'a', '1'],
    [String.raw`^\pn$`, '1', 'a'],
    [String.raw`^[\pn\p{greek}_]+$`, '1α_', 'a'],
    [String.raw`^[^\pn]$`, 'a', '1'],
    [String.raw`^[[:]$`, '[', 'a'],
    [String.raw`^[]\]\pn[:]+$`, ']1[:', 'a'],
    [String.raw`^[[:alpha:]\pn]+$`, 'a1', '-'],
    [String.raw`^(?P<n>a)(?<n>b)(?P<m>(?P<n>c))$`, 'abc', 'ab'],
    [String.raw`^\Q\p{x}[:(?<a>\E\pn$`, String.raw`\p{x}[:(?<a>1`, '1'],
    [String.raw`^\\p{1}$`, String.raw`\p`, '1'],
    [String.raw`^\[[:]\pn$`, '[:1', '[1'],
    [String.raw`^\pn😀$`, '1😀', '1'],
  ])('matches %s as Go does', (source, good, bad) => {
    const pattern = patterns.compile(source);
    expect([pattern.test(good), pattern.test(bad)]).toEqual([true, false]);
  });

  test.each([
    [String.raw`\p{L`, String.raw`invalid character class range: ` + '`\\p{L`'],
    [String.raw`\p`, String.raw`invalid character class range: ` + '`\\p`'],
    [String.raw`\pé`, String.raw`invalid character class range: ` + '`\\pé`'],
    [String.raw`[[:a:]]`, String.raw`invalid character class range: ` + '`[:a:]`'],
    [String.raw`[\pn`, String.raw`missing closing ]`],
    [String.raw`(?P<1a)`, 'invalid named capture'],
  ])('refuses %s', (source, words) => {
    expect(problem(source)).toContain(`error parsing regexp: ${words}`);
  });
});
