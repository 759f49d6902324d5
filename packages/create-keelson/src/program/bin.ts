import { terminalPrompts } from '../choices/prompts.ts';
import { runProgram } from './program.ts';

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
