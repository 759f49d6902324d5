import { describe, expect, test } from '@jest/globals';
import { readCommandLine } from './command-line.ts';

describe('the command line of the release', () => {
  test('has a version and how far the release goes', () => {
    expect(readCommandLine(['0.2.0'])).toEqual({ version: '0.2.0', until: 'publish' });
    expect(readCommandLine(['0.2.0', '--dry-run'])).toEqual({ version: '0.2.0', until: 'dry-run' });
    expect(readCommandLine(['--prepare', '0.2.0'])).toEqual({ version: '0.2.0', until: 'prepare' });
    expect(readCommandLine(['--help'])).toBeUndefined();
  });

  test('is refused without a version, with two, with an unknown option, and with both modes', () => {
    for (const words of [[], ['1', '2'], ['1', '--force'], ['1', '--dry-run', '--prepare']]) {
      expect(() => readCommandLine(words)).toThrow();
    }
  });
});
