import { describe, expect, test } from '@jest/globals';
import type { Job } from '../objects/kinds.ts';
import { indexedPod } from './indexed-pod.ts';

const jobOf = (name: string): Job => ({
  metadata: { namespace: 'default', name, uid: '1', resourceVersion: '1', creationTimestamp: '' },
});

describe('the name of a Pod of an indexed Job', () => {
  test('has the index', () => {
    expect(indexedPod(jobOf('sum'), {}, 3).generateName).toBe('sum-3-');
  });

  test('has the index after the start of a long name', () => {
    const { generateName, spec } = indexedPod(jobOf('j'.repeat(60)), {}, 12);
    expect(generateName).toBe(`${'j'.repeat(54)}-12-`);
    expect(spec.hostname).toBe(`${'j'.repeat(60)}-12`);
  });
});
