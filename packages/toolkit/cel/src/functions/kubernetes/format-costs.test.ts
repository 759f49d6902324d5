import { describe, expect, test } from '@jest/globals';
import { CelEnvironment } from '../../compile/cel-environment.ts';

/** Each format with the cost of a validation of 4 and of 25 characters, as Kubernetes' own packages 1.36.3 charge it. */
const costs: readonly (readonly [string, number, number])[] = [
  ['dns1123Label', 9, 25],
  ['dns1123Subdomain', 16, 46],
  ['dns1035Label', 9, 25],
  ['qualifiedName', 16, 46],
  ['dns1123LabelPrefix', 9, 25],
  ['dns1123SubdomainPrefix', 16, 46],
  ['dns1035LabelPrefix', 9, 25],
  ['labelValue', 11, 31],
  ['uri', 277, 829],
  ['uuid', 19, 55],
  ['byte', 22, 64],
  ['date', 19, 55],
  ['datetime', 19, 55],
];

function costOf(source: string): number {
  return new CelEnvironment().compile(source).evaluate().cost;
}

describe('a named format', () => {
  test.each(costs)('%s costs what kube-apiserver charges', (name, short, long) => {
    expect(
      [4, 25].map((size) => costOf(`format.${name}().validate('${'a'.repeat(size)}')`)),
    ).toEqual([short, long]);
  });

  test('costs the same when it is found by its name', () => {
    expect(costOf("format.named('date').value().validate('aaaa')")).toBe(20);
  });
});
