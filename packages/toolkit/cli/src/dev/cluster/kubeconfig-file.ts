import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { link, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { makeFolder } from '../../output/make-folder.ts';

/** The kubeconfig of the session of a project, below its folder. */
export const sessionKubeconfig: string = join(
  'node_modules',
  '.cache',
  'keelson',
  'dev',
  'kubeconfig',
);

/** The errors of a path where this user can make no folder. */
const UNUSABLE_CODES: ReadonlySet<string> = new Set(['EACCES', 'ENOTDIR', 'EPERM', 'EROFS']);

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
   * Writes the file into `node_modules/.cache/keelson/dev` of the project, so that its path is the same in each session. While
   * other sessions of the project run, its name ends with a number: the programs of both sessions must not change servers. If the folder
   * cannot be made, the file is in a new folder for temporary files.
   */
  static async write(projectFolder: string, text: string): Promise<KubeconfigFile> {
    try {
      return await KubeconfigFile.#writeBelow(projectFolder, text);
    } catch (error) {
      if (!UNUSABLE_CODES.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
    const folder = await mkdtemp(join(tmpdir(), 'keelson-dev-'));
    const path = join(folder, 'kubeconfig');
    await writeFile(path, text, { mode: 0o600, flag: 'wx' });
    return new KubeconfigFile(path, text, folder);
  }

  static async #writeBelow(projectFolder: string, text: string): Promise<KubeconfigFile> {
    const first = join(projectFolder, sessionKubeconfig);
    await makeFolder(dirname(first), { mode: 0o700 });
    let path = first;
    for (let number = 2; !(await writeUnlessServed(path, text)); number += 1) {
      path = `${first}-${number}`;
    }
    return new KubeconfigFile(path, text, undefined);
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

/** Returns the kubeconfig of the first session of a project that runs; undefined if none does. */
export async function findSessionKubeconfig(projectFolder: string): Promise<string | undefined> {
  const first = join(projectFolder, sessionKubeconfig);
  const folder = dirname(first);
  const names = await readdir(folder).catch(() => []);
  const ordered = names
    .filter((name) => /^kubeconfig(?:-\d+)?$/.test(name))
    .toSorted((one, other) => one.localeCompare(other, 'en', { numeric: true }));
  for (const name of ordered) {
    if (await isServed(join(folder, name))) return join(folder, name);
  }
  return undefined;
}

/**
 * Writes a new file, because an existing one would keep its permissions. Returns false if the file is that of a session that
 * runs.
 */
async function writeUnlessServed(path: string, text: string): Promise<boolean> {
  const temporary = `${path}.${randomUUID()}`;
  await writeFile(temporary, text, { mode: 0o600, flag: 'wx' });
  try {
    // A link fails if the file exists, also if another session has just made it.
    await link(temporary, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    if (await isServed(path)) return false;
    await rename(temporary, path);
    return true;
  } finally {
    await rm(temporary, { force: true });
  }
}

/** True if the server of a kubeconfig accepts connections. A session that was killed may leave its file. */
async function isServed(path: string): Promise<boolean> {
  const text = await readFile(path, 'utf8').catch(() => '');
  const port = /\bhttps?:\/\/127\.0\.0\.1:(\d+)/.exec(text)?.[1];
  if (port === undefined) return false;
  const socket = connect(Number(port), '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
