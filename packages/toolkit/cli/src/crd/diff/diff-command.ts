import type { Command } from 'commander';
import { EXIT_FAILED, EXIT_OK, type ExitCode, type Terminal } from '../../terminal/terminal.ts';
import type { ClusterOptions } from '../../types/sources/cluster-definitions.ts';
import type { DefinitionChange, DefinitionDifference } from './compare-definitions.ts';
import { readDefinitions } from './read-definitions.ts';

interface DiffOptions extends ClusterOptions {
  readonly json?: boolean;
}

const examples = `
Sources:
  a file, a folder with its subfolders, an http(s) URL, a kind module (.ts or .js), or a cluster:
  cluster:                       every definition of the cluster
  cluster:shop.example           those of a group
  cluster:widgets.shop.example   one definition, by its name

Definitions are compared by name. A definition that only OLD has is a break, one that only NEW has is not.

Examples:
  keelson crd diff released/crds config/crd
  keelson crd diff config/crd/websites.example.com.yaml src/website.ts
  keelson crd diff cluster:websites.example.com src/website.ts --context production
  keelson crd diff https://example.com/v1/crds.yaml config/crd --json

Exit codes:
  0  no change breaks stored objects or clients
  1  a change breaks them, or an error
  2  an invalid command line
`;

/** Adds `keelson crd diff`. */
export function addDiffCommand(
  crd: Command,
  terminal: Terminal,
  finish: (code: ExitCode) => void,
): void {
  crd
    .command('diff')
    .summary('list the changes that break stored objects or clients')
    .description(
      'Compares two states of CustomResourceDefinitions and lists the changes that break stored ' +
        'objects or clients, each with its path, the reason and the cure.',
    )
    .argument('<old>', 'the released definitions')
    .argument('<new>', 'the definitions of the next release')
    .option('--json', 'print the result as JSON')
    .option('--kubeconfig <file>', 'the kubeconfig for cluster: sources')
    .option('--context <name>', 'the context for cluster: sources')
    .addHelpText('after', examples)
    .action(async (before: string, after: string, options: DiffOptions) => {
      finish(await runDiff(before, after, { ...options, terminal }));
    });
}

async function runDiff(
  before: string,
  after: string,
  { terminal, json = false, ...cluster }: DiffOptions & { readonly terminal: Terminal },
): Promise<ExitCode> {
  const [old, current] = [
    await readDefinitions(before, cluster),
    await readDefinitions(after, cluster),
  ];
  const { compareDefinitions } = await import('./compare-definitions.ts');
  const difference = compareDefinitions(old, current);
  terminal.print(json ? JSON.stringify(difference, undefined, 2) : textOf(difference));
  return difference.changes.length === 0 ? EXIT_OK : EXIT_FAILED;
}

function textOf({ compared, added, changes }: DefinitionDifference): string {
  const groups = Map.groupBy(changes, ({ breaks }) => breaks.join(' and '));
  const blocks = [...groups.keys()]
    .toSorted((one, other) => other.length - one.length)
    .map((group) => [`breaks ${group}:`, ...(groups.get(group) ?? []).map(linesOf)].join('\n'));
  const news = added.map((name) => `new: ${name}`);
  const counts = [
    `compared: ${compared.length}`,
    `new: ${added.length}`,
    `breaking changes: ${changes.length}`,
  ];
  return [...blocks, ...news, counts.join(', ')].join('\n');
}

function linesOf({ definition, version, path, reason, cure }: DefinitionChange): string {
  const where = [definition, ...(version === undefined ? [] : [version]), path].join(' ');
  return `  ${where}: ${reason}\n    cure: ${cure}`;
}
