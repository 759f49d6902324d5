import { describe, expect, test } from '@jest/globals';
import { readCustomKind } from './custom-kind.ts';

function definition(change: (spec: Record<string, unknown>) => void = () => undefined): object {
  const spec: Record<string, unknown> = {
    group: 'shop.example',
    names: { kind: 'Widget', plural: 'widgets' },
    scope: 'Namespaced',
    versions: [{ name: 'v1', served: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  };
  change(spec);
  const metadata = { name: 'widgets.shop.example' };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata,
    spec,
  };
}

describe('readCustomKind', () => {
  test('returns the names, the scope and the served versions', () => {
    expect(readCustomKind(definition())).toEqual({
      group: 'shop.example',
      kind: 'Widget',
      plural: 'widgets',
      scope: 'Namespaced',
      versions: [{ name: 'v1', deprecation: undefined, schema: { type: 'object' } }],
    });
  });

  test.each<[string, (spec: Record<string, unknown>) => void]>([
    ['spec.group', (spec) => (spec['group'] = '../..')],
    ['spec.group', (spec) => (spec['group'] = 3)],
    ['spec.names.kind', (spec) => (spec['names'] = { kind: 'my-widget', plural: 'widgets' })],
    ['spec.names.plural', (spec) => (spec['names'] = { kind: 'Widget', plural: '../widgets' })],
    ['spec.names.kind', (spec) => (spec['names'] = null)],
    ['spec.scope', (spec) => (spec['scope'] = 'namespaced')],
    ['spec.versions', (spec) => (spec['versions'] = [])],
    ['spec.versions[0]', (spec) => (spec['versions'] = ['v1'])],
    ['spec.versions[0].name', (spec) => (spec['versions'] = [{ name: 'v/1' }])],
    ['spec.versions[1].name', (spec) => (spec['versions'] = [{ name: 'v1' }, { name: 'v1' }])],
  ])('refuses a definition with an invalid %s', (path, change) => {
    expect(() => readCustomKind(definition(change))).toThrow(
      expect.objectContaining({
        code: 'DEFINITION_INVALID',
        facts: expect.objectContaining({ definition: 'widgets.shop.example', path }),
      }),
    );
  });

  test.each([undefined, null, 'text', [], {}, { ...definition(), kind: 'Pod' }])(
    'refuses %j, which is not a definition',
    (value) => {
      expect(() => readCustomKind(value)).toThrow(
        expect.objectContaining({ code: 'DEFINITION_INVALID' }),
      );
    },
  );

  test('refuses a definition of v1beta1, which no server has since Kubernetes 1.22', () => {
    const old = { ...definition(), apiVersion: 'apiextensions.k8s.io/v1beta1' };
    expect(() => readCustomKind(old)).toThrow(/path=apiVersion/);
  });
});
