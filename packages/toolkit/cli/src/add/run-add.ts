import { join } from 'node:path';
import { CliError } from '../errors.ts';
import { entriesOf } from '../output/output-folder.ts';
import { writeOutput } from '../output/write-output.ts';
import { readProject } from '../project/project.ts';
import type { Confirm } from '../terminal/confirm.ts';
import { EXIT_FAILED, EXIT_OK, type ExitCode, type Terminal } from '../terminal/terminal.ts';
import { ProjectDraft } from './draft/project-draft.ts';
import { showChanges } from './draft/show-changes.ts';
import { writeChanges } from './draft/write-changes.ts';

/** The options that the subcommands of `keelson add` share. */
export interface AddOptions {
  readonly project: string;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly check?: boolean;
}

/** The result of the plan of a subcommand. */
export interface Addition {
  /** The parts that the project has already. */
  readonly notes: readonly string[];
  /** The next steps of the user. */
  readonly next: readonly string[];
}

/** Plans the changes of a project. */
export type AddPlan = (draft: ProjectDraft) => Promise<Addition>;

/** The terminal of a run. */
export interface AddHost {
  readonly terminal: Terminal;
  /** Undefined without a terminal. */
  readonly confirm: Confirm | undefined;
}

/**
 * Plans an addition, shows the difference of the files, and writes them after a confirmation. Generated manifests of the
 * project are brought up to date afterwards. Throws `ADD_NOT_CONFIRMED` without a terminal and `--yes`.
 */
export async function runAdd(
  plan: AddPlan,
  options: AddOptions,
  { terminal, confirm }: AddHost,
): Promise<ExitCode> {
  const draft = new ProjectDraft(await readProject(options.project));
  const { notes, next } = await plan(draft);
  const { changes } = draft;
  for (const note of notes) terminal.print(note);
  if (changes.length === 0) return EXIT_OK;
  showChanges(changes, terminal);
  if (options.check === true) {
    terminal.complain('The project lacks these changes: run the command without --check.');
    return EXIT_FAILED;
  }
  if (options.dryRun === true) return EXIT_OK;
  if (options.yes !== true && (await confirm?.(questionOf(changes.length))) !== true) {
    const reason =
      confirm === undefined ? 'there is no terminal: use --yes' : 'the files were not approved';
    throw new CliError('ADD_NOT_CONFIRMED', { reason });
  }
  const { folder } = draft.project;
  await writeChanges(folder, changes);
  for (const { path } of changes) terminal.print(`written ${path}`);
  const code = await updateManifests(folder, terminal);
  for (const line of next) terminal.print(line);
  return code;
}

function questionOf(length: number): string {
  return `Write ${length === 1 ? 'this file' : `these ${length} files`}?`;
}

/** Generates the manifests again if the project has them in the default folder. */
async function updateManifests(folder: string, terminal: Terminal): Promise<ExitCode> {
  const chart = await entriesOf(join(folder, 'deploy', 'chart'));
  if (!chart.some(({ name }) => name === 'Chart.yaml')) return EXIT_OK;
  const { manifestsOutput, manifestsWords } = await import('../manifests/manifests-output.ts');
  return writeOutput(await manifestsOutput(await readProject(folder)), manifestsWords, terminal);
}
