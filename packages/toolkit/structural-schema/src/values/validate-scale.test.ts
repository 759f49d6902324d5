import { describe, expect, test } from '@jest/globals';
import { validateScale } from './validate-scale.ts';

const paths = {
  specReplicasPath: '.spec.replicas',
  statusReplicasPath: '.status.replicas',
};

describe('validateScale', () => {
  test.each([
    [{ spec: { replicas: 3 }, status: { replicas: 0 } }, []],
    [{}, []],
    [{ spec: null }, []],
    [
      { spec: { replicas: null } },
      [
        '.spec.replicas: Invalid value: 0: .spec.replicas accessor error: <nil> is of the type <nil>, expected int64',
      ],
    ],
    [
      { status: { replicas: -1 } },
      ['.status.replicas: Invalid value: -1: should be a non-negative integer'],
    ],
    [
      { spec: { replicas: 2 ** 31 } },
      ['.spec.replicas: Invalid value: 2147483648: should be less than or equal to 2147483647'],
    ],
    [
      { spec: { replicas: { b: [1, 'x', null], a: {} } } },
      [
        '.spec.replicas: Invalid value: 0: .spec.replicas accessor error: map[a:map[] b:[1 x <nil>]] is of the type map[string]interface {}, expected int64',
      ],
    ],
    [
      { spec: { replicas: '5' } },
      [
        '.spec.replicas: Invalid value: 0: .spec.replicas accessor error: 5 is of the type string, expected int64',
      ],
    ],
    [
      { spec: 7 },
      [
        '.spec.replicas: Invalid value: 0: .spec.replicas accessor error: 7 is of the type int64, expected map[string]interface{}',
      ],
    ],
  ])('of %j returns the causes %j', (object, expected) => {
    const causes = validateScale(object, paths);
    expect(causes.map(({ field, message }) => `${field}: ${message}`)).toEqual(expected);
  });

  test.each(['constructor', '__proto__'])('%s, which every object inherits, is missing', (name) => {
    const own = { specReplicasPath: `.spec.${name}`, statusReplicasPath: `.${name}.replicas` };
    expect(validateScale({ spec: {} }, { ...own, labelSelectorPath: `.status.${name}` })).toEqual(
      [],
    );
  });

  // Recorded from kube-apiserver 1.36.3.
  test('rejects a selector that is not a string', () => {
    const object = { spec: { replicas: 'three', selector: 5 } };
    const causes = validateScale(object, { ...paths, labelSelectorPath: '.spec.selector' });
    expect(causes.map(({ field, message }) => `${field}: ${message}`)).toEqual([
      '.spec.replicas: Invalid value: 0: .spec.replicas accessor error: three is of the type string, expected int64',
      '.spec.selector: Invalid value: "": .spec.selector accessor error: 5 is of the type int64, expected string',
    ]);
  });
});
