import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';

import {
  matchesLabels,
  normalRequirements,
  printLabelSelector,
  type LabelOperator,
  type LabelRequirement,
} from './label-requirement.ts';
import { labelRequirementsOf, normalLabelSelector, parseLabelSelector } from './label-selector.ts';

/** The share of the random runs: a tenth in `npm test`, all in `.ci/run`. */
const multiple = Number(process.env['KEELSON_RUNS'] ?? 1);

describe('parseLabelSelector', () => {
  test.each<[string, LabelRequirement[]]>([
    ['', []],
    ['  ', []],
    ['a=1', [{ key: 'a', operator: 'in', values: ['1'] }]],
    ['a==1', [{ key: 'a', operator: 'in', values: ['1'] }]],
    ['a!=1', [{ key: 'a', operator: 'notin', values: ['1'] }]],
    ['a=', [{ key: 'a', operator: 'in', values: [''] }]],
    ['a', [{ key: 'a', operator: 'exists', values: [] }]],
    ['!a', [{ key: 'a', operator: 'notexists', values: [] }]],
    ['! a', [{ key: 'a', operator: 'notexists', values: [] }]],
    ['a>1', [{ key: 'a', operator: 'gt', values: ['1'] }]],
    ['a < 10', [{ key: 'a', operator: 'lt', values: ['10'] }]],
    ['a in (y, x,y)', [{ key: 'a', operator: 'in', values: ['x', 'y'] }]],
    ['a notin(x)', [{ key: 'a', operator: 'notin', values: ['x'] }]],
    ['a in (,x)', [{ key: 'a', operator: 'in', values: ['', 'x'] }]],
    ['a in (x,)', [{ key: 'a', operator: 'in', values: ['', 'x'] }]],
    ['a in ()', [{ key: 'a', operator: 'in', values: [''] }]],
    ['in in (in,notin)', [{ key: 'in', operator: 'in', values: ['in', 'notin'] }]],
    ['notin', [{ key: 'notin', operator: 'exists', values: [] }]],
    [
      'example.com/b=2 , a = 1',
      [
        { key: 'a', operator: 'in', values: ['1'] },
        { key: 'example.com/b', operator: 'in', values: ['2'] },
      ],
    ],
  ])('reads %p', (text, requirements) => {
    expect(parseLabelSelector(text)).toEqual(requirements);
  });

  test.each<[string, number, string]>([
    [',', 0, 'found ",", expected a key'],
    ['a=1,', 4, 'found the end, expected a key'],
    ['a=1,,b', 4, 'found ",", expected a key'],
    ['a=1 b=2', 4, 'found "b", expected ","'],
    ['a b', 2, 'found "b", expected an operator'],
    ['a(b)', 1, 'found "(", expected an operator'],
    ['!a=1', 2, 'found "=", expected ","'],
    ['!', 1, 'found the end, expected a key'],
    ['=1', 0, 'found "=", expected a key'],
    ['a=!b', 2, 'found "!", expected a value'],
    ['a===b', 3, 'found "=", expected a value'],
    ['a in x', 5, 'found "x", expected "("'],
    ['a in (x', 7, 'found the end, expected ")"'],
    ['a in (x y)', 8, 'found "y", expected ")"'],
    ['a>x', 2, 'not an integer of 64 bits'],
    ['a>9223372036854775808', 2, 'not an integer of 64 bits'],
    [
      'a>-1',
      2,
      'a value has up to 63 characters of A-Z a-z 0-9 - _ . and begins and ends alphanumeric',
    ],
    ['a>', 2, 'found the end, expected an integer'],
    [
      'a=-x',
      2,
      'a value has up to 63 characters of A-Z a-z 0-9 - _ . and begins and ends alphanumeric',
    ],
    ['b=1,A/b/c=1', 4, 'a key has at most one "/"'],
  ])('refuses %p at %p: %s', (selector, position, reason) => {
    expect(() => parseLabelSelector(selector)).toThrow(
      expect.objectContaining({
        code: 'INVALID_LABEL_SELECTOR',
        facts: { selector, position, reason },
      }),
    );
  });
});

