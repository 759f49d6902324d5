import { describe, expect, test } from '@jest/globals';
import { decodeRecord, encodeRecord, type LastApplied } from './last-applied.ts';

const identity = { schemaVersion: 2, uid: 'uid-1' };
const record: LastApplied<{ image: string }> = {
  schemaVersion: 2,
  generation: 3,
  appliedAt: '2026-11-23T10:00:00.000Z',
  spec: { image: 'a' },
};
const members = { ...record, uid: 'uid-1' };

describe('a record', () => {
  test('R3-19 is { schemaVersion, generation, appliedAt, spec }, and survives its text', () => {
    expect(decodeRecord(encodeRecord(record, 'uid-1'), identity)).toEqual(record);
  });

  test.each<[string, string | undefined]>([
    ['no text', undefined],
    ['an empty text', ''],
    ['half of a record', encodeRecord(record, 'uid-1').slice(0, 40)],
    ['null', 'null'],
    ['a list', '[]'],
    ['a record without spec', JSON.stringify({ ...members, spec: undefined })],
    ['a generation that is a string', JSON.stringify({ ...members, generation: '3' })],
    ['a negative generation', JSON.stringify({ ...members, generation: -1 })],
    ['a time that is not one', JSON.stringify({ ...members, appliedAt: 'yesterday' })],
    ['a time that is a number', JSON.stringify({ ...members, appliedAt: 5 })],
  ])('R3-19 %s counts as absent', (_, text) => {
    expect(decodeRecord(text, identity)).toBeUndefined();
  });

  test.each([1, 3, '2', null, undefined])(
    'R3-12 the schema version %p counts as absent',
    (schemaVersion) => {
      const text = JSON.stringify({ ...members, schemaVersion });
      expect(decodeRecord(text, identity)).toBeUndefined();
    },
  );

  test('a record that was copied from another object of the name counts as absent', () => {
    expect(decodeRecord(encodeRecord(record, 'uid-0'), identity)).toBeUndefined();
  });

  test('a spec may have any JSON value, and a member __proto__ stays a member', () => {
    const spec = JSON.parse('{"__proto__": {"polluted": true}}') as { image: string };
    const decoded = decodeRecord<object>(encodeRecord({ ...record, spec }, 'uid-1'), identity);
    expect(Object.hasOwn(decoded?.spec ?? {}, '__proto__')).toBe(true);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });
});
