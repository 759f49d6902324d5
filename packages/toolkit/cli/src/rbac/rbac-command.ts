import type { Command } from 'commander';
import type { RecordedRoles } from '@keelson/envtest';
import { readProject } from '../project/project.ts';
import { Failures } from '../terminal/failures.ts';
import { EXIT_FAILED, EXIT_OK, type ExitCode, type Terminal } from '../terminal/terminal.ts';
import { recordRoles } from './record-roles.ts';
import { RoleFile } from './role-file.ts';

interface RbacOptions {
  readonly check?: boolean;
  readonly project: string;
}

/** The command that npm runs for the tests of a project. */
const DEFAULT_COMMAND = ['npm', 'test'];

const examples = `
The command runs in the folder of the project. Its tests call environment.checkRoles(user, FILE) of
@keelson/envtest, which records what the user needed instead of comparing. Then FILE is updated:
rules that are missing are added (+), rules that no request needed are removed (-).

Examples:
  keelson rbac
  keelson rbac --check
  keelson rbac -- npx vitest run
  keelson rbac -- node --test src/operator.test.ts

Exit codes:
  0  done, and with --check: the role files are up to date
  1  the command failed, an error, or with --check: the role files are not up to date
  2  an invalid command line
`;

/** Adds `keelson rbac` to the program. `finish` receives the exit code. */
export function addRbacCommand(
  program: Command,
  terminal: Terminal,
  finish: (code: ExitCode) => void,
): void {
  program
    .command('rbac')
    .summary('write the roles of an operator from the requests of its tests')
    .description('Runs the tests of a project and writes the roles that its operator needs.')
    .argument('[command...]', 'the command that runs the tests (default: npm test)')
    .option('--check', 'write nothing; fail if a role file is not up to date')
    .option('--project <folder>', 'the folder of package.json', '.')
    .addHelpText('after', examples)
    .action(async (command: readonly string[], options: RbacOptions) => {
      finish(await runRbac(command.length === 0 ? DEFAULT_COMMAND : command, options, terminal));
    });
}

async function runRbac(
  command: readonly string[],
  { check = false, project }: RbacOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const { folder } = await readProject(project);
  let isChanged = false;
  const failures = new Failures();
  for (const { path, recorded } of await recordRoles(folder, command)) {
    const lines = await failures.attempt(() => updateFile(recorded, check));
    if (lines === undefined) continue;
    const text = lines.length === 0 ? `${path} is up to date` : [path, ...lines].join('\n');
    if (check && lines.length > 0) terminal.complain(text);
    else terminal.print(text);
    isChanged ||= lines.length > 0;
  }
  failures.report(terminal);
  if (!check || !isChanged) return failures.isEmpty ? EXIT_OK : EXIT_FAILED;
  terminal.complain('The roles are not up to date: run the command without --check.');
  return EXIT_FAILED;
}

/** Returns the rules that change. */
async function updateFile(recorded: RecordedRoles, check: boolean): Promise<readonly string[]> {
  const file = await RoleFile.read(recorded.file);
  const { roles, added, removed } = recorded.update(file.roles);
  const lines = [...added.map((line) => `+ ${line}`), ...removed.map((line) => `- ${line}`)];
  if (!check && lines.length > 0) await file.write(roles);
  return lines;
}
