import { describe, expect, test } from '@jest/globals';
import { responsesOf } from './responses.ts';

describe('responsesOf', () => {
  test('removes values that differ from run to run', () => {
    const object = {
      metadata: { uid: 'u', resourceVersion: '7', name: 'a' },
      items: [{ uid: 'v' }],
    };
    expect(responsesOf([{ object }])).toEqual([
      { object: { metadata: { name: 'a' }, items: [{}] } },
    ]);
  });

  test('ignores the second in which a manager wrote', () => {
    const first = { manager: 'a', time: '2026-01-01T00:00:00Z' };
    const second = { manager: 'b', time: '2026-01-01T00:00:00Z' };
    const later = { manager: 'a', time: '2026-01-01T00:00:01Z' };
    expect(responsesOf([{ managedFields: [first, second] }])).toEqual(
      responsesOf([{ managedFields: [second, later] }]),
    );
    expect(responsesOf([{ managedFields: [first] }])).not.toEqual(
      responsesOf([{ managedFields: [second] }]),
    );
  });
});
