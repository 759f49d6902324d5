import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';

type Line = Readonly<Record<string, unknown>>;

/** Runs a process whose reconciles cause an unhandled rejection and an error in a timer. */
async function run(...args: string[]): Promise<{ code: number | null; lines: Line[] }> {
  const program = fileURLToPath(new URL('uncaught-errors.test-program.ts', import.meta.url));
  const child = spawn(process.execPath, ['--conditions=@keelson/source', program, ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let output = '';
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) output += chunk.toString();
  if (child.exitCode === null) await once(child, 'exit');
  const lines = output.trim().split('\n');
  return { code: child.exitCode, lines: lines.map((line) => JSON.parse(line) as Line) };
}

describe('an error that a reconcile leaves uncaught', () => {
  test('is logged with the controller and the request, and counted as a panic', async () => {
    const { code, lines } = await run('handled');
    expect(code).toBe(0);
    expect(lines.filter(({ err }) => err !== undefined)).toMatchObject([
      { controller: 'careless', name: 'rejection', err: { message: 'from rejection' } },
      { controller: 'careless', name: 'timer', err: { message: 'from timer' } },
    ]);
    expect(lines.at(-1)).toEqual({ panics: 2 });
  });

  test('ends the process, as without Keelson', async () => {
    const { code, lines } = await run();
    expect(code).toBe(1);
    expect(lines).toHaveLength(1);
  });
});
