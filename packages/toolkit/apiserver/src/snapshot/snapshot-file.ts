import { randomUUID } from 'node:crypto';
import { open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ApiServerError } from '../status-errors/api-server-error.ts';

/** Most bytes of a snapshot. */
const MAX_SNAPSHOT_BYTES = 1024 * 1024 * 1024;

/** Reads the bytes of a snapshot, from a file if they are given as a path. Throws `SNAPSHOT_UNREADABLE`. */
export async function readSnapshot(source: string | Uint8Array): Promise<Buffer> {
  if (typeof source !== 'string') {
    return Buffer.from(source.buffer, source.byteOffset, source.byteLength);
  }
  try {
    return await readBounded(source);
  } catch (cause) {
    if (cause instanceof ApiServerError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ApiServerError('SNAPSHOT_UNREADABLE', { file: source, reason }, { cause });
  }
}

async function readBounded(file: string): Promise<Buffer> {
  await using handle = await open(file);
  const { size } = await handle.stat();
  // Without `await` the handle closes first, and the rejection meanwhile ends the process.
  if (size <= MAX_SNAPSHOT_BYTES) return await handle.readFile();
  const reason = `the file has ${size} bytes, of ${MAX_SNAPSHOT_BYTES} at most`;
  throw new ApiServerError('SNAPSHOT_UNREADABLE', { file, reason });
}

/**
 * Writes a snapshot as a whole: a process that is killed leaves the previous file. The file is readable by its owner alone, since
 * it may contain Secrets. Throws `SNAPSHOT_NOT_WRITTEN`.
 */
export async function writeSnapshotFile(file: string, bytes: Uint8Array): Promise<void> {
  const temporary = join(dirname(file), `.${randomUUID()}.tmp`);
  try {
    await writeFile(temporary, bytes, { flag: 'wx', mode: 0o600 });
    await rename(temporary, file);
  } catch (cause) {
    await rm(temporary, { force: true });
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ApiServerError('SNAPSHOT_NOT_WRITTEN', { file, reason }, { cause });
  }
}
