import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
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

test('the process of create-keelson names the version that it needs to an older Node.js', async () => {
  await using temporary = await TemporaryFolder.create();
  const older =
    'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.20.2" } })';
  const options = ['--import', `data:text/javascript,${encodeURIComponent(older)}`];
  const file = fileURLToPath(new URL('../../bin/create-keelson.js', import.meta.url));
  await expect(runInProject(temporary.path, ...options, file, '--help')).rejects.toThrow(
    'error: create-keelson needs Node.js 22.19 or newer, and this is 20.20.2',
  );
});

test('the process of create-keelson ends quietly if the reader of its output closes early, as head does', async () => {
  await using temporary = await TemporaryFolder.create();
  const words = ['order-operator', '--group', 'sales.example', '--kind', 'Order'];
  const options = ['--conditions=@keelson/source', program];
  const child = spawn(process.execPath, [...options, ...words], { cwd: temporary.path });
  child.stdout.destroy();
  const [err, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  expect({ err, code }).toEqual({ err: '', code: 0 });
  expect(await readdir(join(temporary.path, 'order-operator'))).toContain('package.json');
});
