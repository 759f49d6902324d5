import { beforeAll, describe, expect, test } from '@jest/globals';
import { RuleResults } from './rule-results.test-support.ts';

// Results recorded from kube-apiserver 1.36.3 for the same rules and objects.
describe('the types of a rule', () => {
  let results: RuleResults;

  beforeAll(() => {
    results = RuleResults.load();
  });

  test.each([
    [
      'quantity(self.text).sign() == 1',
      ["1:25 found no matching overload for 'sign' applied to 'kubernetes.Quantity.()'"],
    ],
    [
      'self.maybe != null',
      ["1:12 found no matching overload for '_!=_' applied to '(string, null)'"],
    ],
    [
      "self.text.reverse() == 'ba'",
      ["1:18 found no matching overload for 'reverse' applied to 'string.()'"],
    ],
    ['has(self.nothing)', ["1:4 undefined field 'nothing'"]],
    ['has(self.inner.nothing)', ["1:4 undefined field 'nothing'"]],
    ['self.text && true', ["1:5 expected type 'bool' but found 'string'"]],
    ['self.count + 1', ['cel expression must evaluate to a bool']],
    [
      'self.list.all(x)',
      [
        "1:14 undeclared reference to 'all' (in container '')",
        "1:15 undeclared reference to 'x' (in container '')",
      ],
    ],
    [
      'self.count.all(x, true)',
      [
        "1:5 expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)",
      ],
    ],
    ['nothing(self.text)', ["1:8 undeclared reference to 'nothing' (in container '')"]],
    ['self.text.nothing()', ["1:18 undeclared reference to 'nothing' (in container '')"]],
    ['nothing.foo', ["1:1 undeclared reference to 'nothing' (in container '')"]],
    ['a.b.c == 1', ["1:1 undeclared reference to 'a' (in container '')"]],
    ['self.text.size().foo', ["1:17 type 'int' does not support field selection"]],
    [
      'self.list[0] == 1',
      ["1:14 found no matching overload for '_==_' applied to '(string, int)'"],
    ],
    [
      "self.map[1] == 'a'",
      ["1:9 found no matching overload for '_[_]' applied to '(map(string, string), int)'"],
    ],
    [
      "self.list['a'] == 'a'",
      ["1:10 found no matching overload for '_[_]' applied to '(list(string), string)'"],
    ],
    ['1 == 1.0', ["1:3 found no matching overload for '_==_' applied to '(int, double)'"]],
    ["[1, 'a'].size() == 2", ["1:5 expected type 'int' but found 'string'"]],
    ["{'a': 1, 'b': 'c'}.size() == 2", ["1:15 expected type 'int' but found 'string'"]],
    ["{1:'a', 'b': 'c'}.size() == 2", ["1:9 expected type 'int' but found 'string'"]],
    ["duration('x') == self.wait", ['1:10 invalid duration argument']],
    ["timestamp('x') == self.when", ['1:11 invalid timestamp argument']],
    ["self.text.matches('(')", ['1:19 invalid matches argument']],
    [
      "self.text.find('(') == ''",
      ['program instantiation failed: error parsing regexp: missing closing ): `(`'],
    ],
    ["self.text.matches('(?=a)b')", ['1:19 invalid matches argument']],
    ["self.text.matches('(a)\\\\1')", ['1:19 invalid matches argument']],
    [
      'cel.bind(x, 1, x == 1)',
      [
        "1:1 undeclared reference to 'cel' (in container '')",
        "1:9 undeclared reference to 'bind' (in container '')",
        "1:10 undeclared reference to 'x' (in container '')",
        "1:16 undeclared reference to 'x' (in container '')",
      ],
    ],
    ["bytes('a').hex() == ''", ["1:15 undeclared reference to 'hex' (in container '')"]],
    ['self.free.x == 1', ["1:10 undefined field 'x'"]],
    ['self.any == 1', ["1:5 undefined field 'any'"]],
    [
      "'%d'.format([self.text]) == ''",
      [
        '1:18 error during formatting: decimal clause can only be used on integers, was given string',
      ],
    ],
    ["'%s %s'.format([self.text]) == ''", ['1:15 index 1 out of range']],
    [
      "'%s'.format([self.text, 1]) == ''",
      ['1:12 too many arguments supplied to string.format (expected 1, got 2)'],
    ],
    [
      "'%y'.format([self.text]) == ''",
      ['1:12 could not parse formatting clause: unrecognized formatting clause "y"'],
    ],
    ["'%'.format([self.text]) == ''", ['1:11 unexpected end of string']],
    [
      "'%f'.format([self.count]) == ''",
      [
        '1:18 error during formatting: fixed-point clause can only be used on doubles, was given int',
      ],
    ],
    [
      "timestamp('2021-01-01T00:00:00Z') + duration('9999999h') > timestamp('2021-01-01T00:00:00Z')",
      ['1:46 invalid duration argument'],
    ],
    [
      "self.list.sum() == 'a'",
      ["1:14 found no matching overload for 'sum' applied to 'list(string).()'"],
    ],
    [
      'sets.contains(self.list, [1])',
      [
        "1:14 found no matching overload for 'sets.contains' applied to '(list(string), list(int))'",
      ],
    ],
    ['sets.contains([1], [1.0, 1u])', ["1:26 expected type 'double' but found 'uint'"]],
    ['self.?nothing.orValue(1) == 1', ["1:5 undefined field 'nothing'"]],
    [
      'self.?text.orValue(1) == 1',
      ["1:19 found no matching overload for 'orValue' applied to 'optional_type(string).(int)'"],
    ],
    ['[?self.text].size() == 1', ["1:7 expected type 'optional_type(string)' but found 'string'"]],
    [
      "self.list.existsOne(x, x == 'a')",
      [
        "1:20 undeclared reference to 'existsOne' (in container '')",
        "1:21 undeclared reference to 'x' (in container '')",
        "1:24 undeclared reference to 'x' (in container '')",
      ],
    ],
    ['self.list.all(x, x, true)', ['1:18 duplicate variable name: x']],
    [
      "true ? 1 : 'a'",
      ["1:6 found no matching overload for '_?_:_' applied to '(bool, int, string)'"],
    ],
    ['self.embedded.spec == 1', ["1:14 undefined field 'spec'"]],
    ['self.any', ["1:5 undefined field 'any'"]],
    ['Foo{a: 1}.a == 1', ["1:4 undeclared reference to 'Foo' (in container '')"]],
    ['self.count == 9223372036854775808', ['1:15 invalid int literal']],
    [
      "self.text == 'a' && self.nothing == 1 || self.alsoNothing == 2",
      ["1:25 undefined field 'nothing'", "1:46 undefined field 'alsoNothing'"],
    ],
    [
      'self.text.nothing(self.bad)',
      ["1:18 undeclared reference to 'nothing' (in container '')", "1:23 undefined field 'bad'"],
    ],
    ["self.a__dash__b == 'x'", ["1:5 undefined field 'a__dash__b'"]],
    [
      'format.nothing() == 1',
      [
        "1:1 undeclared reference to 'format' (in container '')",
        "1:15 undeclared reference to 'nothing' (in container '')",
      ],
    ],
    [
      'max([self.either]) == 1',
      ["1:4 found no matching overload for 'max' applied to '(list(dyn))'"],
    ],
  ])('refuses %s', (rule, problems) => {
    expect(results.problems(rule)).toEqual(problems);
  });
});
