import { join } from 'node:path';
import { readCommandLine, usage } from './command-line.ts';
import { release } from './release.ts';
import { shellIn } from './shell.ts';

const print = (line: string): void => console.log(line);

/** Returns the exit code: 0 done, 1 failed, 2 an invalid command line. */
async function main(words: readonly string[]): Promise<number> {
  let choice: ReturnType<typeof readCommandLine>;
  try {
    choice = readCommandLine(words);
  } catch (error) {
    console.error(`error: ${(error as Error).message}\n\n${usage}`);
    return 2;
  }
  if (choice === undefined) {
    print(usage);
    return 0;
  }
  const root = join(import.meta.dirname, '../../..');
  try {
    await release({ ...choice, root, shell: shellIn(root), print });
    return 0;
  } catch (error) {
    console.error(`error: ${(error as Error).message}`);
    return 1;
  }
}

process.exitCode = await main(process.argv.slice(2));
