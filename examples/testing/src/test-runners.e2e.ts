import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';

const workspace = dirname(fileURLToPath(new URL('.', import.meta.url)));
const vitest = join(
  dirname(fileURLToPath(import.meta.resolve('vitest/package.json'))),
  'vitest.mjs',
);
const generous = 60_000;

async function run(args: readonly string[]): Promise<string> {
  const env = { ...process.env, NO_COLOR: '1' };
  const { stdout } = await promisify(execFile)(process.execPath, [...args], {
    cwd: workspace,
    env,
  });
  return stdout;
}

describe.each(['greeter', 'virtual-time'])('the test %s', (name) => {
  test(
    'works in node:test',
    async () => {
      const output = await run([
        '--conditions=@keelson/source',
        '--test',
        `src/${name}.node-test.ts`,
      ]);
      expect(output).toMatch(/\bpass 1\n/);
      expect(output).toMatch(/\bfail 0\n/);
    },
    generous,
  );

  test(
    'works in Vitest',
    async () => {
      const output = await run([vitest, 'run', `src/${name}.vitest.ts`]);
      expect(output).toMatch(/Tests +1 passed \(1\)/);
    },
    generous,
  );
});
