import { isDnsLabel, parseDuration } from '@keelson/apimachinery';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { EXIT_FAILED, EXIT_OK, type ExitCode, type Terminal } from '../terminal/terminal.ts';
import type { CheckResult } from './runner/check-runner.ts';

interface CommandOptions {
  readonly project: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly as?: string;
  readonly namespaces?: readonly string[];
  readonly timeout: number;
  readonly json?: boolean;
}

const examples = `
Checks:
  Node.js      the version, and that it is not Bun
  project      the member keelson of package.json
  packages     the @keelson packages have one version
  kubeconfig   the file can be read and has the context
  server       it responds, and its version is supported
  definitions  those of the project are installed, established and equal
  conversions  those that definitions need are served
  permissions  the user has those of the roles of the project
  namespace    the namespace of the operator exists

Examples:
  keelson doctor
  keelson doctor --context staging
  keelson doctor --as system:serviceaccount:website-operator:website-operator
  keelson doctor --as system:serviceaccount:website-operator:website-operator --namespaces shop,warehouse
  keelson doctor --json

Exit codes:
  0  no check failed
  1  a check failed
  2  an invalid command line
`;

/** Adds `keelson doctor` to the program. `finish` receives the exit code. */
export function addDoctorCommand(
  program: Command,
  terminal: Terminal,
  finish: (code: ExitCode) => void,
): void {
  program
    .command('doctor')
    .summary('check the installation, the cluster and the permissions of an operator')
    .description(
      'Checks that a project can run: the installation, the connection to a cluster, and the ' +
        'definitions and permissions there. It changes nothing.',
    )
    .option('--project <folder>', 'the folder of the project', '.')
    .option('--kubeconfig <file>', 'the kubeconfig of the cluster')
    .option('--context <name>', 'the context of the kubeconfig')
    .option('--as <user>', 'check the permissions of this user, by impersonation')
    .option(
      '--namespaces <names>',
      'check the roles in these namespaces (default: watchNamespaces of the project, else all)',
      namespacesOf,
    )
    .addOption(
      new Option('--timeout <duration>', 'the time limit of each check')
        .argParser(durationOf)
        .default(10_000, '10s'),
    )
    .option('--json', 'print the results as JSON')
    .addHelpText('after', examples)
    .action(async (options: CommandOptions) => {
      finish(await runDoctor(options, terminal));
    });
}

async function runDoctor(options: CommandOptions, terminal: Terminal): Promise<ExitCode> {
  const { project: folder, kubeconfig, context, as, namespaces } = options;
  const { timeout, json = false } = options;
  const results: CheckResult[] = [];
  const { examine } = await import('./examine.ts');
  await examine({
    folder,
    kubeconfig,
    context,
    as,
    namespaces,
    timeout,
    versions: process.versions,
    onResult: (result) => {
      results.push(result);
      if (!json) print(result, terminal);
    },
  });
  if (json) terminal.print(JSON.stringify({ checks: results }, undefined, 2));
  return results.some(({ status }) => status === 'failed') ? EXIT_FAILED : EXIT_OK;
}

function print({ name, status, detail, cure }: CheckResult, terminal: Terminal): void {
  const line = `${status.padEnd(8)} ${name.padEnd(12)} ${detail}`;
  const text = cure === undefined ? line : `${line}\n${' '.repeat(22)}${cure}`;
  if (status === 'failed') terminal.complain(text);
  else terminal.print(text);
}

function namespacesOf(text: string): readonly string[] {
  const names = text.split(',');
  if (names.every((name) => isDnsLabel(name))) return names;
  throw new InvalidArgumentError('It must be names of namespaces, separated by commas.');
}

function durationOf(text: string): number {
  try {
    const duration = parseDuration(text, '--timeout');
    if (duration > 0) return duration;
  } catch {
    // The message of commander names the option.
  }
  throw new InvalidArgumentError('It must be a duration such as 10s.');
}
