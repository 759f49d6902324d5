import { describe, expect, test } from '@jest/globals';
import { goKind, jsonSyntaxError } from './json-syntax-error.ts';

describe('jsonSyntaxError', () => {
  // Recorded from kube-apiserver 1.36.3.
  test.each([
    ['', 'unexpected end of JSON input'],
    [' ', 'unexpected end of JSON input'],
    ['{', 'unexpected end of JSON input'],
    ['{"metadata":{"name"', 'unexpected end of JSON input'],
    ['{"a":}', "invalid character '}' looking for beginning of value"],
    ['{"a":1 "b":2}', "invalid character '\"' after object key:value pair"],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ['{"a":1}{}', "invalid character '{' after top-level value"],
    ['/* x */{}', "invalid character '/' looking for beginning of value"],
    ["{'a':1}", "invalid character '\\'' looking for beginning of object key string"],
    ['{"a":"\u0001"}', "invalid character '\\x01' in string literal"],
    ['{"a":"\\q"}', "invalid character 'q' in string escape code"],
    ['nonsense', "invalid character 'o' in literal null (expecting 'u')"],
  ])('has the message of kube-apiserver for %j', (text, message) => {
    expect(jsonSyntaxError(text)).toBe(message);
  });

  // As in encoding/json of Go.
  test.each([
    ['[1 2]', "invalid character '2' after array element"],
    ['[1,]', "invalid character ']' looking for beginning of value"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['01', "invalid character '1' after top-level value"],
    ['-a', "invalid character 'a' in numeric literal"],
    ['1.', 'unexpected end of JSON input'],
    ['1.x', "invalid character 'x' after decimal point in numeric literal"],
    ['1e+x', "invalid character 'x' in exponent of numeric literal"],
    ['"\\u00g0"', "invalid character 'g' in \\u hexadecimal character escape"],
    ['[[{"a":[]}]', 'unexpected end of JSON input'],
    ['ä', "invalid character 'Ã' looking for beginning of value"],
  ])('has the message of Go for %j', (text, message) => {
    expect(jsonSyntaxError(text)).toBe(message);
  });

  test('scans valid JSON to its end', () => {
    const valid = '{"a":[1,-2.5e+3,"x\\u00e4\\n",{}, [],true ,false,null],"b":{"c":0}} x';
    expect(jsonSyntaxError(valid)).toBe("invalid character 'x' after top-level value");
  });

  test.each([
    [[], 'array'],
    [true, 'bool'],
    ['x', 'string'],
    [1, 'number'],
    [{}, 'object'],
  ])('names the kind of %j', (value, kind) => {
    expect(goKind(value)).toBe(kind);
  });
});
