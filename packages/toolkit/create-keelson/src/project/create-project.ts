import { checkChoices } from '../choices/check-choices.ts';
import type { Choices } from '../choices/choices.ts';
import { render } from '../template/render.ts';
import { readTemplate, type Files } from '../template/template.ts';
import { ownVersion } from './own-version.ts';
import { printRecord, recordOf, RECORD_FILE } from './record.ts';
import { writeProject } from './write-project.ts';

/** A new project. */
export interface CreatedProject {
  readonly folder: string;
  /** The paths of its files, sorted. */
  readonly files: readonly string[];
}

/**
 * Writes a project into a folder that is missing or empty. Throws `CHOICE_INVALID`, `FOLDER_NOT_EMPTY` and
 * `WRITE_FAILED`; after an error no new file is left.
 */
export async function createProject(choices: Choices, folder: string): Promise<CreatedProject> {
  checkChoices(choices);
  const files = projectFiles(choices);
  await writeProject(folder, files);
  return { folder, files: [...files.keys()].toSorted() };
}

/** The files of a project with its record. */
function projectFiles(choices: Choices): Files {
  const version = ownVersion();
  const files = render(readTemplate(choices.variant), choices, version);
  const record = printRecord(recordOf(choices, files, version));
  return new Map([...files, [RECORD_FILE, record]]);
}
