import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';

describe('signals of the process', () => {
  const program = fileURLToPath(new URL('signals.test-program.ts', import.meta.url));

  async function run(
    ...signals: NodeJS.Signals[]
  ): Promise<{ code: number | null; output: string }> {
    const child = spawn(process.execPath, ['--conditions=@keelson/source', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      output += chunk.toString();
      if (output.endsWith('reconciling\n') || output.endsWith('stopping\n')) {
        const signal = signals.shift();
        if (signal !== undefined) child.kill(signal);
      }
    }
    if (child.exitCode === null) await once(child, 'exit');
    return { code: child.exitCode, output };
  }

  test('MG26 SIGTERM aborts a running reconcile within the grace period, and the process exits with code 0', async () => {
    expect(await run('SIGTERM')).toEqual({ code: 0, output: 'reconciling\nstopping\nended\n' });
  }, 30_000);

  test('MG26 a second SIGTERM ends the process at once', async () => {
    expect(await run('SIGTERM', 'SIGTERM')).toEqual({ code: 1, output: 'reconciling\nstopping\n' });
  }, 30_000);
});
