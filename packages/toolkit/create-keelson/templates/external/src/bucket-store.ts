/** The service outside the cluster. Every call may be repeated. */
export interface BucketStore {
  /** Creates the bucket, or leaves it as it is. Resolves with its URL. Throws `RefusedError`. */
  ensure(id: string, region: string, signal: AbortSignal): Promise<string>;
  /** Succeeds if the bucket does not exist. */
  remove(id: string, signal: AbortSignal): Promise<void>;
}

/** The service refuses the request: a retry cannot help. */
export class RefusedError extends Error {
  override readonly name: string = 'RefusedError';
}

const TIMEOUT_MS = 10_000;

/** A service with `PUT` and `DELETE URL/buckets/ID`. */
export class HttpBucketStore implements BucketStore {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url.replace(/\/$/, '');
  }

  async ensure(id: string, region: string, signal: AbortSignal): Promise<string> {
    const response = await this.#send('PUT', id, { signal, body: JSON.stringify({ region }) });
    if (response.status === 422) throw new RefusedError(await response.text());
    if (!response.ok) throw new Error(`PUT bucket failed (status=${response.status})`);
    return ((await response.json()) as { url: string }).url;
  }

  async remove(id: string, signal: AbortSignal): Promise<void> {
    const { ok, status } = await this.#send('DELETE', id, { signal });
    if (!ok && status !== 404) throw new Error(`DELETE bucket failed (status=${status})`);
  }

  async #send(
    method: string,
    id: string,
    { signal, body }: { readonly signal: AbortSignal; readonly body?: string },
  ): Promise<Response> {
    return fetch(`${this.#url}/buckets/${encodeURIComponent(id)}`, {
      method,
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      headers: { 'content-type': 'application/json' },
      ...(body !== undefined && { body }),
    });
  }
}

/** A service in memory, for `npm run dev`. */
export class MemoryBucketStore implements BucketStore {
  readonly buckets = new Map<string, string>();

  async ensure(id: string, region: string): Promise<string> {
    this.buckets.set(id, region);
    return `memory://${region}/${id}`;
  }

  async remove(id: string): Promise<void> {
    this.buckets.delete(id);
  }
}
