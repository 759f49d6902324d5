/** The relist that user code requested. All requests until its end share this one. */
export class RequestedRelist {
  #isDue = false;
  /** True while a list is read. A reflector starts with one. */
  #isListing = true;
  #result: PromiseWithResolvers<void> | undefined;

  /** True if the present attempt must end, because the reflector must list again. */
  get isDue(): boolean {
    return this.#isDue;
  }

  /**
   * Resolves after the next list. A list that has begun and not ended counts too. `interrupt` ends
   * the present attempt or pause; it is called once per relist.
   */
  async request(interrupt: () => void): Promise<void> {
    if (this.#result === undefined) {
      this.#result = Promise.withResolvers();
      this.#isDue = !this.#isListing;
      interrupt();
    }
    await this.#result.promise;
  }

  /** Returns true once if the reflector must list again. */
  take(): boolean {
    const isDue = this.#isDue;
    this.#isDue = false;
    return isDue;
  }

  listing(): void {
    this.#isListing = true;
  }

  /** Records that the handlers have received the differences of a list. */
  synced(): void {
    this.#isListing = false;
    this.#result?.resolve();
    this.#result = undefined;
  }

  /** Rejects pending requests, because the reflector stops. */
  stop(error: Error): void {
    this.#result?.reject(error);
    this.#result = undefined;
  }
}
