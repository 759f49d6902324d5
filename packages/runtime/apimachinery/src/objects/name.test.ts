import { describe, expect, test } from '@jest/globals';

import {
  checkName,
  checkNamespace,
  isDnsLabel,
  isDnsSubdomain,
  labelKeyProblem,
  labelValueProblem,
  objectNameProblem,
} from './name.ts';

describe('names', () => {
  test.each(['a', 'web-1', '0', 'a'.repeat(63)])('%p is a DNS label', (text) => {
    expect(isDnsLabel(text)).toBe(true);
    expect(isDnsSubdomain(text)).toBe(true);
  });

  test.each(['', '-a', 'a-', 'A', 'a_b', 'a/b', 'ü', 'a b', 'a'.repeat(64), 'a\n'])(
    '%p is not a DNS label',
    (text) => {
      expect(isDnsLabel(text)).toBe(false);
    },
  );

  test('a subdomain consists of labels between dots, up to 253 characters', () => {
    expect(isDnsSubdomain('apps.example.com')).toBe(true);
    expect(isDnsSubdomain('a'.repeat(253))).toBe(true);
    expect(isDnsSubdomain('a'.repeat(254))).toBe(false);
    expect(isDnsSubdomain('a..b')).toBe(false);
    expect(isDnsSubdomain('.a')).toBe(false);
  });

  test('checks refuse an invalid name with its value', () => {
    expect(() => checkNamespace('a.b')).toThrow(
      expect.objectContaining({
        code: 'INVALID_NAME',
        facts: { what: 'namespace', value: 'a.b', reason: 'must be a DNS-1123 label' },
      }),
    );
    expect(() => checkName('../pods')).toThrow(expect.objectContaining({ code: 'INVALID_NAME' }));
    expect(() => checkName('a.b')).not.toThrow();
    expect(() => checkNamespace('default')).not.toThrow();
  });
});

describe('the name of an object of any kind', () => {
  test.each(['a', '0', 'web-1.example', 'a..b-', '-a', '.a', 'A_b', 'system:node', 'ü', '…', '`{'])(
    '%p is valid',
    (name) => {
      expect(objectNameProblem(name)).toBeUndefined();
    },
  );

  test.each(['', '.', '..', 'a/b', '/', 'a%', 'a\n', '\u007f', 'a\ud800', 'a'.repeat(254)])(
    '%p is not valid',
    (name) => {
      expect(objectNameProblem(name)).toMatch(/^must /);
    },
  );

  test('has up to 253 characters', () => {
    expect(objectNameProblem('a'.repeat(253))).toBeUndefined();
  });
});

describe('labels', () => {
  test.each(['app', 'app.kubernetes.io/name', 'A_b.c-d', 'a'.repeat(63)])('%p is a key', (key) => {
    expect(labelKeyProblem(key)).toBeUndefined();
  });

  test.each(['', '/a', 'a/', 'a/b/c', 'Prefix/a', '-a', 'a'.repeat(64), `${'a'.repeat(254)}/a`])(
    '%p is not a key',
    (key) => {
      expect(labelKeyProblem(key)).toEqual(expect.any(String));
    },
  );

  test('a value is empty or has the form of a name, up to 63 characters', () => {
    expect(labelValueProblem('')).toBeUndefined();
    expect(labelValueProblem('V1.2_3')).toBeUndefined();
    expect(labelValueProblem('a'.repeat(63))).toBeUndefined();
    expect(labelValueProblem('a'.repeat(64))).toEqual(expect.any(String));
    expect(labelValueProblem('a/b')).toEqual(expect.any(String));
    expect(labelValueProblem('_a')).toEqual(expect.any(String));
  });
});
