import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { variants } from './variants.ts';

const MAX_SEEDS = 6_000;
/** With `KEELSON_SAMPLE=8`, every eighth variant runs; another day begins at another one. */
const sample = Number(process.env['KEELSON_SAMPLE'] ?? 1);
const day = Math.floor(Date.now() / 86_400_000);
const chosen = variants.filter((_, index) => (index + day) % sample === 0);
const program = fileURLToPath(new URL('./run-variant.ts', import.meta.url));

/** Runs a variant in a process of its own. Rejects if its target is gone. */
function findViolation(name: string): Promise<{ invariant?: string }> {
  const command = ['--conditions=@keelson/source', program, name, String(MAX_SEEDS)];
  // It changes sources, which it cannot in the bundles of the tests.
  const { NODE_OPTIONS: _options, ...env } = process.env;
  return new Promise((resolve, reject) => {
    execFile(process.execPath, command, { env }, (error, stdout) => {
      if (error === null) resolve(JSON.parse(stdout) as { invariant?: string });
      else reject(error);
    });
  });
}

describe('the simulation', () => {
  test.each(chosen)('finds that $name', async ({ name, breaks }) => {
    const { invariant } = await findViolation(name);
    expect(breaks).toContain(invariant);
  });
});
