import { describe, expect, test } from '@jest/globals';
import { evaluateJsonPath, parseJsonPath } from './json-path.ts';

const object = {
  metadata: { annotations: { 'example.com/a.b': 'dotted' } },
  spec: { replicas: 3, ports: [{ port: 80 }, { port: 443 }] },
  status: {
    conditions: [
      { type: 'Ready', status: 'True' },
      { type: 'Stale', status: 'False' },
    ],
  },
};

describe('JSONPath of printer columns', () => {
  test.each<[string, unknown[]]>([
    ['.spec.replicas', [3]],
    ['{.spec.replicas}', [3]],
    ['.spec.ports[0].port', [80]],
    ['.spec.ports[-1].port', [443]],
    ['.spec.ports[*].port', [80, 443]],
    ['.status.conditions[?(@.type=="Ready")].status', ['True']],
    [".status.conditions[?(@.type=='Stale')].status", ['False']],
    ['.metadata.annotations.example\\.com/a\\.b', ['dotted']],
    ["['spec']['replicas']", [3]],
    ['.spec.missing.deeper', []],
    ['.constructor', []],
    ['.__proto__', []],
  ])('%s', (path, expected) => {
    expect(evaluateJsonPath(parseJsonPath(path), object)).toEqual(expected);
  });

  test.each(['spec', '.a[', '.a[?(@.b > 1)]'])('%j is unsupported and finds nothing', (path) => {
    expect(parseJsonPath(path)).toBeUndefined();
    expect(evaluateJsonPath(undefined, object)).toEqual([]);
  });
});
