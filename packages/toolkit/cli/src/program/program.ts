import { Command, CommanderError } from 'commander';
import { addAddCommand } from '../add/add-command.ts';
import { addBundleCommand } from '../bundle/bundle-command.ts';
import { addRbacCommand } from '../rbac/rbac-command.ts';
import { addDevCommand } from '../dev/dev-command.ts';
import { addDoctorCommand } from '../doctor/doctor-command.ts';
import { addShardsCommand } from '../shards/shards-command.ts';
import { addSnapshotCommand } from '../snapshot/snapshot-command.ts';
import { Failures } from '../terminal/failures.ts';
import type { Confirm } from '../terminal/confirm.ts';
import { EXIT_FAILED, EXIT_OK, EXIT_USAGE } from '../terminal/terminal.ts';
import type { ExitCode, Terminal } from '../terminal/terminal.ts';
import { addCrdCommand } from '../crd/crd-command.ts';
import { addManifestsCommand } from '../manifests/manifests-command.ts';
import { addInspectCommands } from '../inspect/inspect-command.ts';
import { addObjectsCommands } from '../objects/objects-command.ts';
import { addTypesCommand } from '../types/types-command.ts';
import { addWhyCommand } from '../why/why-command.ts';

const help = `
Run keelson COMMAND --help to see its options and examples.

Guides: https://github.com/keelson/keelson/tree/main/docs/guides
Errors: https://github.com/keelson/keelson/blob/main/docs/errors.md
`;

/**
 * Runs the `keelson` command with the words after its name and resolves with its exit code. Errors are printed, never
 * thrown. Without `confirm` no question is asked.
 */
export async function runProgram(
  words: readonly string[],
  terminal: Terminal,
  version: string,
  confirm?: Confirm,
): Promise<ExitCode> {
  let exitCode: ExitCode = EXIT_OK;
  const program = new Command('keelson')
    .description('Tools for Kubernetes operators on Keelson.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print the help of a command')
    // The commands inherit what is set above them.
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.write(text),
      writeErr: (text) => terminal.complain(text.trimEnd()),
    })
    .showHelpAfterError('Run the command with --help to see its options.')
    .addHelpText('after', help)
    .hook('preAction', (_program, command) => refuseEmptyOptions(command));
  const finish = (code: ExitCode): void => {
    exitCode = code;
  };
  addTypesCommand(program, terminal, finish);
  addCrdCommand(program, terminal, finish);
  addRbacCommand(program, terminal, finish);
  addManifestsCommand(program, terminal, finish);
  addBundleCommand(program, terminal, finish);
  addAddCommand(program, { terminal, confirm }, finish);
  addDevCommand(program, terminal, finish);
  addObjectsCommands(program, terminal, finish);
  addDoctorCommand(program, terminal, finish);
  addWhyCommand(program, terminal, finish);
  addShardsCommand(program, terminal, finish);
  addSnapshotCommand(program, terminal, finish);
  addInspectCommands(program, terminal, finish);
  try {
    await program.parseAsync(words, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_OK : EXIT_USAGE;
    const failures = new Failures();
    failures.add(error);
    failures.report(terminal);
    return EXIT_FAILED;
  }
}

/** A shell variable that is not set becomes an empty value, which would mean another folder or cluster. */
function refuseEmptyOptions(command: Command): void {
  for (const option of command.options) {
    if (command.getOptionValue(option.attributeName()) === '') {
      command.error(`error: option '${option.flags}' must not be empty`);
    }
  }
}
