import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { oddPartOf } from './odd-part.ts';
import type { SessionKind } from './session-kind.ts';

const kind: SessionKind = {
  path: '/api/v1/things',
  apiVersion: 'v1',
  kind: 'Thing',
  base: {
    spec: { list: [{ name: 'a', inner: { value: 1 } }], selector: { matchLabels: { a: 'b' } } },
  },
  fragments: [],
};

function texts(): Set<string> {
  const parts = fc.sample(oddPartOf(kind), { seed: 1, numRuns: 3000 });
  return new Set(parts.map((part) => JSON.stringify(part)));
}

describe('an odd part of an object', () => {
  test('has an odd value in the place of a member at any depth', () => {
    const found = texts();
    for (const value of ['null', '{}', '[]', '""', '0', '-1', 'true']) {
      expect(found).toContain(`{"spec":{"selector":{"matchLabels":{"a":${value}}}}}`);
      expect(found).toContain(`{"spec":{"selector":${value}}}`);
    }
  });

  test('repeats the items of a list', () => {
    const item = '{"name":"a","inner":{"value":1}}';
    expect(texts()).toContain(`{"spec":{"list":[${item},${item}]}}`);
  });

  test('has an odd member in an item of a list', () => {
    const found = texts();
    expect(found).toContain('{"spec":{"list":[{"name":null,"inner":{"value":1}}]}}');
    expect(found).toContain('{"spec":{"list":[{"name":"a","inner":{"value":[]}}]}}');
  });
});
