import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { TestFolder } from './test-folder.ts';

test('the folder of a suite takes the processes that it left with it, and no others', async () => {
  const wait = ['-e', 'setInterval(() => undefined, 1000)', '--'];
  const folder = await TestFolder.create();
  const left = spawn(process.execPath, [...wait, `--cert-dir=${folder.path}/certs`], {
    detached: true,
  });
  const other = spawn(process.execPath, [...wait, `${folder.path}-of-another`]);
  const ended = once(left, 'exit');
  await Promise.all([once(left, 'spawn'), once(other, 'spawn')]);
  await folder[Symbol.asyncDispose]();
  await ended;
  expect(left.signalCode).toBe('SIGKILL');
  expect(existsSync(folder.path)).toBe(false);
  expect([other.exitCode, other.signalCode]).toEqual([null, null]);
  other.kill('SIGKILL');
  await once(other, 'exit');
});
