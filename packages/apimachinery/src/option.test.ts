import { describe, expect, test } from '@jest/globals';

import { checkOptions, invalidOption } from './option.ts';

describe('checkOptions', () => {
  test('accepts known members and absent ones', () => {
    expect(() => checkOptions({ name: 'a' }, ['name', 'wait'], 'createQueue')).not.toThrow();
  });

  test('names a member it does not know, and those it does', () => {
    expect(() => checkOptions({ nam: 'a' }, ['name', 'wait'], 'createQueue')).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        facts: { option: 'createQueue.nam', reason: 'unknown option', known: 'name wait' },
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

  test('is not fooled by the members of every object', () => {
    const options: object = JSON.parse('{"__proto__": 1}');
    expect(() => checkOptions(options, ['name'], 'createQueue')).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION' }),
    );
  });
});

describe('invalidOption', () => {
  test('says the option and the reason in its text', () => {
    expect(invalidOption('createQueue.name', 'must not be empty', { value: '' }).message).toBe(
      'the option is not valid (option=createQueue.name, reason=must not be empty, value=)',
    );
  });
});
