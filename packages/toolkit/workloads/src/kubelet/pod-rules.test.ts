import { describe, expect, test } from '@jest/globals';
import { PodRuleSet } from './pod-rules.ts';

describe('the rules of Pods', () => {
  const rules = new PodRuleSet(() => undefined);

  test.each([
    [{ crash: 'soon' }, 'crash'],
    [{ crash: 'after soon' }, 'crash'],
    [{ exitCode: 1 }, 'exitCode'],
    [{ crash: true, exitCode: 256 }, 'exitCode'],
    [{ crash: true, exits: 1 }, 'exits'],
    [{ exits: 1.5 }, 'exits'],
    [{ after: '1s' }, 'after'],
    [{ ready: 'no' }, 'ready'],
    [{ container: 1 }, 'container'],
    [{ evicted: 1 }, 'evicted'],
    [{ slow: true }, 'slow'],
  ])('a rule with %p is refused', (behaviour, option) => {
    expect(() => rules.when('app=web', behaviour as never)).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        facts: expect.objectContaining({ option: `when.behaviour.${option}` }),
      }),
    );
  });

  test.each([
    [{ app: 'web' }, 'when.selector.app'],
    [{ name: 1 }, 'when.selector'],
    [null, 'when.selector'],
  ])('the selector %p is refused', (selector, option) => {
    expect(() => rules.when(selector as never, {})).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        facts: expect.objectContaining({ option }),
      }),
    );
  });
});
