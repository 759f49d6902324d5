/**
 * Counts how often the watches of a kind found that the server was replaced or restored from
 * a backup. Versions from before and after such a moment cannot be compared.
 */
export class Timeline {
  #current = 0;

  /** The number of the present state of the server. */
  get current(): number {
    return this.#current;
  }

  /**
   * Called when a watch that last listed at `listedAt` finds that the server went back. If another
   * watch has found it since then, it is the same event.
   */
  wentBack(listedAt: number): void {
    if (listedAt === this.#current) this.#current++;
  }
}
