import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { checkOutput, exitCodesText, writeOutput } from '../../output/write-output.ts';
import { entriesOf, type GeneratedFile } from '../../output/output-folder.ts';
import { CliError } from '../../errors.ts';
import { importDefinitions } from '../../project/definitions/import-definitions.ts';
import { readProject } from '../../project/project.ts';
import { Failures } from '../../terminal/failures.ts';
import { EXIT_FAILED, EXIT_OK, type ExitCode, type Terminal } from '../../terminal/terminal.ts';
import { crdFile, crdMark } from './crd-file.ts';

interface GenerateOptions {
  readonly output?: string;
  readonly check?: boolean;
  readonly project?: string;
}

const words = { subject: 'The definitions', file: 'definition' } as const;

const examples = `
Without MODULE the command generates the files of the kind modules that package.json names
("keelson": { "kinds": […], "crds": FOLDER }), and removes generated files of other kinds.
With MODULE it reads no package.json and removes nothing; without --output it prints the YAML.

Examples:
  keelson crd generate
  keelson crd generate --check
  keelson crd generate src/website.ts | kubectl apply -f -
  keelson crd generate src/website.ts src/page.ts -o config/crd
${exitCodesText}`;

/** Adds `keelson crd generate`. */
export function addGenerateCommand(
  crd: Command,
  terminal: Terminal,
  finish: (code: ExitCode) => void,
): void {
  crd
    .command('generate')
    .summary('write the YAML files of the kinds of a project')
    .description('Writes one YAML file, PLURAL.GROUP.yaml, for each kind that modules export.')
    .argument('[modules...]', 'modules that export results of defineKind')
    .option('-o, --output <folder>', 'write into this folder instead of the one of package.json')
    .option('--check', 'write nothing; fail if a file is not up to date')
    .option('--project <folder>', 'the folder of package.json (default: ".")')
    .addHelpText('after', examples)
    .action(async (modules: readonly string[], options: GenerateOptions, command: Command) => {
      const problem = modules.length > 0 ? conflictOf(options) : undefined;
      if (problem !== undefined) command.error(`error: option ${problem}`);
      const run = modules.length > 0 ? generateModules(modules, options, terminal) : undefined;
      finish(await (run ?? generateProject(options, terminal)));
    });
}

function conflictOf({ output, check, project }: GenerateOptions): string | undefined {
  if (project !== undefined) return "'--project <folder>' cannot be used with modules";
  const isIncomplete = check === true && output === undefined;
  return isIncomplete ? "'--check' requires '--output <folder>' with modules" : undefined;
}

async function generateModules(
  modules: readonly string[],
  { output: folder, check = false }: GenerateOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const { files, failures } = await filesOf(modules);
  failures.report(terminal);
  if (folder === undefined) terminal.write(files.map(({ text }) => text).join('---\n'));
  if (folder === undefined || files.length === 0) return failures.isEmpty ? EXIT_OK : EXIT_FAILED;
  const output = { folder, files, mark: crdMark, mayBeStale: [] };
  const code = await (check ? checkOutput : writeOutput)(output, words, terminal);
  return failures.isEmpty ? code : EXIT_FAILED;
}

async function generateProject(options: GenerateOptions, terminal: Terminal): Promise<ExitCode> {
  const project = await readProject(options.project ?? '.');
  if (project.kinds.length === 0) throw new CliError('NO_KINDS', { folder: project.folder });
  const folder = options.output ?? join(project.folder, project.crds);
  const modules = project.kinds.map((path) => resolve(project.folder, path));
  const { files, failures } = await filesOf(modules);
  failures.report(terminal);
  // A file is stale only if no module has its kind, which is unknown of a module that failed.
  const entries = failures.isEmpty ? await entriesOf(folder) : [];
  const mayBeStale = entries
    .filter((entry) => entry.name.endsWith('.yaml') && !entry.isDirectory())
    .map(({ name }) => name);
  if (files.length === 0) return EXIT_FAILED;
  const output = { folder, files, mark: crdMark, mayBeStale: mayBeStale.toSorted() };
  const code = await (options.check === true ? checkOutput : writeOutput)(output, words, terminal);
  return failures.isEmpty ? code : EXIT_FAILED;
}

/** Returns the files of all definitions that are valid, and the errors of the others. */
async function filesOf(
  modules: readonly string[],
): Promise<{ readonly files: readonly GeneratedFile[]; readonly failures: Failures }> {
  const files: GeneratedFile[] = [];
  const failures = new Failures();
  for (const module of await importDefinitions(modules)) {
    if ('error' in module) {
      failures.add(module.error);
      continue;
    }
    for (const definition of module.definitions) {
      const file = await failures.attempt(() => crdFile(definition as object), module.source);
      if (file !== undefined) files.push(file);
    }
  }
  return { files, failures };
}
