import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { canonicalQuantity, compareQuantities } from './quantity.ts';

describe('canonicalQuantity', () => {
  test.each([
    ['1', '1'],
    ['1000m', '1'],
    ['0.5', '500m'],
    ['.5', '500m'],
    ['1.', '1'],
    ['1024Mi', '1Gi'],
    ['1.5Gi', '1536Mi'],
    ['0.5Ki', '512'],
    ['0.1Ki', '102400m'],
    ['1000M', '1G'],
    ['1500', '1500'],
    ['1000', '1k'],
    ['0', '0'],
    ['0Mi', '0'],
    ['-1000m', '-1'],
    ['1e3', '1e3'],
    ['1000e-3', '1'],
    ['100n', '100n'],
    // As in kube-apiserver, the digits may be missing.
    ['Mi', '0'],
    ['-', '0'],
    ['.m', '0'],
    ['9Ei', '9223372036854775807'],
  ])('%s is kept as %s', (text, canonical) => {
    expect(canonicalQuantity(text)).toBe(canonical);
  });

  test.each(['', 'x', '1x', '1 Mi', '--1', '1.2.3', 'mi', '1KI'])('rejects %j', (text) => {
    expect(canonicalQuantity(text)).toBeUndefined();
  });

  test.each([
    ['1e10001', undefined],
    ['1e999999999', undefined],
    ['1e-999999999', '1e-9'],
    ['0e-999999999', '0'],
  ])('%s is computed without writing out its digits', (text, canonical) => {
    expect(canonicalQuantity(text)).toBe(canonical);
  });

  /** Quadratic work on so many characters exceeds the time limit of the test. */
  test('rejects a long invalid quantity in linear time', () => {
    expect(canonicalQuantity(`${'1'.repeat(3_000_000)}x`)).toBeUndefined();
  });

  test('law: the canonical form is canonical and equal', () => {
    const suffix = fc.constantFrom('', 'n', 'u', 'm', 'k', 'M', 'G', 'Ki', 'Mi', 'Gi', 'e3', 'E-2');
    fc.assert(
      fc.property(fc.integer(), suffix, (number, unit) => {
        const canonical = canonicalQuantity(`${number}${unit}`) ?? '';
        expect(canonicalQuantity(canonical)).toBe(canonical);
        expect(compareQuantities(canonical, `${number}${unit}`)).toBe(0);
      }),
    );
  });
});
