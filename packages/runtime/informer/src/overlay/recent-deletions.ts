/**
 * The most uids that are kept: more than the objects that a watch deletes between a deletion and the response to its
 * request.
 */
const MAX_UIDS = 256;

/**
 * The objects that a watch has deleted last. The event of a deletion may arrive before the response
 * to its request.
 */
export class RecentDeletions {
  readonly #uids = new Set<string>();

  add(uid: string): void {
    this.#uids.add(uid);
    if (this.#uids.size <= MAX_UIDS) return;
    const [oldest = ''] = this.#uids;
    this.#uids.delete(oldest);
  }

  has(uid: string): boolean {
    return this.#uids.has(uid);
  }
}
