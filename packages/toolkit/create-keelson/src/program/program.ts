import { relative } from 'node:path';
import { Command, CommanderError, Option } from 'commander';
import { completeChoices, type GivenChoices } from '../choices/ask.ts';
import type { Prompts } from '../choices/prompts.ts';
import { CreateError } from '../errors.ts';
import { createProject } from '../project/create-project.ts';
import { ownVersion } from '../project/own-version.ts';
import { variants } from '../template/variant.ts';
import { updateProject } from '../update/update-project.ts';
import type { Terminal } from './terminal.ts';

/** The command did its work. */
const EXIT_OK = 0;
/** An error. */
const EXIT_FAILED = 1;
/** An invalid command line. */
const EXIT_USAGE = 2;

/** The exit codes of the command. */
export type ExitCode = typeof EXIT_OK | typeof EXIT_FAILED | typeof EXIT_USAGE;

/** Where the command prints, and how it asks; no prompts without a terminal. */
export interface ProgramContext {
  readonly terminal: Terminal;
  readonly prompts?: () => Promise<Prompts>;
}

interface ProgramOptions extends GivenChoices {
  readonly yes?: boolean;
  readonly update?: boolean;
}

const help = `
Variants:
${variantLines()}

Examples:
  npm create keelson
  npm create keelson -- my-operator --group shop.example --kind Website --yes
  npm create keelson -- my-operator --group shop.example --kind Bucket --variant external --yes
  npm create keelson@latest -- --update   (in the folder of an older project)

Exit codes:
  0  done
  1  an error; no new file is left
  2  an invalid command line, or choices that are missing without a terminal

Errors: https://github.com/keelson/keelson/blob/main/docs/errors.md
`;

/** Runs the command with the words after its name and resolves with its exit code. Errors are printed, never thrown. */
export async function runProgram(
  words: readonly string[],
  context: ProgramContext,
): Promise<ExitCode> {
  const { terminal } = context;
  const program = new Command('create-keelson')
    .description(
      'Writes an operator on Keelson into a new folder, or updates a project that it wrote.',
    )
    .argument('[folder]', 'the folder of the project; its name is the name of the operator')
    .option('--group <name>', 'the API group of the kind, such as shop.example')
    .option('--kind <name>', 'the kind in UpperCamelCase, such as Website')
    .option('--plural <name>', 'the plural in the URL (default: the English plural of the kind)')
    .addOption(
      new Option('--variant <name>', 'the variant (default: plain)').choices(Object.keys(variants)),
    )
    .option('-y, --yes', 'ask nothing')
    .option('--update', 'update the project in the folder, by default the working directory')
    .version(ownVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', help)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.print(text.trimEnd()),
      writeErr: (text) => terminal.complain(text.trimEnd()),
    })
    .showHelpAfterError('Run the command with --help to see its options.')
    .action(async (folder: string | undefined, options: ProgramOptions) => {
      if (options.update === true) await update(folder ?? '.', terminal);
      else await create({ ...options, folder }, options.yes === true, context);
    });
  try {
    await program.parseAsync(words, { from: 'user' });
    return EXIT_OK;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_OK : EXIT_USAGE;
    terminal.complain(`error: ${error instanceof Error ? printed(error) : String(error)}`);
    return error instanceof CreateError && error.code === 'CHOICES_MISSING'
      ? EXIT_USAGE
      : EXIT_FAILED;
  }
}

function variantLines(): string {
  const lines = Object.entries(variants).map(
    ([name, sentence]) => `  ${name.padEnd(9)} ${sentence}`,
  );
  return lines.join('\n');
}

async function create(
  given: GivenChoices,
  isSilent: boolean,
  { terminal, prompts }: ProgramContext,
): Promise<void> {
  const asking = isSilent ? undefined : await prompts?.();
  const { folder, choices } = await completeChoices(given, asking);
  const { files } = await createProject(choices, folder);
  terminal.print(`${files.length} files in ${folder}, variant ${choices.variant}:`);
  for (const file of files) terminal.print(`  ${file}`);
  terminal.print('\nNext steps:');
  const path = relative('.', folder);
  if (path !== '') terminal.print(`  cd ${path}`);
  terminal.print('  npm install');
  terminal.print('  npm test           without a cluster');
  terminal.print('  npm run dev        runs the operator on an API server in memory');
  terminal.print('  npm run manifests  writes what a cluster needs');
}

async function update(folder: string, terminal: Terminal): Promise<void> {
  const { from, to, written, removed, diffs } = await updateProject(folder);
  terminal.print(`The template was ${from} and is ${to}.`);
  for (const path of written) terminal.print(`written ${path}`);
  for (const path of removed) terminal.print(`removed ${path}`);
  if (written.length + removed.length === 0) terminal.print('No file has changed.');
  for (const diff of diffs) terminal.print(`\n${diff.trimEnd()}`);
  if (diffs.length > 0) {
    terminal.print(`\nYou have changed ${diffs.length} of these files: apply their diffs by hand.`);
  }
  if (written.includes('package.json')) terminal.print('\nNext step:\n  npm install');
}

function printed(error: Error): string {
  return 'code' in error ? `${String(error.code)}: ${error.message}` : error.message;
}
