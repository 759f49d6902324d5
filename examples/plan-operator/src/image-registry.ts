import { TerminalError } from '@keelson/manager';

/** The versions that can be installed: a system outside the cluster, which may be down. */
export class ImageRegistry {
  readonly versions: Set<string> = new Set(['1', '2', '3']);
  /** While it is set, every call fails with it. */
  outage: Error | undefined;

  /** Throws a `TerminalError` for a version that does not exist: a retry cannot help. */
  async pull(version: string): Promise<void> {
    if (this.outage !== undefined) throw this.outage;
    if (!this.versions.has(version)) throw new TerminalError(`no version ${version}`);
  }
}
