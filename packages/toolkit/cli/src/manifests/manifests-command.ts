import { join } from 'node:path';
import type { Command } from 'commander';
import { entriesOf, type Output } from '../output/output-folder.ts';
import { checkOutput, exitCodesText, writeOutput } from '../output/write-output.ts';
import { readProject } from '../project/project.ts';
import type { ExitCode, Terminal } from '../terminal/terminal.ts';
import { generatedMark } from './text/generated-mark.ts';

interface ManifestsOptions {
  readonly output?: string;
  readonly check?: boolean;
  readonly project: string;
}

const words = { subject: 'The manifests', file: 'file' } as const;

/** The folder below the project if no other one is given. */
const DEFAULT_FOLDER = 'deploy';

const examples = `
Reads package.json, the definitions in config/crd and the roles in config/role.yaml, and writes:
  deploy/kustomize/base                      all objects
  deploy/kustomize/overlays/development      one replica
  deploy/kustomize/overlays/production       two replicas and a PodDisruptionBudget
  deploy/kustomize/components/service-monitor
  deploy/chart                               the same objects as a Helm chart

Examples:
  keelson manifests
  keelson manifests --check
  kubectl apply --server-side -k deploy/kustomize/overlays/production
  helm install website-operator deploy/chart -n websites --create-namespace
${exitCodesText}`;

/** Adds `keelson manifests` to the program. `finish` receives the exit code. */
export function addManifestsCommand(
  program: Command,
  terminal: Terminal,
  finish: (code: ExitCode) => void,
): void {
  program
    .command('manifests')
    .summary('write Kustomize files and a Helm chart for an operator')
    .description(
      'Writes a Kustomize base with overlays and a Helm chart from the files of a project.',
    )
    .option('-o, --output <folder>', 'write into this folder (default: "deploy" of the project)')
    .option('--check', 'write nothing; fail if a file is not up to date')
    .option('--project <folder>', 'the folder of package.json', '.')
    .addHelpText('after', examples)
    .action(async (options: ManifestsOptions) => {
      const output = await outputOf(options);
      finish(await (options.check === true ? checkOutput : writeOutput)(output, words, terminal));
    });
}

async function outputOf(options: ManifestsOptions): Promise<Output> {
  const project = await readProject(options.project);
  // These load envtest and a YAML parser, which takes longer than most commands.
  const { readSources } = await import('./operator/operator-sources.ts');
  const { generateManifests } = await import('./generate-manifests.ts');
  const folder = options.output ?? join(project.folder, DEFAULT_FOLDER);
  return {
    folder,
    files: generateManifests(project, await readSources(project)),
    mark: generatedMark,
    mayBeStale: [
      ...(await filesBelow(folder, 'kustomize')),
      ...(await filesBelow(folder, 'chart')),
    ],
  };
}

/** Returns the paths of the files in a folder and its subfolders, such as an object that is no longer generated. */
async function filesBelow(root: string, path: string): Promise<readonly string[]> {
  const entries = await entriesOf(join(root, path));
  const found = await Promise.all(
    entries.map(async (entry) => {
      const below = `${path}/${entry.name}`;
      if (entry.isDirectory()) return filesBelow(root, below);
      return entry.isFile() ? [below] : [];
    }),
  );
  return found.flat().toSorted();
}
