import { watch } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';

/** The state of a file by which a change is noticed. */
type FileStates = ReadonlyMap<string, string>;

/** The files of a folder, without hidden ones. A volume of Kubernetes keeps its versions in hidden folders. */
export class FolderChanges {
  readonly #folder: string;
  /** Milliseconds between two reads without a notification, which some file systems do not send. */
  readonly #interval: number;
  #known: FileStates = new Map();

  constructor(folder: string, interval: number) {
    this.#folder = folder;
    this.#interval = interval;
  }

  /**
   * Yields the name of each file that is new, changed or gone. Files that were yielded before a failure are yielded again
   * only after a change. Throws if the folder cannot be read.
   */
  async *read(signal: AbortSignal): AsyncGenerator<{ readonly file: string }> {
    let next = Promise.withResolvers<void>();
    // Before the first read, so that no change is missed between a read and its wait.
    const changed = (): void => next.resolve();
    const watcher = watch(this.#folder, { persistent: false, signal }, changed);
    watcher.on('error', changed);
    try {
      signal.addEventListener('abort', changed);
      while (!signal.aborted) {
        next = Promise.withResolvers();
        yield* this.#changes(await statesOf(this.#folder));
        const timer = setTimeout(changed, this.#interval);
        if (!signal.aborted) await next.promise;
        clearTimeout(timer);
      }
    } finally {
      signal.removeEventListener('abort', changed);
      watcher.close();
    }
  }

  *#changes(found: FileStates): Generator<{ readonly file: string }> {
    const known = this.#known;
    this.#known = found;
    for (const file of new Set([...known.keys(), ...found.keys()])) {
      if (known.get(file) !== found.get(file)) yield { file };
    }
  }
}

async function statesOf(folder: string): Promise<FileStates> {
  const names = (await readdir(folder)).filter((name) => !name.startsWith('.'));
  const states = await Promise.all(names.map((name) => stateOf(path.join(folder, name))));
  return new Map(
    names.flatMap((name, at) => (states[at] === undefined ? [] : [[name, states[at]]])),
  );
}

/** The state of a file; `undefined` for a folder, and for a file that is gone meanwhile. */
async function stateOf(file: string): Promise<string | undefined> {
  try {
    const facts = await stat(file, { bigint: true });
    return facts.isFile() ? `${facts.ino} ${facts.size} ${facts.mtimeNs}` : undefined;
  } catch {
    return undefined;
  }
}
