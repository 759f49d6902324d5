import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { runBounded } from './bounded-command.ts';
import { beginMark } from './running-tests.ts';

const silence = 60_000;

afterEach(() => {
  jest.useRealTimers();
});

/** Runs a script; `received` gets each line of its output. */
async function run(
  script: string,
  received: (line: string) => void = () => undefined,
): Promise<{ ok: boolean; lines: string[] }> {
  const lines: string[] = [];
  const print = (line: string): void => {
    lines.push(line);
    received(line);
  };
  const ok = await runBounded({ command: process.execPath, args: ['-e', script], silence, print });
  return { ok, lines };
}

describe('runBounded', () => {
  test('prints the output of the command and returns its success', async () => {
    expect(await run('console.log("one")')).toEqual({ ok: true, lines: ['one'] });
    expect(await run('console.error("two"); process.exitCode = 3')).toEqual({
      ok: false,
      lines: ['two'],
    });
  });

  test('kills a command without output and its children after the time limit, and prints the running test', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
    // The command ends only after its child, which never closes the shared output.
    const script = `
      const { spawn } = require('node:child_process');
      const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' });
      child.once('spawn', () => {
        console.log('${beginMark}a.e2e.ts: hangs');
        console.log('spinning');
        for (;;);
      });`;
    const { ok, lines } = await run(script, (line) => {
      if (line === 'spinning') jest.advanceTimersByTime(silence);
    });
    expect(ok).toBe(false);
    expect(lines).toEqual([
      'spinning',
      '!!! HUNG: no output for 60 s; running tests: a.e2e.ts: hangs',
    ]);
  });
});
