import { describe, expect, test } from '@jest/globals';
import { readCommandLine } from './command-line.ts';

describe('the command line of the soak', () => {
  test('runs for an hour with a round per 5 minutes by default', () => {
    expect(readCommandLine([])).toEqual({
      duration: 3_600_000,
      rounds: 12,
      faultEvery: 10_000,
      endEvery: 1_200_000,
      seed: 1,
      record: false,
    });
  });

  test('reads minutes, rounds and the time between faults', () => {
    const words = [
      '--minutes',
      '2',
      '--rounds',
      '3',
      '--fault-every',
      '0.5',
      '--end-every',
      '20',
      '--seed',
      '7',
    ];
    expect(readCommandLine(words)).toMatchObject({
      duration: 120_000,
      rounds: 3,
      faultEvery: 500,
      endEvery: 20_000,
      seed: 7,
    });
  });

  test.each(['0', '-1', 'long', 'NaN'])('refuses --hours %s', (hours) => {
    expect(() => readCommandLine([`--hours=${hours}`])).toThrow(
      `--hours must be a positive number, not ${hours}`,
    );
  });
});
