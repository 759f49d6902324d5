import { beforeAll, describe, expect, test } from '@jest/globals';
import { ExpressionResults } from '../testing/expression-results.test-support.ts';

// Results recorded from kube-apiserver 1.36.3 for the same rules and objects.
describe('the syntax of a rule', () => {
  let results: ExpressionResults;

  beforeAll(() => {
    results = new ExpressionResults();
  });

  test.each([
    ['has(self)', ['1:5 invalid argument to has() macro']],
    [
      'self.text ==',
      [
        "1:13 Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
      ],
    ],
    [
      "self.text == 'a",
      [
        "1:14 Syntax error: token recognition error at: ''a'",
        "1:16 Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
      ],
    ],
    ["self.text == 'a' b", ["1:18 Syntax error: extraneous input 'b' expecting <EOF>"]],
    ['(self.text', ["1:11 Syntax error: missing ')' at '<EOF>'"]],
    [
      "self.text ==== 'a'",
      [
        "1:13 Syntax error: extraneous input '==' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
      ],
    ],
    ['self..text', ["1:6 Syntax error: no viable alternative at input '..'"]],
    ["self.text == 'a' &", ["1:18 Syntax error: token recognition error at: '&'"]],
    ['[1,2', ["1:5 Syntax error: mismatched input '<EOF>' expecting {']', ','}"]],
    ["{'a':1", ["1:7 Syntax error: mismatched input '<EOF>' expecting {'}', ','}"]],
    ['size(self.text', ["1:15 Syntax error: missing ')' at '<EOF>'"]],
    ['self.list.all(1, true)', ['1:15 argument must be a simple name']],
    ['self.list.map(x.y, x)==[]', ['1:16 argument is not an identifier']],
    ['if == 1', ['1:1 reserved identifier: if']],
    ["self.`text` == 'a'", ["1:6 unsupported syntax: '`'"]],
    ["self.`a-b.c/d` == 'x'", ["1:6 unsupported syntax: '`'"]],
    ["self.text == 'a',", ["1:17 Syntax error: extraneous input ',' expecting <EOF>"]],
    ['@a == 1', ["1:1 Syntax error: token recognition error at: '@'"]],
    [
      "self.text == 'a' # x",
      [
        "1:18 Syntax error: token recognition error at: '#'",
        "1:20 Syntax error: extraneous input 'x' expecting <EOF>",
      ],
    ],
    [
      "self.text = 'a'",
      [
        "1:11 Syntax error: token recognition error at: '= '",
        "1:13 Syntax error: extraneous input ''a'' expecting <EOF>",
      ],
    ],
    ["self.text == 'a' and true", ["1:18 Syntax error: mismatched input 'and' expecting <EOF>"]],
    [
      'size(self.text,) == 1',
      [
        "1:16 Syntax error: mismatched input ')' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
      ],
    ],
    ['self.list.0', ["1:10 Syntax error: extraneous input '.0' expecting <EOF>"]],
    ['self.list[0', ["1:12 Syntax error: missing ']' at '<EOF>'"]],
    ['(1 + 2', ["1:7 Syntax error: missing ')' at '<EOF>'"]],
    [
      '1 + ',
      [
        "1:5 Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
      ],
    ],
    ['true true', ["1:6 Syntax error: extraneous input 'true' expecting <EOF>"]],
    [
      ')',
      [
        "1:1 Syntax error: mismatched input ')' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
      ],
    ],
    ['a b c', ["1:3 Syntax error: mismatched input 'b' expecting <EOF>"]],
    ['[1 2]', ["1:4 Syntax error: extraneous input '2' expecting {']', ','}"]],
    ['{1}', ["1:3 Syntax error: mismatched input '}' expecting ':'"]],
    ['x ? y', ["1:6 Syntax error: mismatched input '<EOF>' expecting ':'"]],
  ])('refuses %s', (rule, problems) => {
    expect(results.problems(rule)).toEqual(problems);
  });
});
