/**
 * The requests of one source that are in the queue. The source yields further values only while there are fewer than
 * `limit`.
 */
export class PendingRequests {
  readonly #limit: number;
  readonly #keys = new Set<string>();
  #room: PromiseWithResolvers<void> | undefined;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#keys.size;
  }

  /** Records that the source queued a request. */
  add(key: string): void {
    this.#keys.add(key);
  }

  /** Records that a request has left the queue, of this source or of another one. */
  left(key: string): void {
    if (this.#keys.delete(key) && this.#keys.size < this.#limit) this.end();
  }

  /** Resolves when there is room for a further request; `undefined` if there is room now. */
  room(): Promise<void> | undefined {
    if (this.#keys.size < this.#limit) return undefined;
    this.#room ??= Promise.withResolvers();
    return this.#room.promise;
  }

  /** Ends the wait for room. */
  end(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }
}
