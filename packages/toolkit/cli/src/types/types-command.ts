import type { Command } from 'commander';
import { checkOutput, exitCodesText, writeOutput } from '../output/write-output.ts';
import { Failures } from '../terminal/failures.ts';
import { EXIT_FAILED, EXIT_OK, type ExitCode, type Terminal } from '../terminal/terminal.ts';
import { GeneratedModules, type GeneratedModule } from './code/generate-types.ts';
import { generatedMark } from './code/kind-module.ts';
import { otherVersions } from './other-versions.ts';
import type { ClusterOptions } from './sources/cluster-definitions.ts';
import { readSource } from './sources/read-source.ts';

interface TypesOptions extends ClusterOptions {
  readonly output?: string;
  readonly check?: boolean;
  readonly from?: string;
}

const words = { subject: 'The types', file: 'module' } as const;

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
${exitCodesText}`;

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
  const failures = new Failures();
  const modules = await modulesOf(sources, options, failures);
  failures.report(terminal);
  const code = await printModules(modules, options, terminal);
  return failures.isEmpty ? code : EXIT_FAILED;
}

/** Returns the modules of all definitions that are valid. */
async function modulesOf(
  sources: readonly string[],
  options: TypesOptions,
  failures: Failures,
): Promise<readonly GeneratedModule[]> {
  const modules = new GeneratedModules({ from: options.from });
  for (const source of sources) {
    for (const file of await readSource(source, options)) {
      if ('error' in file) {
        failures.add(file.error);
        continue;
      }
      for (const definition of file.definitions) {
        await failures.attempt(() => modules.add(definition), file.source);
      }
    }
  }
  return modules.sorted;
}

async function printModules(
  modules: readonly GeneratedModule[],
  { output: folder, check = false }: TypesOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  if (modules.length === 0) return EXIT_OK;
  if (folder === undefined) {
    terminal.print(modules.map(({ path, code }) => `// ${path}\n${code}`).join('\n'));
    return EXIT_OK;
  }
  const files = modules.map(({ path, code }) => ({ path, text: code }));
  const mayBeStale = await otherVersions(folder, modules);
  const output = { folder, files, mark: generatedMark, mayBeStale };
  return (check ? checkOutput : writeOutput)(output, words, terminal);
}
