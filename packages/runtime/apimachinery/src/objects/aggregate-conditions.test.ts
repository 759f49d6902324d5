import { describe, expect, test } from '@jest/globals';
import { aggregateConditions } from './aggregate-conditions.ts';
import type { Condition, ConditionStatus } from './condition.ts';

function condition(type: string, status: ConditionStatus, generation?: number): Condition {
  return {
    type,
    status,
    reason: `${type}Is${status}`,
    message: `message of ${type}`,
    lastTransitionTime: '2026-11-21T10:00:00Z',
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
}

const of = ['Database', 'Network'];

describe('aggregateConditions', () => {
  test('is True with its own reason if all are True', () => {
    const all = [condition('Database', 'True'), condition('Network', 'True')];
    expect(aggregateConditions(all, { type: 'Ready', of })).toEqual({
      type: 'Ready',
      status: 'True',
      reason: 'AllTrue',
      message: '',
    });
    expect(aggregateConditions(all, { type: 'Ready', of, reason: 'Up' }).reason).toBe('Up');
  });

  test('is False if one is False, with its reason and every message, also after an Unknown one', () => {
    const all = [condition('Database', 'Unknown'), condition('Network', 'False')];
    expect(aggregateConditions(all, { type: 'Ready', of })).toEqual({
      type: 'Ready',
      status: 'False',
      reason: 'NetworkIsFalse',
      message: 'Database: message of Database; Network: message of Network',
    });
  });

  test('is Unknown if one does not exist; other types do not matter', () => {
    const all = [condition('Database', 'True'), condition('Other', 'False')];
    expect(aggregateConditions(all, { type: 'Ready', of })).toEqual({
      type: 'Ready',
      status: 'Unknown',
      reason: 'Missing',
      message: 'Network: has not been determined',
    });
    expect(aggregateConditions(undefined, { type: 'Ready', of }).status).toBe('Unknown');
  });

  test('a condition of an older generation is Unknown, one without a generation counts', () => {
    const all = [condition('Database', 'True', 2), condition('Network', 'True')];
    const options = { type: 'Ready', of };
    expect(aggregateConditions(all, { ...options, generation: 2 }).status).toBe('True');
    expect(aggregateConditions(all, { ...options, generation: 3 })).toMatchObject({
      status: 'Unknown',
      reason: 'Outdated',
    });
  });

  test('a condition without status is Unknown, and one without reason and message is never AllTrue', () => {
    const bare = { type: 'Database', status: 'False' } as Condition;
    expect(aggregateConditions([bare], { type: 'Ready', of: ['Database'] })).toEqual({
      type: 'Ready',
      status: 'False',
      reason: 'NotTrue',
      message: 'Database: False',
    });
    const empty = { ...condition('Database', 'True'), status: undefined } as never;
    const made = aggregateConditions([empty], { type: 'Ready', of: ['Database'] });
    expect(made.status).toBe('Unknown');
  });

  test('the message has at most 32768 characters, which is the limit of the server', () => {
    const long = { ...condition('Database', 'False'), message: 'x'.repeat(32_768) };
    const { message } = aggregateConditions([long], { type: 'Ready', of: ['Database'] });
    expect(message).toHaveLength(32_768);
    expect(message.endsWith('x …')).toBe(true);
  });

  test.each<[string, unknown, object]>([
    ['aggregateConditions.conditions', 'Ready', {}],
    ['aggregateConditions.conditions', [null], {}],
    ['aggregateConditions.of', [], { of: ['Database', 'Ready'] }],
    ['aggregateConditions.type', [], { type: '' }],
    ['aggregateConditions.of', [], { of: [] }],
    ['aggregateConditions.of', [], { of: [1] }],
    ['aggregateConditions.of', [], { of: 'Ready' }],
    ['aggregateConditions.reason', [], { reason: '' }],
    ['aggregateConditions.generation', [], { generation: 1.5 }],
    ['aggregateConditions.types', [], { types: [] }],
  ])('throws INVALID_OPTION for %s', (option, conditions, wrong) => {
    const options = { type: 'Ready', of, ...wrong };
    expect(() => aggregateConditions(conditions as never, options as never)).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        facts: expect.objectContaining({ option }),
      }),
    );
  });
});
