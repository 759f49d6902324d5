import { describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createClient } from '@keelson/client';
import { createTestEnvironment } from '@keelson/envtest';
import { bytesPerPod, createPods, podToCreate } from './real-pods.ts';

describe('the pods of the cases against a real API server', () => {
  test('are created, each once, and every step is reported', async () => {
    await using environment = await createTestEnvironment({ use: 'memory' });
    await using client = createClient({ cluster: environment.admin.cluster });
    const lines: string[] = [];
    await createPods(client, 60, (line) => lines.push(line));
    const { items } = await client.list(builtin.Pod);
    expect(new Set(items.map(({ metadata }) => metadata.name)).size).toBe(60);
    expect(lines).toEqual([expect.stringMatching(/^created 60 of 60 pods, \d+ a second$/)]);
    expect(await bytesPerPod(client)).toBeGreaterThan(2000);
  });

  test('are bound to a node and hold nothing that the server adds', () => {
    const { metadata, spec } = podToCreate(7);
    expect(spec?.nodeName).toMatch(/^node-/);
    expect(spec?.volumes?.map(({ name }) => name)).toEqual(['config', 'tmp']);
    expect(Object.keys(metadata ?? {})).toEqual([
      'name',
      'generateName',
      'namespace',
      'labels',
      'annotations',
      'ownerReferences',
    ]);
  });
});
