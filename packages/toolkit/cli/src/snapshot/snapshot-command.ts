import type { Command } from 'commander';
import type { ExitCode, Terminal } from '../terminal/terminal.ts';
import type { SnapshotOptions } from './run-snapshot.ts';

const examples = `
The file is the start of a test: createTestEnvironment({ restore: 'fixtures/shop.jsonl' }). Secrets and Events are left out
unless --kinds or --secrets names them. References to owners that are left out are removed, because a garbage
collector would delete their dependents.

Examples:
  keelson snapshot -o fixtures/cluster.jsonl
  keelson snapshot -o fixtures/shop.jsonl -n shop --kinds deployments,configmaps,orders.shop.example

Exit codes:
  0  the file is written
  1  an error, such as a kind that may not be listed; no file is written
  2  an invalid command line
`;

/** Adds `keelson snapshot` to the program. `finish` receives the exit code. */
export function addSnapshotCommand(
  program: Command,
  terminal: Terminal,
  finish: (code: ExitCode) => void,
): void {
  program
    .command('snapshot')
    .summary('write the objects of a cluster into a file for tests')
    .description(
      'Reads the objects of a cluster into a file that the server in memory starts with. It changes nothing in the cluster.',
    )
    .requiredOption('-o, --output <file>', 'the file to write')
    .option(
      '--kinds <names>',
      'only these kinds: plurals, kinds or short names, separated by commas',
    )
    .option('-n, --namespace <names>', 'only objects of these namespaces, separated by commas')
    .option('-l, --selector <labels>', 'only objects with these labels, such as app=shop')
    .option('--secrets', 'also Secrets, with their data')
    .option('--skip-forbidden', 'leave out the kinds that may not be listed')
    .option('--no-managed-fields', 'leave out the owners of fields, which halves the file')
    .option('--kubeconfig <file>', 'the kubeconfig of the cluster')
    .option('--context <name>', 'the context of the kubeconfig')
    .addHelpText('after', examples)
    .action(async (options: SnapshotOptions) => {
      const { runSnapshot } = await import('./run-snapshot.ts');
      finish(await runSnapshot(options, terminal));
    });
}
