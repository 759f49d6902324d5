import { describe, expect, test } from '@jest/globals';
import { answersOf } from './answers.ts';

describe('answersOf', () => {
  test('removes values that differ from run to run', () => {
    const object = {
      metadata: { uid: 'u', resourceVersion: '7', name: 'a' },
      items: [{ uid: 'v' }],
    };
    expect(answersOf([{ object }])).toEqual([{ object: { metadata: { name: 'a' }, items: [{}] } }]);
  });

  test('ignores the second in which a manager wrote', () => {
    const first = { manager: 'a', time: '2026-01-01T00:00:00Z' };
    const second = { manager: 'b', time: '2026-01-01T00:00:00Z' };
    const later = { manager: 'a', time: '2026-01-01T00:00:01Z' };
    expect(answersOf([{ managedFields: [first, second] }])).toEqual(
      answersOf([{ managedFields: [second, later] }]),
    );
    expect(answersOf([{ managedFields: [first] }])).not.toEqual(
      answersOf([{ managedFields: [second] }]),
    );
  });
});
