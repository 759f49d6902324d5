import { PassThrough } from 'node:stream';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { terminalPrompts, type Prompts } from './prompts.ts';

const ENTER = '\r';
const DOWN = '\u001b[B';
const CTRL_C = '\u0003';

const kind = {
  message: 'Which kind?',
  initial: 'Website',
  validate: (value: string) => (/^[A-Z]/.test(value) ? undefined : 'must begin with a capital'),
};

describe('the prompts of a terminal', () => {
  let input: PassThrough;
  let screen: string;
  let prompts: Prompts;

  beforeEach(async () => {
    input = new PassThrough();
    const output = new PassThrough();
    screen = '';
    output.on('data', (chunk: Buffer) => (screen += chunk.toString()));
    prompts = await terminalPrompts({ input, output });
  });

  test('return the line that the user enters', async () => {
    const entered = prompts.text(kind);
    input.write(`Order${ENTER}`);
    expect(await entered).toBe('Order');
    expect(screen).toContain('Which kind?');
  });

  test('return the default for an empty line', async () => {
    const entered = prompts.text(kind);
    input.write(ENTER);
    expect(await entered).toBe('Website');
  });

  test('repeat the question after an invalid line, with the reason', async () => {
    const entered = prompts.text(kind);
    input.write(`o${ENTER}`);
    input.write(`\u007fO${ENTER}`);
    expect(await entered).toBe('O');
    expect(screen).toContain('must begin with a capital');
  });

  test('return the selected option', async () => {
    const options = ['plain', 'webhook'].map((value) => ({ value, hint: value }));
    const selected = prompts.select({ message: 'Which variant?', options });
    input.write(`${DOWN}${ENTER}`);
    expect(await selected).toBe('webhook');
  });

  test('throw after Ctrl-C', async () => {
    const entered = prompts.text(kind);
    input.write(CTRL_C);
    await expect(entered).rejects.toMatchObject({ code: 'CANCELLED' });
  });
});
