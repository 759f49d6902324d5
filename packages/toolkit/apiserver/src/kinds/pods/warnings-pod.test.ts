import { expect, test } from '@jest/globals';
import { podWarnings } from './warnings-pod.ts';

// The texts of kube-apiserver 1.36.3.
test('a pod warns about deprecated labels and annotations that it uses', () => {
  const pod = {
    metadata: { annotations: { 'security.alpha.kubernetes.io/sysctls': 'a=b', other: '' } },
    spec: {
      nodeSelector: { 'beta.kubernetes.io/os': 'linux', 'kubernetes.io/os': 'linux' },
      topologySpreadConstraints: [
        { topologyKey: 'failure-domain.beta.kubernetes.io/zone', labelSelector: {} },
      ],
    },
  };
  expect(podWarnings(pod, '')).toEqual([
    'spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead',
    'spec.topologySpreadConstraints[0].topologyKey: failure-domain.beta.kubernetes.io/zone is deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
    'metadata.annotations[security.alpha.kubernetes.io/sysctls]: non-functional in v1.11+; use the "sysctls" field instead',
  ]);
});
