import { EXIT_FAILED, EXIT_OK, type ExitCode, type Terminal } from '../terminal/terminal.ts';
import { differencesOf, update, type Difference, type Output } from './output-folder.ts';

/** The end of the help of a command that writes files. */
export const exitCodesText = `
Exit codes:
  0  done, and with --check: the files are up to date
  1  an error, or with --check: the files are not up to date
  2  an invalid command line
`;

/** How a command names its files. */
export interface OutputWords {
  /** The subject of a sentence, such as `The types`. */
  readonly subject: string;
  /** One of its files, such as `module`; the plural has an `s`. */
  readonly file: string;
}

/**
 * Writes the changed files of the output and reports each. A file that cannot be written is reported, does not stop the
 * others, and makes the exit code 1.
 */
export async function writeOutput(
  output: Output,
  { file }: OutputWords,
  terminal: Terminal,
): Promise<ExitCode> {
  const differences = await differencesOf(output);
  const { changed, failures } = await update(output, differences);
  for (const { path, state } of changed) {
    terminal.print(`${state === 'stale' ? 'removed' : 'written'} ${path}`);
  }
  failures.report(terminal);
  if (!failures.isEmpty) return EXIT_FAILED;
  const written = differences.filter(({ state }) => state !== 'stale');
  const { length } = output.files;
  terminal.print(
    `${length} ${file}${length === 1 ? '' : 's'}, ${length - written.length} unchanged`,
  );
  return EXIT_OK;
}

/** Reports the files that are not up to date, and writes nothing. */
export async function checkOutput(
  output: Output,
  { subject }: OutputWords,
  terminal: Terminal,
): Promise<ExitCode> {
  const differences: readonly Difference[] = await differencesOf(output);
  if (differences.length === 0) return EXIT_OK;
  for (const { path, state } of differences) terminal.complain(`${state.padEnd(8)} ${path}`);
  terminal.complain(`${subject} are not up to date: run the command without --check.`);
  return EXIT_FAILED;
}
