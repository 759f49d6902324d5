import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Prompts } from '../choices/prompts.ts';
import { CreateError } from '../errors.ts';
import { TemporaryFolder } from '../testing/temporary-folder.test-support.ts';
import { runProgram } from './program.ts';

let temporary: TemporaryFolder;
let folder: string;

beforeEach(async () => {
  temporary = await TemporaryFolder.create();
  folder = join(temporary.path, 'order-operator');
});

afterEach(() => temporary[Symbol.asyncDispose]());

const flags = ['--group', 'sales.example', '--kind', 'Order'];

async function run(
  words: readonly string[],
  prompts?: Prompts,
): Promise<{ code: number; out: string; err: string }> {
  const lines: Record<'out' | 'err', string[]> = { out: [], err: [] };
  const terminal = {
    print: (text: string) => void lines.out.push(text),
    complain: (text: string) => void lines.err.push(text),
  };
  const code = await runProgram(words, {
    terminal,
    ...(prompts && { prompts: async () => prompts }),
  });
  return { code, out: lines.out.join('\n'), err: lines.err.join('\n') };
}

const cancelled: Prompts = {
  text: () => Promise.reject(new CreateError('CANCELLED')),
  select: () => Promise.reject(new CreateError('CANCELLED')),
};

describe('create-keelson', () => {
  test('writes a project from flags, and prints its files and the next steps', async () => {
    const { code, out, err } = await run([folder, ...flags, '--yes']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^14 files in .*order-operator, variant plain:$/m);
    expect(out).toMatch(/^ {2}npm run dev /m);
  });

  test('asks nothing with --yes, also on a terminal', async () => {
    expect(await run([folder, ...flags, '-y'], cancelled)).toMatchObject({ code: 0 });
  });

  test('writes nothing if the questions are cancelled', async () => {
    const { code, err } = await run([folder, ...flags], cancelled);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(/^error: CANCELLED: /) });
    expect(await readdir(temporary.path)).toEqual(['node_modules']);
  });

  test('names the missing choices without a terminal, and exits with 2', async () => {
    const { code, err } = await run(['--kind', 'Order']);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('FOLDER --group') });
  });

  test.each([
    [[...flags, '--variant', 'other'], 2, 'Allowed choices are plain'],
    [[...flags, '--knd', 'Order'], 2, '--kind'],
    [['--group', 'shop', '--kind', 'Order'], 1, 'CHOICE_INVALID'],
  ])('refuses %j with the code %i', async (words, code, text) => {
    const result = await run([folder, ...words]);
    expect(result).toMatchObject({ code, err: expect.stringContaining(text) });
    expect(await readdir(temporary.path)).toEqual(['node_modules']);
  });

  test('updates a project with --update, and prints what it left', async () => {
    await run([folder, ...flags, '--yes']);
    expect((await run([folder, '--update'])).out).toContain('No file has changed.');
    await writeFile(join(folder, 'package.json'), '{}');
    const { out, code } = await run([folder, '--update']);
    expect(code).toBe(0);
    expect(out).toMatch(/^written package\.json$/m);
    expect(out).toMatch(/npm install$/);
  });

  test('reports an update without a record', async () => {
    expect(await run([temporary.path, '--update'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('RECORD_INVALID'),
    });
  });

  test.each(['--help', '--version'])('%s exits with 0', async (word) => {
    expect(await run([word])).toMatchObject({ code: 0, err: '' });
  });
});
