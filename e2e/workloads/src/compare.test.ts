import { describe, expect, test } from '@jest/globals';
import { compareTexts } from './compare.ts';
import { normalOutcome } from './normal-form.ts';
import { kinds, sessionOfSeed } from './session.ts';

const meta = { uid: 'u', resourceVersion: '1', creationTimestamp: '2026-03-01T00:00:00Z' };

describe('the comparison of sessions', () => {
  test('counts equal texts once for each time', () => {
    expect(compareTexts(['a', 'a', 'b'], ['a', 'c'])).toEqual({
      equal: 1,
      total: 3,
      missing: ['a', 'b'],
      excess: ['c'],
    });
  });

  test('does not depend on generated names, hashes and times', () => {
    const outcomeOf = (hash: string, random: string): ReturnType<typeof normalOutcome> => {
      const labels = { 'pod-template-hash': hash };
      const generateName = `web-${hash}-`;
      const annotations = { 'deployment.kubernetes.io/revision': '1' };
      return normalOutcome({
        refused: [],
        events: [],
        objects: [
          { kind: 'ReplicaSet', metadata: { ...meta, name: `web-${hash}`, labels, annotations } },
          { kind: 'Pod', metadata: { ...meta, name: generateName + random, generateName, labels } },
        ],
      });
    };
    expect(outcomeOf('6bdff98dd', 'abcde')).toEqual(outcomeOf('594fb7f4c', 'vwxyz'));
    expect(outcomeOf('6bdff98dd', 'abcde').objects[0]).toContain('web-<hash 1>-<random>');
  });

  test('plays the same session for a seed', () => {
    for (const seed of [1, 2, 3, 4, 5])
      expect(sessionOfSeed(seed, kinds)).toEqual(sessionOfSeed(seed, kinds));
  });
});
