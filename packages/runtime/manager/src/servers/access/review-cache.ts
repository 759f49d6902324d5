import { LRUCache } from 'lru-cache';

/**
 * Milliseconds for which a positive result is valid: the `CacheTTL` with which controller-runtime reviews tokens
 * (pkg/metrics/filters). It keeps permissions for 5 minutes; here a revoked permission ends as soon as a token.
 */
const SUCCESS_LIFETIME_MS = 60_000;
/** Milliseconds for which a negative result is valid: the `DenyCacheTTL` of controller-runtime. */
const FAILURE_LIFETIME_MS = 30_000;
/** Milliseconds after which a failed review is repeated. It fails if the API server is unavailable, for example. */
const ERROR_LIFETIME_MS = 1000;
/** The results of each kind that are kept. */
const MAX_RESULTS = 1000;
/** The reviews that start within one second: the default burst of client-go. */
const MAX_REVIEWS_PER_SECOND = 30;

/** Thrown at the limit of reviews per second, which requests with ever new tokens can reach. */
export class TooManyReviews extends Error {
  override readonly name: string = 'TooManyReviews';
}

interface Entry<T> {
  readonly result: Promise<T | undefined>;
  /** A reading of `performance.now()`; infinite while the review runs. */
  expires: number;
}

/**
 * Results of reviews by the API server; `undefined` is a negative result. Equal reviews that run at the same time are
 * one request. The keys are hashes with a random secret, so that no heap snapshot contains a token.
 */
export class ReviewCache<T extends object | true> {
  readonly #secret = process.getBuiltinModule('node:crypto').randomBytes(32);
  readonly #positive = new LRUCache<string, Entry<T>>({ max: MAX_RESULTS });
  /**
   * Negative results and running reviews. They are apart from positive results, so that invalid tokens cannot evict
   * those.
   */
  readonly #others = new LRUCache<string, Entry<T>>({ max: MAX_RESULTS });
  #second = { start: Number.NEGATIVE_INFINITY, reviews: 0 };

  /** The result for these facts, by a review unless it is known. Rejects with `TooManyReviews` or its error. */
  async get(facts: string, review: () => Promise<T | undefined>): Promise<T | undefined> {
    const key = process
      .getBuiltinModule('node:crypto')
      .createHmac('sha256', this.#secret)
      .update(facts)
      .digest('base64');
    const known = this.#positive.get(key) ?? this.#others.get(key);
    if (known !== undefined && performance.now() < known.expires) return known.result;
    this.#countReview();
    const entry: Entry<T> = { result: review(), expires: Number.POSITIVE_INFINITY };
    this.#positive.delete(key);
    this.#others.set(key, entry);
    try {
      const result = await entry.result;
      const isPositive = result !== undefined;
      if (isPositive) {
        this.#others.delete(key);
        this.#positive.set(key, entry);
      }
      expireAfter(entry, isPositive ? SUCCESS_LIFETIME_MS : FAILURE_LIFETIME_MS);
      return result;
    } catch (error) {
      expireAfter(entry, ERROR_LIFETIME_MS);
      throw error;
    }
  }

  #countReview(): void {
    const now = performance.now();
    if (now - this.#second.start >= 1000) this.#second = { start: now, reviews: 0 };
    this.#second.reviews += 1;
    if (this.#second.reviews > MAX_REVIEWS_PER_SECOND) throw new TooManyReviews();
  }
}

function expireAfter(entry: { expires: number }, milliseconds: number): void {
  entry.expires = performance.now() + milliseconds;
}
