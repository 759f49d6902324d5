import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** Runs the Go program, and yields its output by lines. Throws if it fails. */
export async function* linesOf(
  program: string,
  ...args: readonly string[]
): AsyncGenerator<string, void, undefined> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = once(child, 'close') as Promise<[number | null]>;
  try {
    yield* createInterface({ input: child.stdout });
  } finally {
    child.kill();
  }
  const [code] = await closed;
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${String(code)}`);
}

/** Returns the output of the Go program. */
export async function outputOf(program: string, ...args: readonly string[]): Promise<string> {
  let text = '';
  for await (const line of linesOf(program, ...args)) text += `${line}\n`;
  return text;
}
