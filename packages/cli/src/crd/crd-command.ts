import type { Command } from 'commander';
import type { ExitCode, Terminal } from '../terminal/terminal.ts';
import { addDiffCommand } from './diff/diff-command.ts';
import { addGenerateCommand } from './generate/generate-command.ts';

/** Adds `keelson crd` with its commands to the program. `finish` receives the exit code. */
export function addCrdCommand(
  program: Command,
  terminal: Terminal,
  finish: (code: ExitCode) => void,
): void {
  const crd = program.command('crd').description('write and compare CustomResourceDefinitions');
  addGenerateCommand(crd, terminal, finish);
  addDiffCommand(crd, terminal, finish);
}
