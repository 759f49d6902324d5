import { beforeAll, describe, expect, test } from '@jest/globals';
import type { JsonObject } from '../json/json-value.ts';
import { type RuleResult, RuleResults } from './rule-results.test-support.ts';

// Results recorded from kube-apiserver 1.36.3 for the same rules and objects.
describe('fields, maps and lists of an object', () => {
  let results: RuleResults;

  beforeAll(() => {
    results = RuleResults.load();
  });

  test.each<[string, [JsonObject, RuleResult][]]>([
    [
      "string(self.bytes) == 'hi'",
      [
        [{ bytes: 'aGk=' }, true],
        [
          { bytes: '/w==' },
          'error: Invalid byte formatted string /w==: illegal base64 data at input byte 0',
        ],
      ],
    ],
    [
      'has(self.maybe)',
      [
        [{ maybe: 'a' }, true],
        [{ maybe: null }, false],
        [{}, false],
      ],
    ],
    [
      'has(self.inner.deep.x)',
      [
        [{ inner: { deep: { x: 1 } } }, true],
        [{ inner: { deep: {} } }, false],
        [{ inner: {} }, 'error: no such key: deep'],
        [{}, 'error: no such key: inner'],
      ],
    ],
    [
      'has(self.map.a)',
      [
        [{ map: { a: 'b' } }, true],
        [{ map: {} }, false],
      ],
    ],
    ['self.free == self.free', [[{ free: { a: 1 } }, true]]],
    ["self.embedded.kind == 'A'", [[{ embedded: { kind: 'A', apiVersion: 'v1' } }, true]]],
    [
      "self.embedded.metadata.name == 'A'",
      [[{ embedded: { kind: 'A', apiVersion: 'v1', metadata: { name: 'a' } } }, false]],
    ],
    [
      "self.a__dash__b__dot__c__slash__d == 'x'",
      [
        [{ 'a-b.c/d': 'x' }, true],
        [{ 'a-b.c/d': 'y' }, false],
        [{}, 'error: no such key: a__dash__b__dot__c__slash__d'],
      ],
    ],
    [
      "self.__in__ == 'x'",
      [
        [{ in: 'x' }, true],
        [{ in: 'y' }, false],
      ],
    ],
    [
      "self.x__underscores__y == 'x'",
      [
        [{ x__y: 'x' }, true],
        [{}, 'error: no such key: x__underscores__y'],
      ],
    ],
    [
      "'a' in self.map && self.map['a'] == 'b' && self.map.a == 'b'",
      [
        [{ map: { a: 'b' } }, true],
        [{ map: {} }, false],
      ],
    ],
    ["{'a': 1} == {'a': 1}", [[{}, true]]],
    [
      "self.map == {'a': 'b'}",
      [
        [{ map: { a: 'b' } }, true],
        [{ map: { a: 'c' } }, false],
        [{ map: {} }, false],
      ],
    ],
    [
      "self.list == ['a']",
      [
        [{ list: ['a'] }, true],
        [{ list: ['b'] }, false],
      ],
    ],
    [
      "self.list in [['a'], ['b']]",
      [
        [{ list: ['a'] }, true],
        [{ list: ['c'] }, false],
      ],
    ],
    ["self.list + ['b'] == ['a','b']", [[{ list: ['a'] }, true]]],
    [
      "self.set == ['b','a']",
      [
        [{ set: ['a', 'b'] }, true],
        [{ set: ['a', 'c'] }, false],
      ],
    ],
    ["['b','a'] == self.set", [[{ set: ['a', 'b'] }, false]]],
    ["self.set + ['a','c'] == ['a','b','c']", [[{ set: ['a', 'b'] }, true]]],
    ["(self.set + ['a','c']).size() == 3", [[{ set: ['a', 'b'] }, true]]],
    [
      "'a' in self.set && self.set[0] == 'a'",
      [
        [{ set: ['a'] }, true],
        [{ set: ['b'] }, false],
      ],
    ],
    ['self.ports + self.ports == self.ports', [[{ ports: [{ name: 'a', port: 1 }] }, true]]],
    ['size(self.map) == 1 && self.map.size() == 1', [[{ map: { a: 'b' } }, true]]],
    [
      'has(self.map)',
      [
        [{ map: {} }, true],
        [{}, false],
      ],
    ],
    [
      "self.embedded.metadata.name == 'a' && self.embedded.kind == 'K'",
      [[{ embedded: { kind: 'K', apiVersion: 'v1', metadata: { name: 'a' } } }, true]],
    ],
    [
      "self.maybe == 'a'",
      [
        [{ maybe: 'a' }, true],
        [{ maybe: null }, 'error: no such key: maybe'],
      ],
    ],
    ["self.enum == 'a'", [[{ enum: 'a' }, true]]],
    [
      'has(self.free)',
      [
        [{ free: {} }, true],
        [{}, false],
      ],
    ],
    [
      'self.list.size() < 3 && self.list.size() >= 1',
      [
        [{ list: ['a'] }, true],
        [{ list: [] }, false],
      ],
    ],
    ["self.text == '\\u00e4'", [[{ text: 'ä' }, true]]],
    ["self.text == r'\\n'", [[{ text: '\\n' }, true]]],
    ["self.text == '''a'b'''", [[{ text: "a'b" }, true]]],
    [".self.text == 'a'", [[{ text: 'a' }, true]]],
    ['oldSelf.text == self.text', [[{ text: 'a' }, true]]],
    ['[1,2,] == [1,2]', [[{}, true]]],
    ["{'a':1,} == {'a':1}", [[{}, true]]],
  ])('%s', (rule, expected) => {
    const found = expected.map(([spec]) => [spec, results.of(rule, spec)]);
    expect(found).toEqual(expected);
  });
});
