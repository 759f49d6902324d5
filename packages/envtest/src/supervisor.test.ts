import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, jest, test } from '@jest/globals';

/** Processes of their own take long to start on a busy machine. */
jest.setTimeout(60_000);

describe('Supervisor', () => {
  test('one that cannot run says so instead of being waited for', async () => {
    const program = fileURLToPath(new URL('broken-supervisor.test-support.ts', import.meta.url));
    const words = ['--conditions=@keelson/source', program];
    const { stdout } = await promisify(execFile)(process.execPath, words);
    expect(stdout).toMatch(/\(process=supervisor, reason=code 9\)/);
    expect(stdout).toContain('nothing is left');
  });
});
