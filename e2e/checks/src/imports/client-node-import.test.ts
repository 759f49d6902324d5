import { describe, expect, test } from '@jest/globals';

import { findClientNodeLoads } from './client-node-import.ts';
import { parseModule } from '../sources/source-module.ts';

function loads(path: string, text: string): boolean {
  return findClientNodeLoads([parseModule({ path, text })]).includes(path);
}

describe('findClientNodeLoads', () => {
  test.each([
    [
      'packages/runtime/client/src/cluster/kubeconfig/client-node.ts',
      `await import('@kubernetes/client-node');`,
    ],
    [
      'packages/runtime/client/src/cluster/kubeconfig/kubeconfig.test.ts',
      `import { KubeConfig } from '@kubernetes/client-node';`,
    ],
    [
      'packages/runtime/client/src/a.ts',
      `import type { KubeConfig } from '@kubernetes/client-node';`,
    ],
    ['packages/runtime/manager/src/a.ts', `type C = import('@kubernetes/client-node').KubeConfig;`],
    ['e2e/bench/src/a.ts', `import { makeInformer } from '@kubernetes/client-node';`],
  ])('permits in %s: %p', (path, text) => {
    expect(loads(path, text)).toBe(false);
  });

  test.each([
    ['packages/runtime/client/src/a.ts', `import { KubeConfig } from '@kubernetes/client-node';`],
    [
      'packages/runtime/client/src/a.ts',
      `import { type KubeConfig } from '@kubernetes/client-node';`,
    ],
    [
      'packages/runtime/client/src/a.ts',
      `export const load = () => import('@kubernetes/client-node');`,
    ],
    [
      'packages/runtime/client/src/a.ts',
      `export { KubeConfig } from '@kubernetes/client-node/dist/config.js';`,
    ],
    [
      'packages/runtime/manager/src/a.test.ts',
      `import { CoreV1Api } from '@kubernetes/client-node';`,
    ],
    ['packages/runtime/manager/bench/a.ts', `const k8s = require('@kubernetes/client-node');`],
  ])('reports in %s: %p', (path, text) => {
    expect(loads(path, text)).toBe(true);
  });
});
