import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';

const example = fileURLToPath(new URL('..', import.meta.url));

test('the tests of the guide pass in node:test', async () => {
  const { KUBEBUILDER_ASSETS: _assets, ...env } = process.env;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--conditions=@keelson/source', '--test', 'src/first-test.node-test.ts'],
    { cwd: example, env: { ...env, NO_COLOR: '1' } },
  );
  expect(stdout).toMatch(/\bpass 2\n/);
});
