/** An object store outside the cluster, such as a cloud's SDK. Every call may be repeated. */
export interface BucketStore {
  /** Makes the bucket or leaves it as it is. Resolves to its URL. Throws `UnknownRegionError`. */
  ensure(id: string, region: string): Promise<string>;
  /** Succeeds if the bucket does not exist. */
  remove(id: string): Promise<void>;
}

/** The region does not exist: a retry cannot help. */
export class UnknownRegionError extends Error {
  override readonly name: string = 'UnknownRegionError';
}

/** A store in memory, for the tour and the tests. */
export class MemoryBucketStore implements BucketStore {
  /** The existing buckets: id → region. */
  readonly buckets = new Map<string, string>();
  /** Calls of `ensure` and `remove`, refused ones too. */
  calls = 0;
  /** While it is set, every call fails with it. */
  outage: Error | undefined;

  async ensure(id: string, region: string): Promise<string> {
    this.#checkOutage();
    if (!['north', 'south'].includes(region)) throw new UnknownRegionError(`no region ${region}`);
    this.buckets.set(id, region);
    return `https://${region}.buckets.example.com/${id}`;
  }

  async remove(id: string): Promise<void> {
    this.#checkOutage();
    this.buckets.delete(id);
  }

  #checkOutage(): void {
    this.calls += 1;
    if (this.outage !== undefined) throw this.outage;
  }
}
