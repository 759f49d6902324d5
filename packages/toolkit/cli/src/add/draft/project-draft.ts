import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CliError } from '../../errors.ts';
import type { Project } from '../../project/project.ts';

/** A file that a command would write. */
export interface FileChange {
  /** The path below the folder of the project. */
  readonly path: string;
  /** Undefined for a new file. */
  readonly before: string | undefined;
  readonly after: string;
}

/** The files of a project with changes that are not written yet. A later step of a command reads those of the earlier ones. */
export class ProjectDraft {
  readonly project: Project;
  readonly #before = new Map<string, string | undefined>();
  readonly #after = new Map<string, string>();

  constructor(project: Project) {
    this.project = project;
  }

  /** The files that differ from those of the folder, in the order of the steps. */
  get changes(): readonly FileChange[] {
    return [...this.#after]
      .map(([path, after]) => ({ path, before: this.#before.get(path), after }))
      .filter(({ before, after }) => before !== after);
  }

  /** Reads a file; undefined if it is missing. Throws `SOURCE_UNREADABLE`. */
  async find(path: string): Promise<string | undefined> {
    if (this.#after.has(path)) return this.#after.get(path);
    if (!this.#before.has(path)) this.#before.set(path, await this.#read(path));
    return this.#before.get(path);
  }

  /** Reads a file. Throws `SOURCE_UNREADABLE`, also if it is missing. */
  async read(path: string): Promise<string> {
    const text = await this.find(path);
    if (text === undefined) throw unreadable(this.#fileOf(path), 'the file is missing');
    return text;
  }

  /** Adds a file. One with the same text stays. Throws `FILE_EXISTS` for any other one: a person may have written it. */
  async create(path: string, text: string): Promise<void> {
    const present = await this.find(path);
    if (present === undefined) this.#after.set(path, text);
    else if (!hasSameLines(present, text)) {
      throw new CliError('FILE_EXISTS', { file: this.#fileOf(path) });
    }
  }

  /** Replaces the text of a file that was read before. */
  replace(path: string, text: string): void {
    this.#after.set(path, text);
  }

  #fileOf(path: string): string {
    return join(this.project.folder, path);
  }

  async #read(path: string): Promise<string | undefined> {
    const file = this.#fileOf(path);
    try {
      return await readFile(file, 'utf8');
    } catch (cause) {
      const { code, message } = cause as NodeJS.ErrnoException;
      if (code === 'ENOENT' || code === 'EISDIR') return undefined;
      throw unreadable(file, message, cause);
    }
  }
}

function unreadable(source: string, reason: string, cause?: unknown): CliError {
  return new CliError('SOURCE_UNREADABLE', { source, reason }, { cause });
}

/** Git may have changed the ends of the lines. */
function hasSameLines(one: string, other: string): boolean {
  return one.replaceAll('\r\n', '\n') === other.replaceAll('\r\n', '\n');
}