describe('labelRequirementsOf', () => {
  test('accepts matchLabels and every operator of matchExpressions', () => {
    const requirements = labelRequirementsOf({
      matchLabels: { app: 'web' },
      matchExpressions: [
        { key: 'tier', operator: 'In', values: ['front', 'back'] },
        { key: 'zone', operator: 'NotIn', values: ['a'] },
        { key: 'live', operator: 'Exists' },
        { key: 'old', operator: 'DoesNotExist', values: [] },
      ],
    });
    expect(printLabelSelector(requirements)).toBe('app=web,live,!old,tier in (back,front),zone!=a');
  });

  test('an empty selector selects everything', () => {
    expect(matchesLabels(labelRequirementsOf({}), undefined)).toBe(true);
  });

  test.each([
    [{ matchExpressions: [{ key: 'a', operator: 'in', values: ['x'] }] }, 'unknown operator "in"'],
    [{ matchExpressions: [{ key: 'a', operator: 'In' }] }, 'In takes values'],
    [
      { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['x'] }] },
      'Exists takes no values',
    ],
    [{ matchExpressions: [{ key: 'a/b/c', operator: 'Exists' }] }, 'a key has at most one "/"'],
  ])('refuses %j', (selector, reason) => {
    expect(() => labelRequirementsOf(selector)).toThrow(
      expect.objectContaining({
        code: 'INVALID_LABEL_SELECTOR',
        facts: { position: 'matchExpressions[0]', reason },
      }),
    );
  });

  test('names an invalid label', () => {
    expect(() => labelRequirementsOf({ matchLabels: { app: '-' } })).toThrow(
      expect.objectContaining({ facts: expect.objectContaining({ position: 'matchLabels.app' }) }),
    );
  });
});

describe('the normal form', () => {
  test.each([
    ['a=1,b=2', 'b=2,a=1'],
    ['a=1', 'a==1'],
    ['a=1', 'a in (1)'],
    ['a!=1', 'a notin (1)'],
    ['a in (x,y)', 'a in (y,x,x)'],
    ['a=1,a=1', ' a = 1 '],
    ['!a,b', 'b , ! a'],
  ])('of %p equals that of %p', (a, b) => {
    expect(normalLabelSelector(a)).toBe(normalLabelSelector(b));
  });

  test.each([
    ['a=1', 'a=2'],
    ['a=1', 'a!=1'],
    ['a', '!a'],
    ['a=', 'a'],
    ['a>1', 'a<1'],
  ])('of %p differs from that of %p', (a, b) => {
    expect(normalLabelSelector(a)).not.toBe(normalLabelSelector(b));
  });

  test('is the same for an object and its text', () => {
    expect(normalLabelSelector({ matchLabels: { b: '2', a: '1' } })).toBe('a=1,b=2');
  });
});

const keys = ['a', 'b', 'example.com/c', 'in'];
const values = ['', '1', '2', '10', '007', 'x', 'in'];
const integers = ['0', '2', '10', '9223372036854775807'];

const anyRequirement: fc.Arbitrary<LabelRequirement> = fc
  .tuple(
    fc.constantFrom(...keys),
    fc.constantFrom<LabelOperator>('in', 'notin', 'exists', 'notexists', 'gt', 'lt'),
    fc.array(fc.constantFrom(...values), { minLength: 1, maxLength: 4 }),
    fc.constantFrom(...integers),
  )
  .map(([key, operator, set, integer]) => {
    if (operator === 'in' || operator === 'notin') return { key, operator, values: set };
    const bound = operator === 'gt' || operator === 'lt';
    return { key, operator, values: bound ? [integer] : [] };
  });
const anyRequirements = fc.array(anyRequirement, { maxLength: 5 });
const anyLabels = fc.dictionary(fc.constantFrom(...keys), fc.constantFrom(...values));

