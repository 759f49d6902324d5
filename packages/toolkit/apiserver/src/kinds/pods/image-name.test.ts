import { describe, expect, test } from '@jest/globals';
import { pullPolicyOf } from './image-name.ts';

describe('the pull policy of an image', () => {
  // Recorded from kube-apiserver 1.36.3.
  test.each([
    ['<X>', 'IfNotPresent'],
    ['Bad Value!', 'IfNotPresent'],
    ['UPPER', 'IfNotPresent'],
    ['x/UPPER', 'IfNotPresent'],
    ['a.b/UPPER', 'IfNotPresent'],
    ['a:latest', 'Always'],
    ['a:LATEST', 'IfNotPresent'],
    ['a:1', 'IfNotPresent'],
    ['localhost/a', 'Always'],
    ['Host/a', 'Always'],
    ['host:5000/a', 'Always'],
    ['a@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'IfNotPresent'],
    ['a:latest@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'Always'],
    ['a@sha256:abc', 'IfNotPresent'],
    ['aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'IfNotPresent'],
    ['a//b', 'IfNotPresent'],
    ['a__b', 'Always'],
    ['a..b', 'IfNotPresent'],
    ['[::1]:5000/a', 'Always'],
    ['a:', 'IfNotPresent'],
  ])('of %j is %s', (image, policy) => {
    expect(pullPolicyOf(image)).toBe(policy);
  });
});
