import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createProject, type Choices, type Variant } from './index.ts';
import { runInProject } from './testing/run-in-project.test-support.ts';
import { TemporaryFolder } from './testing/temporary-folder.test-support.ts';

const variants = ['plain', 'webhook', 'external', 'dynamic'] as const satisfies Variant[];
const choices: Choices = {
  name: 'order-operator',
  group: 'sales.example',
  kind: 'Order',
  plural: 'orders',
  variant: 'plain',
};

describe('the promises about processes', () => {
  let temporary: TemporaryFolder;

  beforeEach(async () => {
    temporary = await TemporaryFolder.create();
  });

  afterEach(() => temporary[Symbol.asyncDispose]());

  test('A project has at most 15 files, and its tests pass at once, without a cluster.', async () => {
    for (const variant of variants) {
      const project = join(temporary.path, variant);
      const { files } = await createProject({ ...choices, variant }, project);
      expect(files.length).toBeLessThanOrEqual(15);
      expect(await runInProject(project, '--test')).toMatch(/\bfail 0\n/);
    }
  });
});
