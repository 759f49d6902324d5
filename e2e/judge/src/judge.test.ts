import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Judge, UndecidedError } from './judge.ts';

/** Responds to each line with its input; to `panic` with a failure; ends at `end`. */
const program = `#!${process.execPath}
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { op, input } = JSON.parse(line);
  if (op === 'end') process.exit(0);
  console.log(JSON.stringify(op === 'panic' ? { failure: 'panic: ' + input } : { output: input }));
});
`;

describe('Judge', () => {
  let folder = '';
  let path = '';

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-judge-'));
    path = join(folder, 'program.cjs');
    await writeFile(path, program);
    await chmod(path, 0o755);
  });

  afterAll(() => rm(folder, { recursive: true }));

  test('responds to many questions in their order', async () => {
    await using judge = new Judge(path);
    const questions = Array.from({ length: 200 }, (_, index) => index);
    expect(await Promise.all(questions.map((each) => judge.ask('echo', each)))).toEqual(questions);
  });

  test('rejects a question on which the program panics, and no other', async () => {
    await using judge = new Judge(path);
    const [first, second] = await Promise.allSettled([
      judge.ask('panic', 'x'),
      judge.ask('echo', 1),
    ]);
    expect(first).toMatchObject({ status: 'rejected', reason: expect.any(UndecidedError) });
    expect(second).toEqual({ status: 'fulfilled', value: 1 });
  });

  test('rejects what is open when the program ends, and what comes later', async () => {
    await using judge = new Judge(path);
    await expect(judge.ask('end', 0)).rejects.toThrow('the judge ended');
    await expect(judge.ask('echo', 0)).rejects.toThrow('the judge ended');
  });
});
