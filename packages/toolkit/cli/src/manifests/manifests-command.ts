import type { Command } from 'commander';
import { checkOutput, exitCodesText, writeOutput } from '../output/write-output.ts';
import { readProject } from '../project/project.ts';
import type { ExitCode, Terminal } from '../terminal/terminal.ts';

interface ManifestsOptions {
  readonly output?: string;
  readonly check?: boolean;
  readonly project: string;
}

const examples = `
Reads package.json, the definitions in config/crd and the roles in config/role.yaml, and writes:
  deploy/kustomize/base                      all objects
  deploy/kustomize/overlays/development      one replica
  deploy/kustomize/overlays/production       two replicas and a PodDisruptionBudget
  deploy/kustomize/components                service-monitor, network-policy, watch-namespaces
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
      const project = await readProject(options.project);
      // This loads envtest and a YAML parser, which takes longer than most commands.
      const { manifestsOutput, manifestsWords: words } = await import('./manifests-output.ts');
      const output = await manifestsOutput(project, options.output);
      finish(await (options.check === true ? checkOutput : writeOutput)(output, words, terminal));
    });
}
