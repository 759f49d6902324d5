import { describe, expect, test } from '@jest/globals';
import { PatternMatcher } from '@keelson/structural-schema';
import * as fc from 'fast-check';
import { randomExpression } from './pattern-arbitrary.test-support.ts';
import { translatePattern } from './translate-pattern.ts';

function accepts(source: string, unicode: boolean): (text: string) => boolean {
  const { pattern, rules } = translatePattern(source, unicode);
  const matcher = new PatternMatcher();
  const conditions = rules.map((rule) => {
    const match = /^(!?)self\.matches\((.*)\)$/s.exec(rule);
    const inner = JSON.parse(match?.[2] ?? '""') as string;
    return (text: string) => matcher.matches(inner, text) !== (match?.[1] === '!');
  });
  return (text) =>
    (pattern === undefined || matcher.matches(pattern, text)) &&
    conditions.every((condition) => condition(text));
}

/** Texts that JavaScript and Go may read differently. */
const texts = [
  '',
  'a',
  'ab',
  'aa',
  'A',
  '5',
  '_',
  '-',
  ' ',
  '\t',
  '\v',
  '\n',
  '\r',
  '\u00a0',
  '\ufeff',
  '\u2028',
  '\u2029',
  'a\n',
  'a\nb',
  'a\rb',
  '\na',
  'é',
  'e\u0301',
  '😀',
  '😀😀',
  'a😀',
  '😀a',
  'a😀b',
  '😀/😀',
  '\u3000',
  '٣',
  'ſ',
  'K',
  '[',
  ']',
  '{',
  '}',
  '{2}',
  'a{',
  '^',
  '$',
  '\\',
  '/',
  '.',
  'p{L}',
  'u0041',
  '\u0007',
  '\b',
  '\0',
  'z',
  'Q',
  'αβ',
  'я',
];

describe('a pattern of JavaScript', () => {
  test.each<[string, string, string]>([
    [String.raw`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`, 'u', String.raw`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`],
    [String.raw`^[a-z0-9-]+$`, '', String.raw`^[a-z0-9-]+$`],
    [String.raw`^\d{3}\.\w+\/x$`, '', String.raw`^\d{3}\.\w+\/x$`],
    [String.raw`^(?<year>\d{4})$`, '', String.raw`^(\d{4})$`],
    [String.raw`\u00e9\cA\0\u{41}`, 'u', String.raw`\x{e9}\x{1}\x{0}A`],
    ['😀', '', String.raw`\x{1f600}`],
    [String.raw`\p{Letter}\p{Script=Greek}\P{gc=Nd}`, 'u', String.raw`\p{L}\p{Greek}\P{Nd}`],
    [String.raw`\a\z\Q`, '', 'azQ'],
    [String.raw`^[\s\S]*$`, '', String.raw`^[\s\S]*$`],
  ])('is kept, or written in the syntax of RE2: %s', (source, flags, pattern) => {
    expect(translatePattern(source, flags === 'u').pattern).toBe(pattern);
  });

  test.each([
    ['.', 'u'],
    ['^.$', 'u'],
    ['^.+$', ''],
    ['^.*$', ''],
    [String.raw`^\s$`, ''],
    [String.raw`^\S+$`, ''],
    [String.raw`^[\s,]+$`, ''],
    [String.raw`^[\S]$`, 'u'],
    [String.raw`^[^\s]+$`, ''],
    [String.raw`^[^\S]$`, 'u'],
    ['^[[:alpha:]]$', ''],
    ['[]', ''],
    ['^[^]*$', ''],
    ['^[^]$', 'u'],
    [String.raw`[\b]`, ''],
    [String.raw`^a$`, ''],
    ['a{', ''],
    [String.raw`\p{L}`, 'u'],
    [String.raw`^[\u0000-\uffff]+$`, ''],
    [String.raw`^[\u{0}-\u{10ffff}]$`, 'u'],
    [String.raw`^(?!a)`, 'u'],
    [String.raw`^(?=.*\d)(?=.*a).*$`, ''],
    [String.raw`^(?!.*\n)[^]*$`, ''],
    [String.raw`^(?=.{1,2}$)[a-z]+$`, ''],
    [String.raw`\bab\b`, ''],
    ['^[^/]+/[^/]+$', ''],
    ['\\/', ''],
    ['^[😀]$', 'u'],
    ['^$|^a$', ''],
    ['a|^b', ''],
    [']', ''],
    ['}', ''],
    [String.raw`^[a\-z]$`, ''],
    [String.raw`^[+--]$`, ''],
    [String.raw`^[\]\[^]$`, ''],
  ])('accepts the same texts: /%s/%s', (source, flags) => {
    const expression = new RegExp(source, flags);
    const translated = accepts(source, flags === 'u');
    const differing = texts.filter((text) => expression.test(text) !== translated(text));
    expect(differing).toEqual([]);
  });

  test.each<[string, string, string]>([
    ['^.$', '', 'counts characters beyond U+FFFF twice'],
    ['^.{1,3}$', '', 'counts characters'],
    ['^.+.+$', '', 'counts characters'],
    ['^[^a]+x?[^b]+$', '', 'counts characters'],
    ['^(?:.+){2}$', '', 'counts characters'],
    ['^😀+$', '', 'a half of a character'],
    ['[😀]', '', 'a half of a character'],
    [String.raw`\ud83d`, 'u', 'a half of a character'],
    [String.raw`[\u0000-\ud900]`, '', 'a half of a character'],
    ['a(?=b)', 'u', 'RE2 of Go does not have: (?=b)'],
    ['(?<!a)b', 'u', 'RE2 of Go does not have'],
    [String.raw`\B`, 'u', 'JavaScript also finds within'],
    [String.raw`(a)\1`, 'u', 'RE2 of Go does not have'],
    ['(?i:a)', '', 'modifiers'],
    [String.raw`\p{Emoji}`, 'u', 'a property of Unicode'],
    [String.raw`\p{Script_Extensions=Greek}`, 'u', 'a property of Unicode'],
    ['a{1001}', 'u', 'invalid repeat count'],
    ['[', 'u', 'not a regular expression'],
  ])('is refused if both cannot agree: /%s/%s', (source, flags, reason) => {
    expect(() => translatePattern(source, flags === 'u')).toThrow(reason);
  });

  test('accepts the same texts, whatever the expression and the text', () => {
    const characters = fc.constantFrom(...Array.from(texts.join('')));
    const text = fc.array(characters, { maxLength: 6 }).map((parts) => parts.join(''));
    const property = fc.property(
      randomExpression,
      fc.array(text, { minLength: 20, maxLength: 20 }),
      ({ source, flags }, samples) => {
        let translated: (text: string) => boolean;
        try {
          translated = accepts(source, flags === 'u');
        } catch (error) {
          expect(error).toMatchObject({ name: 'PatternProblem' });
          return;
        }
        const expression = new RegExp(source, flags);
        for (const sample of [...samples, ...texts]) {
          expect([source, flags, sample, translated(sample)]).toEqual([
            source,
            flags,
            sample,
            expression.test(sample),
          ]);
        }
      },
    );
    fc.assert(property, { numRuns: Math.ceil(300 * Number(process.env['KEELSON_RUNS'] ?? 1)) });
  });
});
