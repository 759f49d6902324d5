import { describe, expect, test } from '@jest/globals';
import type { ProgramStarted } from './program-preload.ts';
import { ProgramProcess } from './program-process.ts';
import { ScriptedProgramFolder } from './scripted-program.test-support.ts';

const unused = (): void => undefined;

function start(
  folder: string,
  options: Partial<ConstructorParameters<typeof ProgramProcess>[0]> = {},
): ProgramProcess {
  const defaults = { folder, main: 'main.mjs', args: [], env: process.env, onStarted: unused };
  return new ProgramProcess({ ...defaults, ...options });
}

describe('ProgramProcess', () => {
  test('passes arguments, environment and folder, and reports the exit code', async () => {
    await using files = await ScriptedProgramFolder.create(`
      const { KUBECONFIG } = process.env;
      await report(JSON.stringify([process.argv.slice(2), KUBECONFIG, process.cwd()]));
      process.exit(3);`);
    const env = { ...process.env, KUBECONFIG: '/some/file' };
    const program = start(files.folder, { args: ['--level', 'a b'], env });
    const connected = await files.connected();
    const [args, kubeconfig, folder] = JSON.parse((await connected.next()) ?? '') as unknown[];
    expect({ args, kubeconfig }).toEqual({ args: ['--level', 'a b'], kubeconfig: '/some/file' });
    expect(String(folder).endsWith(files.folder)).toBe(true);
    expect(await program.ended).toEqual({ code: 3 });
  });

  test('reports the address of the inspector before the program loads', async () => {
    await using files = await ScriptedProgramFolder.create(`
      import { url } from 'node:inspector';
      await report(url());
      process.exit();`);
    const started = Promise.withResolvers<ProgramStarted>();
    const program = start(files.folder, { onStarted: started.resolve });
    const connected = await files.connected();
    const { inspector } = await started.promise;
    expect(inspector).toMatch(/^ws:\/\/127\.0\.0\.1:\d+\//);
    expect(await connected.next()).toBe(inspector);
    expect(await program.ended).toEqual({ code: 0 });
  });

  test('terminates a program with one SIGTERM', async () => {
    await using files = await ScriptedProgramFolder.create(`
      process.on('SIGTERM', async (signal) => {
        await report(signal);
        process.exit();
      });
      await report('ready');`);
    const program = start(files.folder);
    const connected = await files.connected();
    expect(await connected.next()).toBe('ready');
    program.terminate();
    program.terminate();
    expect(await connected.next()).toBe('SIGTERM');
    expect(await connected.next()).toBeUndefined();
    expect(await program.ended).toEqual({ code: 0 });
  });

  test('kills a program that ignores SIGTERM, and the processes that it started', async () => {
    await using files = await ScriptedProgramFolder.create(`
      import { spawn } from 'node:child_process';
      process.on('SIGTERM', () => report('ignored'));
      await report('ready');
      const code = \`require('net').connect(\${socket.remotePort}, '127.0.0.1')\`;
      spawn(process.execPath, ['-e', code], { stdio: 'ignore' });`);
    const program = start(files.folder);
    const connected = await files.connected();
    const grandchild = files.connected();
    expect(await connected.next()).toBe('ready');
    const startedByProgram = await grandchild;
    program.terminate();
    expect(await connected.next()).toBe('ignored');
    program.kill();
    expect(await program.ended).toEqual({ signal: 'SIGKILL' });
    expect(await startedByProgram.next()).toBeUndefined();
  });

  test('kills the processes that a program left when it ended by itself', async () => {
    await using files = await ScriptedProgramFolder.create(`
      import { spawn } from 'node:child_process';
      import { once } from 'node:events';
      await report('ready');
      const code = \`require('net').connect(\${socket.remotePort}, '127.0.0.1')\`;
      spawn(process.execPath, ['-e', code], { stdio: 'ignore' });
      await once(socket, 'data');
      process.exit();`);
    const program = start(files.folder);
    const connected = await files.connected();
    const startedByProgram = await files.connected();
    connected.send('exit');
    expect(await program.ended).toEqual({ code: 0 });
    expect(await startedByProgram.next()).toBeUndefined();
  });

  test('reports why no process was started', async () => {
    const program = start('/no/such/folder');
    expect(await program.ended).toEqual({ reason: expect.stringContaining('ENOENT') });
    program.terminate();
    program.kill();
  });
});
