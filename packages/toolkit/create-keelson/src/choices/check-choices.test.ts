import { describe, expect, test } from '@jest/globals';
import { pluralOf, type Choices } from './choices.ts';
import { checkChoices } from './check-choices.ts';

const choices: Choices = {
  name: 'order-operator',
  group: 'sales.example',
  kind: 'Order',
  plural: 'orders',
  variant: 'plain',
};

describe('checkChoices', () => {
  test.each([
    {},
    { name: 'a' },
    { name: 'website' },
    { group: '3scale.net' },
    { kind: 'HTTPRoute2' },
    { plural: 'order-items' },
    { variant: 'dynamic' },
  ] as const)('accepts %j', (change) => {
    expect(() => checkChoices({ ...choices, ...change })).not.toThrow();
  });

  test.each([
    ['name', ''],
    ['name', 'Order'],
    ['name', '1st'],
    ['name', 'a.b'],
    ['name', 'a'.repeat(64)],
    ['name', 'kube-orders'],
    ['name', 'typescript'],
    ['name', 'true'],
    ['group', 'shop'],
    ['group', 'Shop.example'],
    ['group', '1.5'],
    ['group', '1.5e3'],
    ['group', 'batch.k8s.io'],
    ['group', 'kubernetes.io'],
    ['group', `${'a.'.repeat(123)}example`],
    ['kind', 'order'],
    ['kind', 'Order-Item'],
    ['kind', 'Ordér'],
    ['kind', `O${'r'.repeat(63)}`],
    ['kind', 'Promise'],
    ['kind', 'Manager'],
    ['kind', 'BucketStore'],
    ['kind', 'Operator'],
    ['kind', 'Null'],
    ['plural', 'Orders'],
    ['plural', 'null'],
    ['plural', 'status'],
    ['plural', 'namespaces'],
    ['variant', 'other'],
    ['variant', 'toString'],
    ['variant', undefined],
  ])('refuses %s %j', (choice, value) => {
    expect(() => checkChoices({ ...choices, [choice]: value })).toThrow(
      expect.objectContaining({
        code: 'CHOICE_INVALID',
        facts: { choice, value, reason: expect.any(String) },
      }),
    );
  });
});

describe('pluralOf', () => {
  test.each([
    ['Order', 'orders'],
    ['Policy', 'policies'],
    ['Gateway', 'gateways'],
    ['Ingress', 'ingresses'],
    ['Box', 'boxes'],
    ['Batch', 'batches'],
    ['Mesh', 'meshes'],
    ['Quiz', 'quizes'],
  ])('of %s is %s', (kind, plural) => {
    expect(pluralOf(kind)).toBe(plural);
  });
});
