import type { UpgradeBatch } from './operator.ts';

/** Batches that wait until the gate is open, so that a plan can be seen while it runs. */
export class Gate {
  readonly #opened = Promise.withResolvers<void>();
  /** The batches that were upgraded, as `version/batch`. */
  readonly upgraded: string[] = [];

  open(): void {
    this.#opened.resolve();
  }

  readonly upgradeBatch: UpgradeBatch = async (version, batch, signal) => {
    const aborted = Promise.withResolvers<never>();
    const abort = (): void => aborted.reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    try {
      await Promise.race([this.#opened.promise, aborted.promise]);
    } finally {
      signal.removeEventListener('abort', abort);
    }
    this.upgraded.push(`${version}/${batch}`);
  };
}
