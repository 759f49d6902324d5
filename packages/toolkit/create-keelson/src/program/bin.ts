import { terminalPrompts } from '../choices/prompts.ts';
import { runProgram } from './program.ts';

for (const stream of [process.stdout, process.stderr]) {
  // A reader such as head may close its end early; the rest of the output is dropped.
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

const terminal = {
  print: (text: string): void => void process.stdout.write(`${text}\n`),
  complain: (text: string): void => void process.stderr.write(`${text}\n`),
};
const isTerminal = process.stdin.isTTY && process.stdout.isTTY;
process.exitCode = await runProgram(process.argv.slice(2), {
  terminal,
  ...(isTerminal && {
    prompts: () => terminalPrompts({ input: process.stdin, output: process.stdout }),
  }),
});
