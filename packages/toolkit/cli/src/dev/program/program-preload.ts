import { url } from 'node:inspector';
import { isMainThread } from 'node:worker_threads';

/** The message of a program to `keelson dev`, sent before its main module loads. */
export interface ProgramStarted {
  /** The address of the Node inspector; undefined without one. */
  readonly inspector: string | undefined;
}

// Worker threads and forked processes of the program load this module too.
const parent = new URL(import.meta.url).searchParams.get('parent');
if (isMainThread && parent === String(process.ppid) && process.connected) {
  const message: ProgramStarted = { inspector: url() };
  // The program itself has no channel to its parent.
  process.send?.(message, undefined, undefined, () => process.disconnect());
}
