import { PassThrough } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { terminalConfirm, type Confirm } from './confirm.ts';

function streams(isTTY: boolean): { readonly input: PassThrough; readonly output: PassThrough } {
  const stream = (): PassThrough => Object.assign(new PassThrough(), { isTTY });
  return { input: stream(), output: stream() };
}

/** Asks, and writes the keys of the user. */
async function answered(keys: string): Promise<boolean> {
  const { input, output } = streams(true);
  const confirm = terminalConfirm(input, output) as Confirm;
  const response = confirm('Write?');
  input.write(keys);
  return response;
}

describe('a confirmation', () => {
  test.each(['y\n', 'Y\n', ' yes \n', 'YES\n'])('is given by %j', async (keys) => {
    expect(await answered(keys)).toBe(true);
  });

  test.each(['\n', 'n\n', 'no\n', 'yy\n', '\u0003'])('is refused by %j', async (keys) => {
    expect(await answered(keys)).toBe(false);
  });

  test('is refused by the end of the input', async () => {
    const { input, output } = streams(true);
    const response = (terminalConfirm(input, output) as Confirm)('Write?');
    input.end();
    expect(await response).toBe(false);
  });

  test('shows the question, with no as the default', async () => {
    const { input, output } = streams(true);
    const response = (terminalConfirm(input, output) as Confirm)('Write these 2 files?');
    input.write('y\n');
    await response;
    expect(String(output.read())).toContain('Write these 2 files? [y/N] ');
  });

  test('needs a terminal for the input and the output', () => {
    const terminal = streams(true);
    const file = streams(false);
    expect(terminalConfirm(terminal.input, file.output)).toBeUndefined();
    expect(terminalConfirm(file.input, terminal.output)).toBeUndefined();
  });
});
