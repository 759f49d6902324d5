import type { Command } from 'commander';
import { EXIT_FAILED, EXIT_OK, type ExitCode, type Terminal } from '../terminal/terminal.ts';
import { generateTypes, type GeneratedModule } from './code/generate-types.ts';
import { differencesOf, update, type Difference } from './output-folder.ts';
import type { ClusterOptions } from './sources/cluster-definitions.ts';
import { readSource } from './sources/read-source.ts';

interface TypesOptions extends ClusterOptions {
  readonly output?: string;
  readonly check?: boolean;
  readonly from?: string;
}

const examples = `
Sources:
  a file, a folder with its subfolders, an http(s) URL, or a cluster:
  cluster:                            every definition of the cluster
  cluster:gateway.networking.k8s.io   those of a group
  cluster:widgets.shop.example        one definition, by its name

Examples:
  keelson types crds -o src/crds
  keelson types crds -o src/crds --check
  keelson types https://example.com/crds.yaml -o src/crds
  keelson types cluster:cert-manager.io --context staging -o src/crds

Exit codes:
  0  done, and with --check: the files are up to date
  1  an error, or with --check: the files are not up to date
  2  an invalid command line
`;

/** Adds `keelson types` to the program. `finish` receives the exit code. */
export function addTypesCommand(
  program: Command,
  terminal: Terminal,
  finish: (code: ExitCode) => void,
): void {
  program
    .command('types')
    .summary('write TypeScript types and tokens for CustomResourceDefinitions')
    .description(
      'Writes one TypeScript module for each served version of CustomResourceDefinitions: ' +
        'the interfaces of the kind and its typed token. Without --output prints the code.',
    )
    .argument('<sources...>', 'files, folders, URLs or clusters with CustomResourceDefinitions')
    .option('-o, --output <folder>', 'write group/version/plural.ts files into this folder')
    .option('--check', 'write nothing; fail if a file is not up to date')
    .option(
      '--from <module>',
      'import defineResource from this module (default: "@keelson/manager")',
    )
    .option('--kubeconfig <file>', 'the kubeconfig for cluster: sources')
    .option('--context <name>', 'the context for cluster: sources')
    .addHelpText('after', examples)
    .action(async (sources: readonly string[], options: TypesOptions, command: Command) => {
      if (options.check === true && options.output === undefined) {
        command.error("error: option '--check' requires '--output <folder>'");
      }
      finish(await runTypes(sources, options, terminal));
    });
}

async function runTypes(
  sources: readonly string[],
  options: TypesOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const definitions: unknown[] = [];
  for (const source of sources) definitions.push(...(await readSource(source, options)));
  const modules = generateTypes(definitions, { from: options.from });
  const { output } = options;
  if (output === undefined) {
    terminal.print(modules.map(({ path, code }) => `// ${path}\n${code}`).join('\n'));
    return EXIT_OK;
  }
  const differences = await differencesOf(output, modules);
  return options.check === true
    ? report(differences, terminal)
    : write(output, modules, differences, terminal);
}

function report(differences: readonly Difference[], terminal: Terminal): ExitCode {
  for (const { path, state } of differences) terminal.complain(`${state.padEnd(8)} ${path}`);
  if (differences.length === 0) return EXIT_OK;
  terminal.complain('The types are not up to date: run the command without --check.');
  return EXIT_FAILED;
}

async function write(
  folder: string,
  modules: readonly GeneratedModule[],
  differences: readonly Difference[],
  terminal: Terminal,
): Promise<ExitCode> {
  await update(folder, modules, differences);
  for (const { path, state } of differences) {
    terminal.print(`${state === 'stale' ? 'removed' : 'written'} ${path}`);
  }
  const written = differences.filter(({ state }) => state !== 'stale');
  const count = `${modules.length} ${modules.length === 1 ? 'module' : 'modules'}`;
  terminal.print(`${count}, ${modules.length - written.length} unchanged`);
  return EXIT_OK;
}
