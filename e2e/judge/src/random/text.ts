import * as fc from 'fast-check';
import { texts } from './value.ts';

/** Characters that formats and patterns treat in special ways. */
const characters = fc.constantFrom(
  ...Array.from('0123456789abcfgzAFZ:./-@[]%+ _#?()<>",;=*\\\'~!$&^{}|\t\n\u000b\u0000\u007f'),
  '\u00e9',
  '\u00df',
  '\u0130',
  '\u017f',
  '\u212a',
  '\u0660',
  '\u00a0',
  '\u2028',
  '\u3000',
  '\ufeff',
  '\u0301',
  '\u20ac',
  '\u{1f600}',
  '\u{10ffff}',
  '\u00ad',
  '\u200b',
);

interface Change {
  readonly kind: 'insert' | 'remove' | 'replace' | 'double' | 'case';
  readonly at: number;
  readonly sign: string;
}

const change: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom('insert', 'remove', 'replace', 'double', 'case'),
  at: fc.integer({ min: 0, max: 40 }),
  sign: characters,
});

/** Texts near a valid one, and texts of any characters. */
export const oddTexts: fc.Arbitrary<string> = fc.oneof(
  { arbitrary: texts, weight: 2 },
  { arbitrary: fc.array(characters, { maxLength: 8 }).map((signs) => signs.join('')), weight: 2 },
  {
    arbitrary: fc
      .tuple(texts, fc.array(change, { minLength: 1, maxLength: 3 }))
      .map(([text, changes]) => changes.reduce(changed, text)),
    weight: 6,
  },
);

function changed(text: string, { kind, at, sign }: Change): string {
  const signs = Array.from(text);
  const place = signs.length === 0 ? 0 : at % (signs.length + 1);
  const found = signs[place] ?? '';
  switch (kind) {
    case 'insert':
      signs.splice(place, 0, sign);
      break;
    case 'remove':
      signs.splice(place, 1);
      break;
    case 'replace':
      signs.splice(place, 1, sign);
      break;
    case 'double':
      signs.splice(place, 0, found);
      break;
    case 'case':
      signs.splice(
        place,
        1,
        found === found.toLowerCase() ? found.toUpperCase() : found.toLowerCase(),
      );
      break;
  }
  return signs.join('');
}