/** A second, simple implementation of the operators. */
function selects(requirements: LabelRequirement[], labels: Record<string, string>): boolean {
  for (const { key, operator, values: wanted } of requirements) {
    const present = key in labels;
    const value = labels[key] ?? '';
    const isNumber = /^-?\d+$/.test(value);
    if (operator === 'exists' && !present) return false;
    if (operator === 'notexists' && present) return false;
    if (operator === 'in' && !(present && wanted.includes(value))) return false;
    if (operator === 'notin' && present && wanted.includes(value)) return false;
    if (operator === 'gt' && !(isNumber && Number(value) > Number(wanted[0]))) return false;
    if (operator === 'lt' && !(isNumber && Number(value) < Number(wanted[0]))) return false;
  }
  return true;
}

describe('any selector', () => {
  test('has a normal form that stays the same after printing and parsing', () => {
    fc.assert(
      fc.property(anyRequirements, (requirements) => {
        const normal = normalRequirements(requirements);
        expect(parseLabelSelector(printLabelSelector(normal))).toEqual(normal);
      }),
    );
  });

  test('has a normal form that does not depend on order and repetition', () => {
    fc.assert(
      fc.property(anyRequirements, (requirements) => {
        const shuffled = [...requirements.toReversed(), ...requirements];
        expect(printLabelSelector(normalRequirements(shuffled))).toBe(
          printLabelSelector(normalRequirements(requirements)),
        );
      }),
    );
  });

  test('matches like the simple implementation, before and after normalization', () => {
    fc.assert(
      fc.property(anyRequirements, anyLabels, (requirements, labels) => {
        const expected = selects(requirements, labels);
        expect(matchesLabels(requirements, labels)).toBe(expected);
        expect(matchesLabels(normalRequirements(requirements), labels)).toBe(expected);
      }),
      { numRuns: Math.ceil(1000 * multiple) },
    );
  });

  test('is parsed, or refused at a position inside the text', () => {
    const anyText = fc.string({
      unit: fc.constantFrom(
        'a',
        '1',
        ' ',
        '=',
        '!',
        '(',
        ')',
        ',',
        '<',
        '>',
        '/',
        'in',
        ' notin ',
        'é',
      ),
    });
    fc.assert(
      fc.property(anyText, (text) => {
        try {
          const normal = normalLabelSelector(text);
          expect(normalLabelSelector(normal)).toBe(normal);
        } catch (error) {
          expect(error).toMatchObject({
            code: 'INVALID_LABEL_SELECTOR',
            facts: { selector: text },
          });
          const { position } = (error as { facts: { position: number } }).facts;
          expect(position).toBeGreaterThanOrEqual(0);
          expect(position).toBeLessThanOrEqual(text.length);
        }
      }),
      { numRuns: Math.ceil(2000 * multiple) },
    );
  });
});

test.each([
  [null, ''],
  [5, ''],
  [[], ''],
  [{ matchLabels: 'app=web' }, 'matchLabels'],
  [{ matchExpressions: {} }, 'matchExpressions'],
  [{ matchExpressions: [null] }, 'matchExpressions'],
])('labelRequirementsOf refuses %j', (selector, position) => {
  expect(() => labelRequirementsOf(selector as never)).toThrow(
    expect.objectContaining({
      code: 'INVALID_LABEL_SELECTOR',
      facts: expect.objectContaining({ position }),
    }),
  );
});

describe('matchesLabels', () => {
  test('ignores members that every object inherits', () => {
    expect(matchesLabels(parseLabelSelector('toString'), {})).toBe(false);
    expect(matchesLabels(parseLabelSelector('!constructor'), {})).toBe(true);
  });

  test('compares only integers of 64 bits', () => {
    const above = parseLabelSelector('n>9007199254740992');
    expect(matchesLabels(above, { n: '9007199254740993' })).toBe(true);
    expect(matchesLabels(above, { n: '9007199254740992' })).toBe(false);
    expect(matchesLabels(above, { n: '9223372036854775808' })).toBe(false);
    expect(matchesLabels(above, { n: '1e30' })).toBe(false);
    expect(matchesLabels(above, {})).toBe(false);
  });
});
