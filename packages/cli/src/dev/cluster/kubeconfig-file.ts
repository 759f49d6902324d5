import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A kubeconfig that only its owner can read, and that exists until it is disposed. */
export class KubeconfigFile implements AsyncDisposable {
  readonly path: string;
  readonly #text: string;
  /** The folder to remove with the file; undefined if it stays. */
  readonly #temporaryFolder: string | undefined;

  private constructor(path: string, text: string, temporaryFolder: string | undefined) {
    this.path = path;
    this.#text = text;
    this.#temporaryFolder = temporaryFolder;
  }

  /**
   * Writes the file into `node_modules/.cache/keelson/dev` of the project, so that its path is the same in each
   * session, or without `node_modules` into a new folder for temporary files.
   */
  static async write(projectFolder: string, text: string): Promise<KubeconfigFile> {
    const modules = join(projectFolder, 'node_modules');
    const isInstalled = existsSync(modules);
    const folder = isInstalled
      ? join(modules, '.cache', 'keelson', 'dev')
      : await mkdtemp(join(tmpdir(), 'keelson-dev-'));
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, 'kubeconfig');
    await writeNew(path, text);
    return new KubeconfigFile(path, text, isInstalled ? undefined : folder);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // A later session of the same project may have replaced the file.
    const current = await readFile(this.path, 'utf8').catch(() => undefined);
    if (current === this.#text) await rm(this.path, { force: true });
    if (this.#temporaryFolder !== undefined) {
      await rm(this.#temporaryFolder, { recursive: true, force: true });
    }
  }
}

/** Replaces a file by a new one: an existing file would keep its permissions. */
async function writeNew(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomUUID()}`;
  await writeFile(temporary, text, { mode: 0o600, flag: 'wx' });
  await rename(temporary, path);
}
