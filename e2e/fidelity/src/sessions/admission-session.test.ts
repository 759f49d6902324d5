import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { admissionSession, readAdmissionParts } from './admission-session.ts';
import { readSessionKinds } from './session-kind.ts';

const plurals = [
  'mutatingadmissionpolicies',
  'mutatingwebhookconfigurations',
  'validatingadmissionpolicies',
  'validatingwebhookconfigurations',
];

describe('admission sessions', () => {
  test('are equal for equal seeds and differ for different seeds', async () => {
    const sessions = admissionSession(await readSessionKinds(), await readAdmissionParts());
    const sample = (seed: number): unknown => fc.sample(sessions, { seed, numRuns: 3 });
    expect(sample(1)).toEqual(sample(1));
    expect(sample(1)).not.toEqual(sample(2));
  });

  test('write, delete and at the end remove every kind of configuration', async () => {
    const sessions = admissionSession(await readSessionKinds(), await readAdmissionParts());
    const samples = fc.sample(sessions, { seed: 5, numRuns: 50 });
    const requests = samples.flat().map(({ request }) => request.split('?', 1)[0]);
    for (const plural of plurals) {
      const path = `/apis/admissionregistration.k8s.io/v1/${plural}/\${ns}`;
      expect(requests).toEqual(expect.arrayContaining([`PATCH ${path}`, `DELETE ${path}`]));
    }
    for (const steps of samples) {
      const last = steps.slice(-6).map(({ request }) => request.split(/[ /]/).at(-2));
      expect(last).toEqual(expect.arrayContaining(plurals));
    }
  });

  test('probe each change before the next request', async () => {
    const sessions = admissionSession(await readSessionKinds(), await readAdmissionParts());
    for (const steps of fc.sample(sessions, { seed: 6, numRuns: 20 })) {
      const written = steps.filter(({ request }) => request.includes('fieldManager=session'));
      for (const { name, body } of written) {
        const rest = steps.slice(Number(name));
        const probe = rest.find(({ request }) => !request.includes('bindings'));
        const isBinding = JSON.stringify(body).includes('policyName');
        if (!isBinding) expect(JSON.stringify(body)).toContain(probe?.untilBody);
      }
    }
  });
});
