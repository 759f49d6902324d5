import { describe, expect, test } from '@jest/globals';
import type { JsonObject } from '../json/json-value.ts';
import { validateEmbedded } from './validate-embedded.ts';

function causesOf(object: JsonObject): string[] {
  const pod = { apiVersion: 'v1', kind: 'Pod', ...object };
  return validateEmbedded({ 'x-kubernetes-embedded-resource': true }, pod, 'at').map(
    ({ field, message }) => `${field}: ${message}`,
  );
}

// The causes are those of kube-apiserver 1.36.3.
describe('validateEmbedded', () => {
  const manager = { manager: 'm', operation: 'Apply', fieldsType: 'FieldsV1' };

  test.each<[JsonObject, string | RegExp]>([
    [{ namespace: 'A_b' }, /namespace: Invalid value: "A_b": a lowercase RFC 1123 label/],
    [{ generation: -1 }, 'generation: Invalid value: -1: must be greater than or equal to 0'],
    [
      { finalizers: ['foregroundDeletion', 'orphan'] },
      'finalizers: Invalid value: ["foregroundDeletion","orphan"]: finalizer orphan and foregroundDeletion cannot be both set',
    ],
    [
      { managedFields: [manager, { manager: 'x' }] },
      'managedFields[1].operation: Invalid value: "": must be `Apply` or `Update`',
    ],
    [
      { managedFields: [{ ...manager, fieldsType: 'x' }] },
      'managedFields[0].fieldsType: Invalid value: "x": must be `FieldsV1`',
    ],
    [
      { managedFields: [{ ...manager, manager: 'x'.repeat(129) }] },
      'managedFields[0].manager: Too long: may not be more than 128 bytes',
    ],
    [
      { managedFields: [{ ...manager, manager: 'é\n' }] },
      'managedFields[0].manager: Invalid value: "é\\n": invalid character U+000A (at position 2)',
    ],
    [
      { managedFields: [{ ...manager, subresource: 'x'.repeat(257) }] },
      'managedFields[0].subresource: Too long: may not be more than 256 bytes',
    ],
  ])('refuses the metadata %j', (metadata, cause) => {
    const causes = causesOf({ metadata });
    expect(causes).toHaveLength(1);
    if (typeof cause === 'string') expect(causes).toEqual([`at.metadata.${cause}`]);
    else expect(causes[0]).toMatch(cause);
  });

  test('accepts metadata that the server would set itself', () => {
    const metadata = { namespace: 'a', generation: 5, managedFields: [manager], uid: 'u' };
    expect(causesOf({ metadata })).toEqual([]);
    expect(causesOf({ metadata: { finalizers: ['orphan'] } })).toEqual([]);
  });

  test('accepts a kind and an annotation that are valid after the conversion to lower case in Go', () => {
    expect(causesOf({ kind: '\u0130' })).toEqual([]);
    expect(causesOf({ metadata: { annotations: { '\u0130': '' } } })).toEqual([]);
  });
});
