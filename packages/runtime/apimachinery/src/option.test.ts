import { describe, expect, test } from '@jest/globals';

import {
  backoffDelays,
  checkCount,
  checkFlag,
  checkMethods,
  checkObserver,
  checkOptions,
  invalidOption,
} from './option.ts';

const code = 'INVALID_OPTION';

describe('checkOptions', () => {
  test('accepts known members and missing ones', () => {
    expect(() => checkOptions({ name: 'a' }, ['name', 'wait'], 'createQueue')).not.toThrow();
  });

  test('names an unknown member and lists the known ones', () => {
    expect(() => checkOptions({ nam: 'a' }, ['name', 'wait'], 'createQueue')).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        facts: { option: 'createQueue.nam', reason: 'unknown option', known: 'name wait' },
      }),
    );
  });

  test('names the option to use in place of a name of another library', () => {
    const cures = { workers: 'use `concurrency`' };
    expect(() => checkOptions({ workers: 1 }, ['concurrency'], 'createQueue', cures)).toThrow(
      expect.objectContaining({
        facts: {
          option: 'createQueue.workers',
          reason: 'unknown option',
          cure: 'use `concurrency`',
          known: 'concurrency',
        },
      }),
    );
  });

  test.each([[null], [['name']], ['name'], [undefined]])('refuses %p as options', (options) => {
    const call = () => checkOptions(options as unknown as object, ['name'], 'createQueue');
    expect(call).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        facts: { option: 'createQueue', reason: 'must be an object' },
      }),
    );
  });

  test('refuses the member names that every object inherits', () => {
    const options: object = JSON.parse('{"__proto__": 1}');
    expect(() => checkOptions(options, ['name'], 'createQueue')).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION' }),
    );
  });
});

describe('the checks of values', () => {
  const methods = ['get', 'list'];
  const act = (): void => undefined;

  test.each<[string, () => void, object]>([
    ['a flag', () => checkFlag('yes', 'a.b'), { option: 'a.b' }],
    [
      'a count',
      () => checkCount(0, 'a.b'),
      { option: 'a.b', reason: 'must be a whole number from 1' },
    ],
    [
      'a count that may be 0',
      () => checkCount(Number.NaN, 'a.b', 0),
      { reason: 'must be a whole number from 0' },
    ],
    ['an array', () => checkMethods([], methods, 'a.b'), { reason: 'must be an object' }],
    [
      'a missing method',
      () => checkMethods({ get: act }, methods, 'a.b'),
      { reason: 'has no method list' },
    ],
    ['an observer', () => checkObserver({ list: 1 }, methods, 'a.b'), { option: 'a.b.list' }],
    [
      'two delays',
      () => backoffDelays({ base: 3, max: 2 }, { base: 1, max: 9 }, 'a'),
      { option: 'a.base', base: 3, max: 2 },
    ],
  ])('refuse %s by its name', (_, check, facts) => {
    expect(check).toThrow(
      expect.objectContaining({ code, facts: expect.objectContaining(facts) as unknown }),
    );
  });

  test('accept missing and valid values', () => {
    checkFlag(undefined, 'a');
    checkFlag(false, 'a');
    checkCount(1, 'a');
    checkCount(0, 'a', 0);
    checkObserver(undefined, methods, 'a');
    checkObserver({ other: 1, get: act }, methods, 'a');
    class Store {
      get(): void {}
      list(): void {}
    }
    expect(() => checkMethods(new Store(), methods, 'a')).not.toThrow();
  });

  test('adjust a default delay to the given one', () => {
    const defaults = { base: 5, max: 100 };
    expect(backoffDelays({}, defaults, 'a')).toEqual(defaults);
    expect(backoffDelays({ base: 200 }, defaults, 'a')).toEqual({ base: 200, max: 200 });
    expect(backoffDelays({ max: 2 }, defaults, 'a')).toEqual({ base: 2, max: 2 });
    expect(backoffDelays({ base: 7, max: 7 }, defaults, 'a')).toEqual({ base: 7, max: 7 });
  });
});

describe('invalidOption', () => {
  test('contains the option and the reason in its message', () => {
    expect(invalidOption('createQueue.name', 'must not be empty', { value: '' }).message).toBe(
      'the option is invalid (option=createQueue.name, reason=must not be empty, value=)',
    );
  });
});
