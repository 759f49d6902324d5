import * as fc from 'fast-check';

export interface RandomExpression {
  readonly source: string;
  readonly flags: '' | 'u';
}

const atoms = [
  'a',
  'b',
  '-',
  '/',
  ' ',
  '.',
  String.raw`\s`,
  String.raw`\S`,
  String.raw`\d`,
  String.raw`\D`,
  String.raw`\w`,
  String.raw`\W`,
  String.raw`\n`,
  String.raw`\.`,
  '[a-z]',
  '[^a]',
  String.raw`[\s-]`,
  String.raw`[^\s/]`,
  String.raw`[\S]`,
  String.raw`[a\d-]`,
  '[]',
  '[^]',
  'é',
  String.raw`\u00e9`,
  String.raw`\x41`,
  String.raw`\v`,
  String.raw`\b`,
  String.raw`\B`,
  '^',
  '$',
  '(?!a)',
  '(?=b)',
];
const onlyUnicode = [
  '😀',
  '[😀a]',
  String.raw`\p{L}`,
  String.raw`\P{Lu}`,
  String.raw`\u{1f600}`,
  String.raw`[^\p{L}]`,
];
const onlyLegacy = ['😀', String.raw`\a`, String.raw`\_`, '{', ']', String.raw`\p{L}`, '[[:a:]]'];
const quantifiers = ['', '', '', '*', '+', '?', '{2}', '{1,3}', '{0,}', '*?', '+?'];

function expression(more: readonly string[]): fc.Arbitrary<string> {
  const atom = fc.constantFrom(...atoms, ...more);
  const { alternatives } = fc.letrec<{ alternatives: string; sequence: string; element: string }>(
    (tie) => ({
      alternatives: fc
        .array(tie('sequence'), { minLength: 1, maxLength: 2 })
        .map((each) => each.join('|')),
      sequence: fc.array(tie('element'), { maxLength: 4 }).map((each) => each.join('')),
      element: fc
        .tuple(
          fc.oneof(
            { maxDepth: 2 },
            { arbitrary: atom, weight: 5 },
            { arbitrary: tie('alternatives').map((inner) => `(?:${inner})`), weight: 1 },
          ),
          fc.constantFrom(...quantifiers),
        )
        .map(([inner, quantifier]) => inner + (isAssertion(inner) ? '' : quantifier)),
    }),
  );
  return fc.tuple(fc.boolean(), alternatives, fc.boolean()).map(([start, inner, end]) => {
    const whole = start && end ? `(?:${inner})` : inner;
    return `${start ? '^' : ''}${whole}${end ? '$' : ''}`;
  });
}

function isAssertion(text: string): boolean {
  return ['^', '$', String.raw`\b`, String.raw`\B`].includes(text) || /^\(\?[!=]/.test(text);
}

/** Regular expressions of JavaScript, of which some cannot be translated. */
export const randomExpression: fc.Arbitrary<RandomExpression> = fc
  .oneof(
    expression(onlyUnicode).map((source) => ({ source, flags: 'u' as const })),
    expression(onlyLegacy).map((source) => ({ source, flags: '' as const })),
  )
  .filter(({ source, flags }) => {
    try {
      return new RegExp(source, flags) instanceof RegExp;
    } catch {
      return false;
    }
  });
