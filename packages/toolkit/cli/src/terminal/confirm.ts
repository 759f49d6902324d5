import type { Readable } from 'node:stream';
import { createInterface } from 'node:readline/promises';
import type { OutputStream } from './terminal.ts';

/** Asks a question whose answer is yes or no. */
export type Confirm = (question: string) => Promise<boolean>;

/** Asks on a terminal; undefined without one. An empty line, Ctrl-C and the end of the input mean no. */
export function terminalConfirm(
  input: Readable & { readonly isTTY?: boolean },
  output: OutputStream,
): Confirm | undefined {
  if (input.isTTY !== true || output.isTTY !== true) return undefined;
  return async (question) => {
    const lines = createInterface({ input, output });
    const closed = new AbortController();
    lines.once('SIGINT', () => closed.abort()).once('close', () => closed.abort());
    try {
      const answer = await lines.question(`${question} [y/N] `, { signal: closed.signal });
      return /^y(?:es)?$/i.test(answer.trim());
    } catch {
      return false;
    } finally {
      lines.close();
    }
  };
}
