import { describe, expect, test } from '@jest/globals';
import { parseFieldSelector, parseLabelSelector } from '@keelson/apimachinery';
import { fieldSelectorRefusal } from '../resources/field-selector-refusal.ts';
import { labelSelectorRefusal } from '../resources/label-selector-refusal.ts';

// Messages recorded from kube-apiserver 1.36.3.
describe('refusal of a label selector', () => {
  test.each([
    ['a in b', "unable to parse requirement: found 'b' expected: '('"],
    ['a in (b', "unable to parse requirement: found '', expected: ',' or ')'"],
    ['a===b', "unable to parse requirement: found '=', expected: identifier"],
    ['=b', "found '=', expected: !, identifier, or 'end of string'"],
    ['a=b c', "found 'c', expected: ',' or 'end of string'"],
    ['!', "unable to parse requirement: found '', expected: identifier"],
    ['!a=b', "found '=', expected: ',' or 'end of string'"],
    ['a,', "found '', expected: identifier after ','"],
    [',', "found ',', expected: !, identifier, or 'end of string'"],
    ['a<=1', "unable to parse requirement: found '=', expected: identifier"],
    [
      'a like b',
      "unable to parse requirement: found 'like', expected: in, notin, =, ==, !=, gt, lt",
    ],
    [
      'a!=b,c exists',
      "unable to parse requirement: found 'exists', expected: in, notin, =, ==, !=, gt, lt",
    ],
    [
      'a>x',
      "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer",
    ],
    [
      'a=-x',
      "unable to parse requirement: values[0][a]: Invalid value: \"-x\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
    ],
    [
      '-a=x',
      "unable to parse requirement: <nil>: Invalid value: \"-a\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
    [
      `a=${'a'.repeat(64)}`,
      `unable to parse requirement: values[0][a]: Invalid value: "${'a'.repeat(64)}": must be no more than 63 bytes`,
    ],
  ])('%j is refused in the words of kube-apiserver', (text, message) => {
    expect(labelSelectorRefusal(text)).toBe(message);
    expect(() => parseLabelSelector(text)).toThrow();
  });

  test.each(['', 'a', '!a', 'a in ()', 'a notin (b,)', 'a>1', 'a=,b!=', 'a in (,b,c)'])(
    '%j is valid',
    (text) => {
      expect(labelSelectorRefusal(text)).toBeUndefined();
      expect(() => parseLabelSelector(text)).not.toThrow();
    },
  );
});

describe('refusal of a field selector', () => {
  test.each([
    ['metadata.name===x', 'invalid field selector: unescaped character in value: 61'],
    ['metadata.name=a\\b', 'invalid field selector: invalid escape sequence: \\b'],
    ['metadata.name', "invalid selector: 'metadata.name'; can't understand 'metadata.name'"],
    [
      'a=b,metadata.name',
      "invalid selector: 'a=b,metadata.name'; can't understand 'metadata.name'",
    ],
  ])('%j is refused in the words of kube-apiserver', (text, message) => {
    expect(fieldSelectorRefusal(text)).toBe(message);
    expect(() => parseFieldSelector(text)).toThrow();
  });

  test.each(['', '=x', 'a=b\\,c', 'a!=b,c==d', 'a=\\\\'])('%j is valid', (text) => {
    expect(fieldSelectorRefusal(text)).toBeUndefined();
  });
});
