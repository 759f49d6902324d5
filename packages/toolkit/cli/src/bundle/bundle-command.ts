import { InvalidArgumentError, type Command } from 'commander';
import { checkOutput, exitCodesText, writeOutput } from '../output/write-output.ts';
import { readProject } from '../project/project.ts';
import type { ExitCode, Terminal } from '../terminal/terminal.ts';

interface BundleCommandOptions {
  readonly output?: string;
  readonly check?: boolean;
  readonly project: string;
  readonly channels: readonly string[];
  readonly defaultChannel?: string;
}

const examples = `
Reads the same files as keelson manifests, and writes a bundle for the Operator Lifecycle Manager (OLM):
  deploy/bundle/manifests                    the ClusterServiceVersion, the definitions and further objects
  deploy/bundle/metadata/annotations.yaml    the package and its channels
  deploy/bundle/bundle.Dockerfile            the image of the bundle

Examples:
  keelson bundle
  keelson bundle --channels alpha,stable --default-channel stable
  docker build -f deploy/bundle/bundle.Dockerfile -t ghcr.io/me/order-operator-bundle:1.2.0 deploy/bundle
  operator-sdk run bundle ghcr.io/me/order-operator-bundle:1.2.0
${exitCodesText}`;

/** Adds `keelson bundle` to the program. `finish` receives the exit code. */
export function addBundleCommand(
  program: Command,
  terminal: Terminal,
  finish: (code: ExitCode) => void,
): void {
  program
    .command('bundle')
    .summary('write a bundle for the Operator Lifecycle Manager')
    .description(
      'Writes a bundle for the Operator Lifecycle Manager (OLM) from the files of a project.',
    )
    .option(
      '-o, --output <folder>',
      'write into this folder (default: "deploy/bundle" of the project)',
    )
    .option('--check', 'write nothing; fail if a file is not up to date')
    .option('--channels <names>', 'the channels of the package, separated by commas', channelsOf, [
      'alpha',
    ])
    .option(
      '--default-channel <name>',
      'the channel of a subscription without one (default: the first)',
    )
    .option('--project <folder>', 'the folder of package.json', '.')
    .addHelpText('after', examples)
    .action(async (options: BundleCommandOptions) => {
      const { channels, defaultChannel = channels[0] ?? '' } = options;
      if (!channels.includes(defaultChannel))
        program.error('error: --default-channel must be one of --channels');
      const project = await readProject(options.project);
      // This loads a YAML parser, which takes longer than most commands.
      const { bundleOutput, bundleWords } = await import('./bundle-output.ts');
      const output = await bundleOutput(project, { channels, defaultChannel }, options.output);
      finish(
        await (options.check === true ? checkOutput : writeOutput)(output, bundleWords, terminal),
      );
    });
}

function channelsOf(text: string): readonly string[] {
  const channels = text.split(',');
  if (channels.every((name) => /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/.test(name))) return channels;
  throw new InvalidArgumentError('It must be names of lower-case letters, digits, "-" and ".".');
}
