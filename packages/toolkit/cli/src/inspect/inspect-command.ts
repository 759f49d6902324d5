import { InvalidArgumentError, type Command } from 'commander';
import { EXIT_FAILED, EXIT_OK, type ExitCode, type Terminal } from '../terminal/terminal.ts';
import type { DebugServer } from './debug-server.ts';
import type { Overview } from './overview-text.ts';
import { optional } from './response-shape.ts';

interface ServerOptions {
  readonly url?: string;
  readonly pod?: string;
  readonly proxy?: boolean;
  readonly port: number;
  readonly token?: string;
  readonly tokenFile?: string;
  readonly namespace?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly kubectl: string;
  readonly json?: boolean;
  readonly stay?: boolean;
}

const inspectExamples = `
The token is servers.debug.token of the manager, or manager.debugToken.

Examples:
  keelson inspect --url http://127.0.0.1:8082 --token-file token
  keelson inspect --pod web-app-7d9f --namespace operators --token-file token --stay
  keelson inspect --pod web-app-7d9f --namespace operators --token-file token --proxy

Exit codes:
  0  every controller runs
  1  a controller is paused or has an obstacle, or the server cannot be read
  2  an invalid command line
`;

const explainExamples = `
KIND is the kind that a controller reconciles, or the name of a controller. The key of a request is such as shop/web.

Examples:
  keelson explain WebApp shop/web --url http://127.0.0.1:8082 --token-file token
  keelson explain web-app shop/web --pod web-app-7d9f --token-file token
`;

/** Adds `keelson inspect` and `keelson explain` to the program. `finish` receives the exit code. */
export function addInspectCommands(
  program: Command,
  terminal: Terminal,
  finish: (code: ExitCode) => void,
): void {
  const inspect = program
    .command('inspect')
    .summary('print what the controllers and watches of a running operator do')
    .description('Reads the inspector of the debug server of an operator. It changes nothing.');
  withServer(inspect)
    .option('--json', 'print the data of the page as JSON')
    .option('--stay', 'with --pod: print the address of the page, and keep it open until Ctrl-C')
    .addHelpText('after', inspectExamples)
    .action(async (options: ServerOptions) => finish(await runInspect(options, terminal)));
  const explain = program
    .command('explain')
    .summary('print why a request ran or does not run')
    .description('Asks a running operator why the requests of an object ran or do not run.')
    .argument('<kind>', 'the kind, or the name of a controller')
    .argument('<name>', 'the key of the request: namespace/name, or name');
  withServer(explain)
    .addHelpText('after', explainExamples)
    .action(async (kind: string, name: string, options: ServerOptions) =>
      finish(await runExplain(kind, name, options, terminal)),
    );
}

function withServer(command: Command): Command {
  return command
    .option('--url <address>', 'the address of the debug server', addressOf)
    .option('--pod <name>', 'the Pod, which kubectl port-forward reaches')
    .option(
      '--proxy',
      'reach the Pod through the API server: its debug server has tls and authentication',
    )
    .option('--port <port>', 'the port of the debug server in the Pod', portOf, 8082)
    .option('--token <text>', 'the token; it is better in a file')
    .option('--token-file <file>', 'the file with the token')
    .option('--namespace <name>', 'the namespace of the Pod')
    .option('--kubeconfig <file>', 'the kubeconfig of the cluster')
    .option('--context <name>', 'the context of the kubeconfig')
    .option('--kubectl <program>', 'the program that reaches the cluster', 'kubectl')
    .hook('preAction', (_program, own) => {
      const { url, pod, proxy } = own.opts<ServerOptions>();
      const isOne = (url === undefined) !== (pod === undefined);
      if (!isOne) own.error('error: give either --url or --pod');
      if (proxy === true && pod === undefined) own.error('error: --proxy needs --pod');
    });
}

async function runInspect(options: ServerOptions, terminal: Terminal): Promise<ExitCode> {
  return withDebugServer(options, async (server, address) => {
    const { overviewLines, overviewShape } = await import('./overview-text.ts');
    const overview = await server.readJson<Overview>('/debug/inspector/snapshot', overviewShape);
    if (options.json === true) terminal.print(JSON.stringify(overview));
    else for (const line of overviewLines(overview)) terminal.print(line);
    if (options.stay === true) await stay(address, terminal);
    const isWell = overview.controllers.set.every(({ obstacles }) => obstacles.length === 0);
    return isWell ? EXIT_OK : EXIT_FAILED;
  });
}

async function runExplain(
  kind: string,
  name: string,
  options: ServerOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  return withDebugServer(options, async (server) => {
    const names = await controllersOf(server, kind);
    if (names.length === 0) {
      terminal.complain(`error: no controller has this name or kind: ${kind}`);
      return EXIT_FAILED;
    }
    for (const controller of names) {
      const query = { controller, request: name, format: 'text' };
      terminal.print((await server.read('/debug/explain', query)).trimEnd());
    }
    return EXIT_OK;
  });
}

/** The part of an explanation of a controller that finds it. */
interface ExplainedController {
  readonly controller: string;
  /** The kind of `for`. */
  readonly kind?: string;
}

/** The names of the controllers with this name, or with this kind in `for`. */
async function controllersOf(server: DebugServer, kind: string): Promise<readonly string[]> {
  const all = await server.readJson<readonly ExplainedController[]>('/debug/explain', [
    { controller: 'string', kind: optional('string') },
  ]);
  const given = kind.toLowerCase();
  return all
    .filter(({ controller, kind: own }) => controller === kind || own?.toLowerCase() === given)
    .map(({ controller }) => controller);
}

/** Calls a function with the debug server that the options name, and closes what reaches it. */
async function withDebugServer(
  options: ServerOptions,
  use: (server: DebugServer, address: string) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { DebugServer, readToken } = await import('./debug-server.ts');
  const token = await readToken(options.token, options.tokenFile);
  const { url, pod = '' } = options;
  if (url !== undefined) {
    return use(new DebugServer({ url, token }), url);
  }
  const { forwardPort, proxyPod } = await import('./pod-tunnel.ts');
  await using tunnel = await (options.proxy === true ? proxyPod : forwardPort)({ ...options, pod });
  return await use(new DebugServer({ url: tunnel.url, token }), tunnel.url);
}

async function stay(address: string, terminal: Terminal): Promise<void> {
  const { onQuitSignals } = await import('../dev/quit-signals.ts');
  terminal.print('');
  terminal.print(`inspector: ${address}/debug/inspector (Ctrl-C ends)`);
  const { promise, resolve } = Promise.withResolvers<void>();
  await promise.finally(onQuitSignals(process, resolve));
}

/** The address without a slash at the end. */
function addressOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (isHttp && url.search === '' && url.hash === '') return text.replace(/\/$/, '');
  // The page of the inspector has a token in its fragment, and a part after it would be no path.
  throw new InvalidArgumentError(
    'It must be an address such as http://127.0.0.1:8082, without a query and a fragment.',
  );
}

function portOf(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new InvalidArgumentError('It must be a port from 1 to 65535.');
}
