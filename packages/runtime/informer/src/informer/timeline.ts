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
   * Called when a watch finds that the versions of the server have decreased. `listedAt` is the count when the watch
   * last listed. If the count is higher now, another watch has found the same event before.
   */
  wentBack(listedAt: number): void {
    if (listedAt === this.#current) this.#current++;
  }
}
