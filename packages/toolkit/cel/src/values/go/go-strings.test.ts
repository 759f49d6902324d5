import { describe, expect, test } from '@jest/globals';
import { goFields, goLower, goTrim } from './go-strings.ts';

describe('the functions of texts in Go', () => {
  test('goTrim removes the white space of Unicode', () => {
    expect(goTrim(' \t\v\u0085\u00a0\u2028a b\u3000\n')).toBe('a b');
    expect(goTrim('\ufeffa\ufeff')).toBe('\ufeffa\ufeff');
    expect(goTrim(' \u0085')).toBe('');
  });

  test('goFields splits at the same white space', () => {
    expect(goFields(' a\u0085b \tc\ufeffd\n')).toEqual(['a', 'b', 'c\ufeffd']);
    expect(goFields(' ')).toEqual([]);
  });

  test('goLower returns one character for each', () => {
    expect(goLower('\u0130Äß\u212a')).toBe('iäßk');
    expect(goLower('i\u0307')).toBe('i\u0307');
  });
});
