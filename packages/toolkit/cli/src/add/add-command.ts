import { InvalidArgumentError, type Command } from 'commander';
import type { Confirm } from '../terminal/confirm.ts';
import type { ExitCode, Terminal } from '../terminal/terminal.ts';
import type { AddOptions, AddPlan } from './run-add.ts';

interface KindOptions extends AddOptions {
  readonly group?: string;
  readonly plural?: string;
  readonly apiVersion?: string;
  readonly controller: boolean;
}

interface ControllerOptions extends AddOptions {
  readonly spec?: object;
}

interface WebhookOptions extends AddOptions {
  readonly spec?: object;
  readonly mutate?: boolean;
}

interface DashboardOptions extends AddOptions {
  readonly controller?: string;
}

const examples = `
Each command shows the difference of the files, and writes them after a confirmation. A file that a
person wrote is never overwritten: code is inserted into it, or the command fails.

Examples:
  keelson add kind Order                        a kind, its definition, its controller and permissions
  keelson add kind Order --group sales.example --plural orders --no-controller
  keelson add controller Order                  the controller of a kind of the project
  keelson add webhook Order                     a webhook that validates, or with --mutate changes
  keelson add policy Order                      a ValidatingAdmissionPolicy
  keelson add dashboard Order                   a dashboard of Grafana

Exit codes:
  0  done, or the project has it already
  1  an error, or not confirmed, or with --check: the project lacks it
  2  an invalid command line
`;

/** Adds `keelson add` to the program. `finish` receives the exit code. */
export function addAddCommand(
  program: Command,
  host: { readonly terminal: Terminal; readonly confirm: Confirm | undefined },
  finish: (code: ExitCode) => void,
): void {
  const add = program
    .command('add')
    .summary('add a kind, a controller, a webhook, a policy or a dashboard to a project')
    .description('Adds code, its test, manifests and permissions to an existing project.')
    .addHelpText('after', examples);
  shared(add.command('kind'), 'a kind, with its definition, controller and permissions')
    .argument('<kind>', 'the kind in UpperCamelCase, such as Order')
    .option('--group <group>', "the API group (default: that of the project's first kind)")
    .option('--plural <name>', 'the plural in URLs (default: the English plural)')
    .option('--api-version <version>', 'the version (default: "v1")')
    .option('--no-controller', 'only the kind and its definition')
    .action(async (kind: string, options: KindOptions) => {
      const { planKind } = await import('./plans.ts');
      finish(
        await run(
          (draft) => planKind(draft, { ...options, kind, version: options.apiVersion }),
          options,
        ),
      );
    });
  shared(add.command('controller'), 'a controller for a kind of the project')
    .argument('<kind>', 'the kind, such as Order')
    .option(
      '--spec <json>',
      'the spec of the object in the test (default: from the schema)',
      jsonOf,
    )
    .action(async (kind: string, options: ControllerOptions) => {
      const { planController } = await import('./plans.ts');
      finish(await run((draft) => planController(draft, kind, options.spec), options));
    });
  shared(add.command('webhook'), 'an admission webhook for a kind of the project')
    .argument('<kind>', 'the kind, such as Order')
    .option('--mutate', 'change objects instead of validating them')
    .option(
      '--spec <json>',
      'the spec of the object in the test (default: from the schema)',
      jsonOf,
    )
    .action(async (kind: string, options: WebhookOptions) => {
      const { planWebhook } = await import('./plans.ts');
      finish(await run((draft) => planWebhook(draft, kind, options), options));
    });
  shared(add.command('policy'), 'an admission policy for a kind of the project')
    .argument('<kind>', 'the kind, such as Order')
    .action(async (kind: string, options: AddOptions) => {
      const { planPolicy } = await import('./plans.ts');
      finish(await run((draft) => planPolicy(draft, kind), options));
    });
  shared(add.command('dashboard'), 'a Grafana dashboard for a kind of the project')
    .argument('<kind>', 'the kind, such as Order')
    .option(
      '--controller <name>',
      'the name of its controller (default: the kind in lower case)',
      controllerName,
    )
    .action(async (kind: string, options: DashboardOptions) => {
      const { planDashboard } = await import('./plans.ts');
      finish(await run((draft) => planDashboard(draft, kind, options.controller), options));
    });

  async function run(plan: AddPlan, options: AddOptions): Promise<ExitCode> {
    // The parser takes longer to load than most commands take.
    const { runAdd } = await import('./run-add.ts');
    return runAdd(plan, options, host);
  }
}

function shared(command: Command, summary: string): Command {
  return command
    .summary(summary)
    .description(`Adds ${summary}.`)
    .option('-y, --yes', 'write the files without a question')
    .option('--dry-run', 'show the difference and write nothing')
    .option('--check', 'show the difference and write nothing; fail if there is one')
    .option('--project <folder>', 'the folder of package.json', '.');
}

/** The names that `addController` accepts. */
function controllerName(text: string): string {
  if (/^[\w.-]+$/.test(text)) return text;
  throw new InvalidArgumentError('It must have letters, digits, "-", "_" and ".".');
}

function jsonOf(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // The message below names the expected form.
  }
  throw new InvalidArgumentError('It must be a JSON object.');
}
