import { describe, expect, test } from '@jest/globals';
import { findUnclearNames } from './identifiers.ts';

function problems(text: string): string[] {
  return findUnclearNames([{ path: 'a.ts', text }]);
}

// The samples are assembled here, so that the check does not find them in this file.
const declare = (name: string): string => ['const', name, '= 1;'].join(' ');

describe('findUnclearNames', () => {
  test.each([
    ['toldBy', 'reported, emitted, printed'],
    ['CLOSE_PATIENCE_MS', 'timeout'],
    ['lastTrouble', 'fault'],
  ])('finds the unclear word in the declared name %s', (name, instead) => {
    expect(problems(`\n${declare(name)}`)).toEqual([`a.ts:2 “${name}”: ${instead}`]);
  });

  test('accepts names that only contain the letters of an unclear word', () => {
    expect(problems(`${declare('intellisense')}\n${declare('folder')}`)).toEqual([]);
  });
});
