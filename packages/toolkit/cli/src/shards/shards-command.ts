import { builtin } from '@keelson/apimachinery';
import type { Command } from 'commander';
import { EXIT_FAILED, EXIT_OK, type ExitCode, type Terminal } from '../terminal/terminal.ts';
import { replicaTable, tableLines } from './replica-table.ts';

interface CommandOptions {
  readonly name: string;
  readonly namespace?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly project?: string;
  readonly json?: boolean;
}

const examples = `
A slot is one of 1024 parts of the requests. MOVING slots are claimed by two replicas: the former one ends its runs.

Examples:
  keelson shards --name web-app --namespace operators
  keelson shards --name web-app --json

Exit codes:
  0  every slot is claimed
  1  a slot is not claimed, or the Leases cannot be listed
  2  an invalid command line
`;

/** Adds `keelson shards` to the program. `finish` receives the exit code. */
export function addShardsCommand(
  program: Command,
  terminal: Terminal,
  finish: (code: ExitCode) => void,
): void {
  program
    .command('shards')
    .summary('print the replicas of a sharded operator and their slots')
    .description(
      'Prints the ring of a sharding from the Leases of its replicas. It changes nothing.',
    )
    .requiredOption('--name <name>', 'the name of the sharding')
    .option('--namespace <name>', 'the namespace of the Leases; default: that of the context')
    .option('--kubeconfig <file>', 'the kubeconfig of the cluster')
    .option('--context <name>', 'the context of the kubeconfig')
    .option('--project <folder>', 'the server of keelson dev that runs for this project')
    .option('--json', 'print the ring as JSON')
    .addHelpText('after', examples)
    .action(async (options: CommandOptions) => {
      finish(await runShards(options, terminal));
    });
}

async function runShards(options: CommandOptions, terminal: Terminal): Promise<ExitCode> {
  const { name, kubeconfig, context, project, json = false } = options;
  const { chosenCluster } = await import('../objects/session-cluster.ts');
  // Unlike apply and delete the command changes nothing, so that the current context is a safe default.
  const isExisting = project === undefined;
  const chosen = { project: project ?? '.', cluster: isExisting, kubeconfig, context };
  const cluster = await chosenCluster(chosen, terminal);
  await using client = cluster.client;
  const { namespace = cluster.namespace } = options;
  const labelSelector = `keelson.dev/sharding=${name}`;
  const { items } = await client.list(builtin.Lease, { namespace, labelSelector });
  const table = replicaTable(name, items, Date.now());
  if (json) terminal.print(JSON.stringify(table, undefined, 2));
  else for (const line of tableLines(table)) terminal.print(line);
  return table.unclaimed === 0 ? EXIT_OK : EXIT_FAILED;
}
