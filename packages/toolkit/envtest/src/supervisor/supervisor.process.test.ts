import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';

/** A process that has ended stays a zombie until its new parent collects it, so zombies do not count as running. */
async function isRunning(pid: number): Promise<boolean> {
  const command = 'ps -o stat= -p "$1" || true';
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', command, 'ps', String(pid)]);
  return stdout.trim() !== '' && !stdout.startsWith('Z');
}

describe('Supervisor', () => {
  test('a supervisor that cannot run is reported at once', async () => {
    const program = fileURLToPath(new URL('broken-supervisor.test-support.ts', import.meta.url));
    const words = ['--conditions=@keelson/source', program];
    const { stdout } = await promisify(execFile)(process.execPath, words);
    expect(stdout).toMatch(/\(process=supervisor, reason=code 9\)/);
    expect(stdout).toContain('nothing is left');
  });

  (process.platform === 'linux' ? test : test.skip)(
    'a paused process has stopped with all its threads',
    async () => {
      const program = fileURLToPath(new URL('paused-threads.test-support.ts', import.meta.url));
      const words = ['--conditions=@keelson/source', program];
      const { stdout } = await promisify(execFile)(process.execPath, words);
      expect(JSON.parse(stdout)).toEqual(['T', 'T', 'T', 'T', 'T']);
    },
  );

  test('a killed supervisor leaves no process and no folder', async () => {
    const program = fileURLToPath(new URL('killed-supervisor.test-support.ts', import.meta.url));
    const words = ['--conditions=@keelson/source', program];
    const parent = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = (await once(createInterface(parent.stdout), 'line')) as [string];
    const started = JSON.parse(line) as { pid: number; supervisorPid: number; folder: string };
    process.kill(started.supervisorPid, 'SIGKILL');
    // The reaper has inherited this pipe, so the pipe closes when the reaper has ended.
    await once(parent, 'close');
    expect(await isRunning(started.pid)).toBe(false);
    expect(existsSync(started.folder)).toBe(false);
  });
});
