import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { POOLED_SLAB_BYTES } from './slab-pool.ts';

const program = fileURLToPath(new URL('slab-pool.test-program.ts', import.meta.url));

/** In a process of its own, because the fault that it looks for would end the finalizers of every other test. */
test('memory is reused after another pool was garbage-collected while its finalizers waited to run', async () => {
  const words = ['--conditions=@keelson/source', program];
  const { stdout } = await promisify(execFile)(process.execPath, words);
  expect(stdout).toBe(String(POOLED_SLAB_BYTES));
});
