import { failure } from '../../status-errors/status-errors.ts';

/** The time after which kube-apiserver ends a write. */
const WRITE_TIMEOUT_MS = 34_000;

/**
 * Ends a write that starts again and again, because another write comes first whenever it waits: a webhook that changes the
 * object it reviews causes that.
 */
export class WriteDeadline {
  #end: number | undefined;

  /** Call it before the write starts again. Throws 504 after 34 seconds. */
  check(): void {
    const now = performance.now();
    this.#end ??= now + WRITE_TIMEOUT_MS;
    if (now < this.#end) return;
    const why = 'request did not complete within requested timeout - context deadline exceeded';
    throw failure(504, 'Timeout', `Timeout: ${why}`, {});
  }
}
