import { errorDocs } from '@keelson/apimachinery';
import type { Command } from 'commander';
import { EXIT_FAILED, EXIT_OK, type ExitCode, type Terminal } from '../terminal/terminal.ts';
import { errorEntries, readErrorsPage, similarCodes } from './errors-page.ts';

const examples = `
Examples:
  keelson why CACHE_SYNC_TIMEOUT
  keelson why --list

Exit codes:
  0  the entry was printed
  1  no error has this code
  2  an invalid command line
`;

interface CommandOptions {
  readonly list?: boolean;
}

/** Adds `keelson why` to the program. `finish` receives the exit code. */
export function addWhyCommand(
  program: Command,
  terminal: Terminal,
  finish: (code: ExitCode) => void,
): void {
  program
    .command('why')
    .summary('print the cause and the cure of an error code')
    .description('Prints the entry of an error code in the documentation, without the network.')
    .argument('[code]', 'the code of an error, such as CACHE_SYNC_TIMEOUT')
    .option('--list', 'print all codes')
    .addHelpText('after', examples)
    .action((code: string | undefined, { list = false }: CommandOptions, command: Command) => {
      if (list) finish(printCodes(terminal));
      else if (code === undefined) command.error('error: give a code, or --list');
      else finish(printEntry(code.toUpperCase(), terminal));
    });
}

function printCodes(terminal: Terminal): ExitCode {
  for (const { code, packages } of errorEntries(readErrorsPage()).values()) {
    terminal.print(`${code} (${packages.join(', ')})`);
  }
  return EXIT_OK;
}

function printEntry(code: string, terminal: Terminal): ExitCode {
  const entries = errorEntries(readErrorsPage());
  const entry = entries.get(code);
  if (entry === undefined) {
    const similar = similarCodes(entries.keys(), code);
    const hint = similar.length === 0 ? 'see keelson why --list' : `similar: ${similar.join(', ')}`;
    terminal.complain(`error: no error has the code ${code}; ${hint}`);
    return EXIT_FAILED;
  }
  const { packages, text } = entry;
  terminal.print(`${code} (${packages.join(', ')})\n\n${plain(text)}\n\n${errorDocs(code)}`);
  return EXIT_OK;
}

/** The text without the marks of Markdown that a terminal does not show. */
function plain(markdown: string): string {
  return markdown.replaceAll('**', '').replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1');
}
