import { describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { inOrder, placeOf } from './kind-order.ts';

const kindsOf = (group: string): (typeof builtin.MutatingAdmissionPolicy)['kind'][] =>
  Object.values(builtin)
    .filter((resource) => resource.group === group)
    .map(({ kind }) => kind);

describe('the order of kinds', () => {
  test.each(kindsOf('admissionregistration.k8s.io'))(
    'puts %s, on which the writes of other objects depend, behind the workloads',
    (kind) => {
      const place = placeOf({ group: 'admissionregistration.k8s.io', kind });
      expect(place).toBeGreaterThan(placeOf(builtin.Deployment));
    },
  );

  test('puts the binding of a policy behind the policy', () => {
    const group = 'admissionregistration.k8s.io';
    for (const kind of ['MutatingAdmissionPolicy', 'ValidatingAdmissionPolicy']) {
      const binding = { resource: { group, kind: `${kind}Binding` } };
      const policy = { resource: { group, kind } };
      expect(inOrder([binding, policy])).toEqual([[policy], [binding]]);
    }
  });
});
