import { open, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';

const HEARTBEAT_MS = 2000;
/** Milliseconds without an update after which a lock belongs to a build that was killed. */
const STALE_AFTER_MS = 15_000;
const POLL_INTERVAL_MS = 200;

/** How a lock is waited for. */
export interface BuildLockOptions {
  readonly folder: string;
  /** Called once if another process has it. */
  readonly onWait: () => void;
  readonly signal: AbortSignal | undefined;
}

/**
 * Lets one process at a time build into a folder, because two would slow each other down. If two
 * processes hold it, as after a sleep of the machine, the binaries are still correct: each file is
 * written elsewhere and renamed.
 */
export class BuildLock implements AsyncDisposable {
  readonly #path: string;
  readonly #timer: NodeJS.Timeout;

  static async take({ folder, onWait, signal }: BuildLockOptions): Promise<BuildLock> {
    const path = join(folder, '.building');
    for (let tries = 0; !(await create(path)); tries++) {
      signal?.throwIfAborted();
      if (tries === 0) onWait();
      if (await isStale(path)) await rm(path, { force: true });
      else await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
    }
    return new BuildLock(path);
  }

  private constructor(path: string) {
    this.#path = path;
    this.#timer = setInterval(() => void touch(path), HEARTBEAT_MS);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await rm(this.#path, { force: true });
  }
}

async function create(path: string): Promise<boolean> {
  try {
    await (await open(path, 'wx')).close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function isStale(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs > STALE_AFTER_MS;
}

/** Keeps a lock from becoming stale. A missing lock was stale for another process, and is not created again. */
async function touch(path: string): Promise<void> {
  const now = new Date();
  await utimes(path, now, now).catch(() => {});
}
