import { Option, type Command } from 'commander';
import type { ExitCode, Terminal } from '../terminal/terminal.ts';
import type { ApplyOptions } from './apply-objects.ts';
import type { ObjectWords } from './object-words.ts';
import type { ChosenCluster, ClusterOptions } from './session-cluster.ts';
import type { GetOptions } from './get-objects.ts';

const clusterText = `
The commands apply, get and delete use the server of "keelson dev" that runs for the project;
with --cluster, --context or --kubeconfig the cluster of a kubeconfig.

Exit codes:
  0  done
  1  an error of at least one object
  2  an invalid command line
`;

const forms = ['yaml', 'json', 'name', 'wide'];

/** Adds `keelson apply`, `get` and `delete` to the program. `finish` receives the exit code. */
export function addObjectsCommands(
  program: Command,
  terminal: Terminal,
  finish: (code: ExitCode) => void,
): void {
  shared(program.command('apply'))
    .summary('apply objects to the server of keelson dev')
    .description('Applies the objects of a file in YAML or JSON by server-side apply.')
    .argument('<file>', 'a file with one or several documents; - for the standard input')
    .option('--dry-run', 'let the server check the objects and store nothing')
    .option('--force-conflicts', 'take over fields that others own')
    .action(async (file: string, options: ClusterOptions & ApplyOptions) => {
      const { applyObjects } = await import('./apply-objects.ts');
      finish(
        await withCluster(options, (cluster) =>
          applyObjects(file, options, { cluster, terminal, input: process.stdin }),
        ),
      );
    });
  shared(program.command('get'))
    .summary('print objects of the server of keelson dev')
    .description('Prints objects as a table, as kubectl does.')
    .argument('<resource>', 'a plural, a kind or a short name, or RESOURCE/NAME')
    .argument('[names...]', 'the names of objects (default: all)')
    .option('-A, --all-namespaces', 'the objects of all namespaces')
    .option('-l, --selector <labels>', 'only objects with these labels, such as app=shop')
    .addOption(new Option('-o, --output <form>', 'the form of the output').choices(forms))
    .action(
      async (
        resource: string,
        names: readonly string[],
        options: AllGetOptions,
        command: Command,
      ) => {
        const { getObjects, queryOf } = await import('./get-objects.ts');
        const words = await readWords([resource, ...names], command);
        if (words.names.length > 0) refuseFilters(options, command);
        finish(
          await withCluster(options, async (cluster) => {
            const query = await queryOf(words, options, cluster);
            return getObjects(query, options, { cluster, terminal });
          }),
        );
      },
    );
  shared(program.command('delete'))
    .summary('delete objects of the server of keelson dev')
    .description('Deletes objects by their names, or those of a file.')
    .argument('[resource]', 'a plural, a kind or a short name, or RESOURCE/NAME')
    .argument('[names...]', 'the names of objects')
    .option('-f, --filename <file>', 'the objects of this file; - for the standard input')
    .action(
      async (
        resource: string | undefined,
        names: readonly string[],
        options: DeleteOptions,
        command: Command,
      ) => {
        const { filename } = options;
        const hasName = names.length > 0 || resource?.includes('/') === true;
        if ((filename === undefined) === (resource === undefined) || (resource && !hasName)) {
          command.error('error: expected RESOURCE NAME, RESOURCE/NAME or --filename');
        }
        const words =
          resource === undefined ? undefined : await readWords([resource, ...names], command);
        finish(await withCluster(options, (cluster) => remove(words, options, cluster)));
      },
    );

  async function remove(
    words: ObjectWords | undefined,
    options: DeleteOptions,
    cluster: ChosenCluster,
  ): Promise<ExitCode> {
    const { deleteObjects, namesOf, namesOfObjects } = await import('./delete-objects.ts');
    const { queryOf } = await import('./get-objects.ts');
    const { objectsIn } = await import('./apply-objects.ts');
    const { Failures } = await import('../terminal/failures.ts');
    const { filename = '', namespace } = options;
    const failures = new Failures();
    const found =
      words === undefined
        ? await namesOfObjects(await objectsIn(filename, process.stdin), namespace, {
            cluster,
            failures,
          })
        : namesOf(await queryOf(words, options, cluster));
    return deleteObjects(found, { cluster, terminal, failures });
  }

  async function withCluster(
    options: ClusterOptions,
    run: (cluster: ChosenCluster) => Promise<ExitCode>,
  ): Promise<ExitCode> {
    const { chosenCluster } = await import('./session-cluster.ts');
    const cluster = await chosenCluster(options, terminal);
    try {
      return await run(cluster);
    } finally {
      await cluster.client.close();
    }
  }
}

type AllGetOptions = ClusterOptions & GetOptions;

type DeleteOptions = ClusterOptions & { readonly namespace?: string; readonly filename?: string };

/** Reads a resource and names. Ends with an error of the command line if they are invalid. */
async function readWords(words: readonly string[], command: Command): Promise<ObjectWords> {
  const { objectWords } = await import('./object-words.ts');
  const read = objectWords(words);
  return typeof read === 'string' ? command.error(`error: ${read}`) : read;
}

/** A name means one object of one namespace. */
function refuseFilters({ allNamespaces, selector }: GetOptions, command: Command): void {
  if (allNamespaces === true) command.error("error: option '-A' excludes names");
  if (selector !== undefined) command.error("error: option '-l' excludes names");
}

function shared(command: Command): Command {
  return command
    .option('-n, --namespace <name>', 'the namespace (default: that of the context)')
    .option('--project <folder>', 'the folder of the project', '.')
    .option('--cluster', 'use the current context of the kubeconfig')
    .option('--kubeconfig <file>', 'use the cluster of this kubeconfig')
    .option('--context <name>', 'use the cluster of this context')
    .addHelpText('after', clusterText);
}
