import { describe, expect, test } from '@jest/globals';
import { parseArguments } from './arguments.ts';

describe('parseArguments', () => {
  test('has a default for everything', () => {
    const defaults = { kubeconfig: undefined, shops: 200, stay: false, help: false };
    expect(parseArguments([])).toEqual(defaults);
  });

  test('reads every option', () => {
    const args = ['--shops', '50', '--stay', '--kubeconfig', 'admin.conf'];
    const read = { kubeconfig: 'admin.conf', shops: 50, stay: true, help: false };
    expect(parseArguments(args)).toEqual(read);
  });

  test.each([
    [['--bogus'], '--bogus'],
    [['file'], 'file'],
    [['--kubeconfig'], '--kubeconfig'],
    [['--shops', 'many'], '--shops'],
    [['--shops', '3'], '--shops'],
    [['--shops', '10001'], '--shops'],
  ])('%j names what is wrong', (args, named) => {
    expect(() => parseArguments(args)).toThrow(named);
  });
});
