import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { link, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
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
   * session. Without `node_modules`, and while another session of the project runs, it is in a new folder for temporary files:
   * the programs of both sessions must not change servers.
   */
  static async write(projectFolder: string, text: string): Promise<KubeconfigFile> {
    if (existsSync(join(projectFolder, 'node_modules'))) {
      const path = join(projectFolder, sessionKubeconfig);
      await makeFolder(dirname(path), { mode: 0o700 });
      if (await writeUnlessServed(path, text)) return new KubeconfigFile(path, text, undefined);
    }
    const folder = await mkdtemp(join(tmpdir(), 'keelson-dev-'));
    const path = join(folder, 'kubeconfig');
    await writeFile(path, text, { mode: 0o600, flag: 'wx' });
    return new KubeconfigFile(path, text, folder);
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
  const port = /"https?:\/\/127\.0\.0\.1:(\d+)"/.exec(text)?.[1];
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
