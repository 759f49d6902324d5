import { InvalidArgumentError, type Command } from 'commander';
import type { ExitCode, Terminal } from '../terminal/terminal.ts';

interface CommandOptions {
  readonly project: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly cluster?: boolean;
  readonly installCrds?: boolean;
  readonly port?: number;
}

const examples = `
Without options the program runs against an API server in memory, which keeps its
objects while the program restarts. The command prints the path of a kubeconfig
for kubectl. The words after -- are arguments of the program; NODE_OPTIONS has
options of Node.js.

Examples:
  keelson dev
  keelson dev --port 8080
  keelson dev --context staging
  keelson dev --cluster --install-crds
  keelson dev -- --log-level debug

Exit codes:
  0  ended by Ctrl-C or SIGTERM
  1  an error before the first start of the program
  2  an invalid command line
`;

/** Adds `keelson dev` to the program. `finish` receives the exit code. */
export function addDevCommand(
  program: Command,
  terminal: Terminal,
  finish: (code: ExitCode) => void,
): void {
  program
    .command('dev')
    .summary('run an operator and restart it after changes')
    .description(
      'Runs the main module of a project, by default against an API server in memory with the ' +
        'definitions of the project, and restarts it after each change of its files.',
    )
    .argument('[args...]', 'arguments of the program, after --')
    .option('--project <folder>', 'the folder of the project', '.')
    .option('--cluster', 'use the current context of the kubeconfig')
    .option('--kubeconfig <file>', 'use the cluster of this kubeconfig')
    .option('--context <name>', 'use the cluster of this context')
    .option('--install-crds', 'apply the definitions of the project to that cluster')
    .option('--port <number>', 'the port of the server in memory (default: any)', portOf)
    .addHelpText('after', examples)
    .action(async (args: readonly string[], options: CommandOptions, command: Command) => {
      const { project: folder, kubeconfig, context, installCrds = false, port } = options;
      const isExisting =
        options.cluster === true || kubeconfig !== undefined || context !== undefined;
      if (installCrds && !isExisting) {
        command.error("error: option '--install-crds' requires a cluster, such as '--cluster'");
      }
      if (port !== undefined && isExisting) {
        command.error("error: option '--port' is for the server in memory");
      }
      // The server in memory takes a while to load, which no other command needs.
      const { runDev } = await import('./run-dev.ts');
      const existing = isExisting ? { kubeconfig, context, installCrds } : undefined;
      const { env } = process;
      const settings = { folder, args, env, existing, port: port ?? 0, signals: process };
      finish(await runDev(settings, terminal));
    });
}

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError('It must be a number from 0 to 65535.');
}
