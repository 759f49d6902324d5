import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { runInProject } from '../testing/run-in-project.test-support.ts';
import { TemporaryFolder } from '../testing/temporary-folder.test-support.ts';

const program = fileURLToPath(new URL('bin.ts', import.meta.url));

test('the process of create-keelson writes a project below the working directory', async () => {
  await using temporary = await TemporaryFolder.create();
  const words = ['order-operator', '--group', 'sales.example', '--kind', 'Order'];
  const output = await runInProject(temporary.path, program, ...words);
  expect(output).toMatch(/^ {2}cd order-operator$/m);
  expect(await readdir(join(temporary.path, 'order-operator'))).toContain('package.json');
  await expect(runInProject(temporary.path, program, ...words)).rejects.toThrow('FOLDER_NOT_EMPTY');
});
