import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { variants } from './variants.ts';

const MAX_SEEDS = 6_000;
const program = fileURLToPath(new URL('./run-variant.ts', import.meta.url));

/** Runs a variant in a process of its own. Rejects if its target is gone. */
function findViolation(name: string): Promise<{ invariant?: string }> {
  const command = ['--conditions=@keelson/source', program, name, String(MAX_SEEDS)];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, command, (error, stdout) => {
      if (error === null) resolve(JSON.parse(stdout) as { invariant?: string });
      else reject(error);
    });
  });
}

describe('the simulation', () => {
  test.each(variants)('finds that $name', async ({ name, breaks }) => {
    const { invariant } = await findViolation(name);
    expect(breaks).toContain(invariant);
  });
});
