import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/**
 * A folder for the temporary files of a suite. Its disposal removes it, and kills the processes whose arguments name it: some
 * suites of controller-runtime end without stopping their API server, which is in a process group of its own.
 */
export class TestFolder implements AsyncDisposable {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  static async create(): Promise<TestFolder> {
    return new TestFolder(await mkdtemp(join(tmpdir(), 'keelson-upstream-')));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { stdout } = await promisify(execFile)('ps', ['-A', '-ww', '-o', 'pid=,args=']);
    for (const line of stdout.split('\n')) {
      const [, pid, args = ''] = /^ *(\d+) (.*)$/.exec(line) ?? [];
      if (pid !== undefined && args.includes(`${this.path}/`)) killIfAlive(Number(pid));
    }
    await rm(this.path, { recursive: true, force: true, maxRetries: 3 });
  }
}

function killIfAlive(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
