import type { Command } from 'commander';
import type { ExitCode, Terminal } from '../terminal/terminal.ts';
import { addDiffCommand } from './diff/diff-command.ts';
import { addGenerateCommand } from './generate/generate-command.ts';

const examples = `
Examples:
  keelson crd generate
  keelson crd generate --check
  keelson crd diff cluster:websites.example.com src/website.ts

Run keelson crd COMMAND --help to see the options of a command.
`;

/** Adds `keelson crd` with its commands to the program. `finish` receives the exit code. */
export function addCrdCommand(
  program: Command,
  terminal: Terminal,
  finish: (code: ExitCode) => void,
): void {
  const crd = program
    .command('crd')
    .summary('write and compare CustomResourceDefinitions')
    .description('Writes CustomResourceDefinitions from kinds, and compares two states of them.')
    .addHelpText('after', examples);
  addGenerateCommand(crd, terminal, finish);
  addDiffCommand(crd, terminal, finish);
}
