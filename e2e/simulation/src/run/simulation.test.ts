import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));

/** Runs the command line in a process of its own, because a run replaces the timers of its process. */
function simulate(...words: readonly string[]): Promise<string> {
  const command = ['--conditions=@keelson/source', main, ...words];
  return new Promise((resolve) => {
    execFile(process.execPath, command, (error, stdout, stderr) =>
      resolve(`${stdout}${error === null ? '' : stderr}`),
    );
  });
}

test('every invariant holds in a sample of seeds', async () => {
  expect(await simulate('--seeds', '25', '--workers', '1')).toMatch(
    /^25 seeds in \d+ s, 0 failures$/m,
  );
});

test('a seed always gives the same run', async () => {
  const first = await simulate('--seed', '7', '--trace');
  expect(first).toContain('every invariant holds');
  expect(first.split('\n').length).toBeGreaterThan(20);
  expect(await simulate('--seed', '7', '--trace')).toBe(first);
});

test('a wrong option is refused by its name', async () => {
  expect(await simulate('--seeds', 'many')).toContain(
    '--seeds must be a positive integer, not many',
  );
});
