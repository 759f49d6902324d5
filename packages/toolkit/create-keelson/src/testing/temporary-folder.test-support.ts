import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A folder for projects, which find the packages of this repository. Disposing it removes it. */
export class TemporaryFolder implements AsyncDisposable {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  static async create(): Promise<TemporaryFolder> {
    const path = await mkdtemp(join(tmpdir(), 'create-keelson-'));
    const modules = fileURLToPath(new URL('../../../../../node_modules', import.meta.url));
    await symlink(modules, join(path, 'node_modules'), 'junction');
    return new TemporaryFolder(path);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.path, { recursive: true });
  }
}
