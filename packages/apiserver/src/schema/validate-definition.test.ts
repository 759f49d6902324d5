import { describe, expect, test } from '@jest/globals';
import { schemaOf } from './recorded.test-support.ts';

/** The causes for which a definition is refused whose `spec` has this schema. */
function causesOf(spec: object): (string | undefined)[] {
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'gizmos.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'gizmos', singular: 'gizmo', kind: 'Gizmo', listKind: 'GizmoList' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
        },
      ],
    },
  };
  const schema = schemaOf(definition);
  return schema.validate(definition).map(({ field, message }) => `${field}: ${message}`);
}

describe('validate of a definition', () => {
  test('an object inside an object names its members, or may have any', () => {
    const embedded = { type: 'object', 'x-kubernetes-embedded-resource': true };
    expect(causesOf(embedded)).toEqual([
      expect.stringMatching(/properties\[spec\]\.properties: Required value: must not be empty if/),
    ]);
    expect(causesOf({ ...embedded, properties: { spec: { type: 'object' } } })).toEqual([]);
    expect(causesOf({ ...embedded, 'x-kubernetes-preserve-unknown-fields': true })).toEqual([]);
  });
});
