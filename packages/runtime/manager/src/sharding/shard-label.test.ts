import { describe, expect, test } from '@jest/globals';
import { builtin, matchesLabels, parseLabelSelector } from '@keelson/apimachinery';
import { ShardLabel } from './shard-label.ts';
import { SlotSet } from './slot-set.ts';

const { ConfigMap, Secret } = builtin;

describe('the label of a shard', () => {
  const label = new ShardLabel('web', 'name', {});

  test.each([
    [[], undefined],
    [[7], '7'],
    [[7, 7], '7'],
    [[7, 8], 'every'],
  ])('has for the slots %j the value %s', (slots, value) => {
    expect(label.valueOf(slots)).toBe(value);
  });

  test('has another key for each scheme and each kind of owner', () => {
    const owner = (resource: typeof ConfigMap | typeof Secret, match: 'any' | 'controller') => ({
      owner: { resource, match },
    });
    const keys = [
      label,
      new ShardLabel('web', 'function-0123456789abcdef', {}),
      new ShardLabel('web', 'name', owner(ConfigMap, 'any')),
      new ShardLabel('web', 'name', owner(ConfigMap, 'controller')),
      new ShardLabel('web', 'name', owner(Secret, 'any')),
      new ShardLabel('other', 'name', {}),
    ].map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys[0]).toBe('web.shard.keelson.dev/name');
    for (const key of keys) expect(key.split('/')[1]?.length).toBeLessThan(64);
  });

  test.each([
    ['no slots', new SlotSet()],
    ['some slots', new SlotSet([7, 1023])],
    ['all slots', SlotSet.all()],
  ])('selects the objects of %s, those of every replica, and none without it', (_, slots) => {
    const selector = parseLabelSelector(label.selectorOf(slots));
    const selects = (labels: Record<string, string>): boolean => matchesLabels(selector, labels);
    for (const slot of [0, 7, 1023]) {
      expect(selects({ [label.key]: String(slot) })).toBe(slots.has(slot));
    }
    expect(selects({ [label.key]: 'every' })).toBe(true);
    expect(selects({})).toBe(false);
    const missing = parseLabelSelector(label.missing);
    expect(matchesLabels(missing, {})).toBe(true);
    expect(matchesLabels(missing, { [label.key]: '7' })).toBe(false);
  });
});
