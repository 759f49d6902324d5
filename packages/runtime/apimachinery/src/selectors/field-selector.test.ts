import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';

import {
  fieldValue,
  matchesFields,
  matchesFieldValues,
  normalFieldSelector,
  parseFieldSelector,
  printFieldSelector,
  type FieldRequirement,
} from './field-selector.ts';

describe('parseFieldSelector', () => {
  test.each<[string, FieldRequirement[]]>([
    ['', []],
    ['a=1', [{ path: 'a', operator: '=', value: '1' }]],
    ['a==1', [{ path: 'a', operator: '=', value: '1' }]],
    ['a!=1', [{ path: 'a', operator: '!=', value: '1' }]],
    ['a=', [{ path: 'a', operator: '=', value: '' }]],
    [
      'status.phase!=Running,metadata.name=web',
      [
        { path: 'metadata.name', operator: '=', value: 'web' },
        { path: 'status.phase', operator: '!=', value: 'Running' },
      ],
    ],
    ['a=1,,a=1,', [{ path: 'a', operator: '=', value: '1' }]],
    [String.raw`a=b\,c\=d\\`, [{ path: 'a', operator: '=', value: String.raw`b,c=d\ `.trim() }]],
    ['a=!b', [{ path: 'a', operator: '=', value: '!b' }]],
  ])('reads %p', (text, requirements) => {
    expect(parseFieldSelector(text)).toEqual(requirements);
  });

  test.each<[string, number, string]>([
    ['a', 1, 'expected =, == or !='],
    ['a=1,b', 5, 'expected =, == or !='],
    ['=1', 0, 'expected the path of a field'],
    ['a=1,!=2', 4, 'expected the path of a field'],
    ['a=b=c', 3, 'a "=" in a value is written "\\="'],
    ['a===b', 3, 'a "=" in a value is written "\\="'],
    [String.raw`a=\b`, 2, 'a "\\" must precede "\\", "," or "="'],
    ['a=b\\', 3, 'a "\\" must precede "\\", "," or "="'],
  ])('refuses %p at %p: %s', (selector, position, reason) => {
    expect(() => parseFieldSelector(selector)).toThrow(
      expect.objectContaining({
        code: 'INVALID_FIELD_SELECTOR',
        facts: { selector, position, reason },
      }),
    );
  });
});

describe('the normal form', () => {
  test.each([
    ['a=1,b=2', 'b=2,a=1'],
    ['a=1', 'a==1'],
    ['a=1,a=1', 'a=1'],
  ])('of %p equals that of %p', (a, b) => {
    expect(normalFieldSelector(a)).toBe(normalFieldSelector(b));
  });

  test('differs for different values', () => {
    expect(normalFieldSelector('a=1')).not.toBe(normalFieldSelector('a!=1'));
  });

  test('stays the same after printing and parsing, whatever the values', () => {
    const anyRequirement = fc.record<FieldRequirement>({
      path: fc.constantFrom('metadata.name', 'metadata.namespace', 'status.phase'),
      operator: fc.constantFrom('=', '!='),
      value: fc.string({ unit: fc.constantFrom('a', '\\', ',', '=', '!', ' ', 'é') }),
    });
    fc.assert(
      fc.property(fc.array(anyRequirement), (requirements) => {
        const normal = parseFieldSelector(printFieldSelector(requirements));
        expect(parseFieldSelector(printFieldSelector(normal))).toEqual(normal);
        expect(new Set(normal.map((one) => JSON.stringify(sorted(one))))).toEqual(
          new Set(requirements.map((one) => JSON.stringify(sorted(one)))),
        );
      }),
    );
  });
});

function sorted({ path, operator, value }: FieldRequirement): FieldRequirement {
  return { path, operator, value };
}

describe('matching', () => {
  const pod = {
    metadata: { name: 'web', namespace: 'shop' },
    spec: { nodeName: 'n1', priority: 7, hostNetwork: true, containers: [] },
    status: { phase: 'Running' },
  };

  test.each([
    ['', true],
    ['metadata.name=web', true],
    ['metadata.name=other', false],
    ['metadata.name!=other,status.phase=Running', true],
    ['metadata.name=web,status.phase!=Running', false],
    ['spec.priority=7,spec.hostNetwork=true', true],
    ['spec.absent=', true],
    ['spec.absent!=x', true],
    ['spec.absent.deeper=', true],
    ['spec.containers=', true],
    ['spec.constructor=', true],
  ])('%p selects the pod: %p', (selector, expected) => {
    expect(matchesFields(parseFieldSelector(selector), pod)).toBe(expected);
  });

  test('accepts a function that returns the values', () => {
    const requirements = parseFieldSelector('metadata.name=web,spec.unschedulable=false');
    const values = new Map([
      ['metadata.name', 'web'],
      ['spec.unschedulable', 'false'],
    ]);
    expect(matchesFieldValues(requirements, (path) => values.get(path) ?? '')).toBe(true);
    expect(matchesFieldValues(requirements, () => 'web')).toBe(false);
  });

  test('fieldValue returns the text of a scalar, and an empty string for other values', () => {
    expect(fieldValue(pod, 'spec.priority')).toBe('7');
    expect(fieldValue(pod, 'spec')).toBe('');
    expect(fieldValue(undefined, 'spec')).toBe('');
    expect(fieldValue({ a: null }, 'a')).toBe('');
  });
});
