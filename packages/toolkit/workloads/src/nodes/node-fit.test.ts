import { describe, expect, test } from '@jest/globals';
import type { Node } from '../objects/kinds.ts';
import { matchesNode } from './node-fit.ts';

type Operator = 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt';

const node = { metadata: { name: 'a', labels: { disk: 'ssd', cores: '8' } } } as unknown as Node;

function isFit(key: string, operator: Operator, ...values: string[]): boolean {
  const term = { matchExpressions: [{ key, operator, values }] };
  const nodeAffinity = {
    requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] },
  };
  return matchesNode({ affinity: { nodeAffinity } }, node);
}

describe('matchesNode', () => {
  test.each<[string, Operator, string[]]>([
    ['disk', 'In', ['ssd', 'hdd']],
    ['disk', 'NotIn', ['hdd']],
    ['disk', 'Exists', []],
    ['rack', 'DoesNotExist', []],
    ['rack', 'NotIn', ['1']],
    ['cores', 'Gt', ['7']],
    ['cores', 'Lt', ['9']],
    ['constructor', 'DoesNotExist', []],
  ])('a node fits %s %s %j', (key, operator, values) => {
    expect(isFit(key, operator, ...values)).toBe(true);
  });

  test.each<[string, Operator, string[]]>([
    ['disk', 'In', ['hdd']],
    ['disk', 'NotIn', ['ssd']],
    ['disk', 'DoesNotExist', []],
    ['rack', 'Exists', []],
    ['rack', 'In', ['1']],
    ['cores', 'Gt', ['8']],
    ['cores', 'Lt', ['8']],
    ['rack', 'Gt', ['0']],
    ['constructor', 'Exists', []],
  ])('a node does not fit %s %s %j', (key, operator, values) => {
    expect(isFit(key, operator, ...values)).toBe(false);
  });
});
