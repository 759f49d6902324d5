import { createHash } from 'node:crypto';
import type { Cluster, ClusterTls, Credentials } from './cluster.ts';

/** Credentials as a request uses them. */
export interface HeldCredentials {
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly tls: ClusterTls;
  /** Equal for equal headers and TLS material; a hash, so that it may be kept and compared. */
  readonly fingerprint: string;
  /** The same over the TLS material alone: connections are rebuilt only when it changes. */
  readonly tlsFingerprint: string;
}

export interface CredentialCacheOptions {
  /** Monotonic milliseconds. */
  readonly now?: () => number;
  readonly onRefresh?: (refresh: { changed: boolean }) => void;
}

/** Renewed in place at most this often; loaders have caches of their own behind it. */
const FRESH_FOR = 10_000;
/** Credentials that the server refused again right after a refresh are not refreshed again within this. */
const FUTILE_FOR = 5000;

/**
 * The credentials of a cluster, fetched once for all who ask at the same time. A refusal (401) leads
 * to one forced refresh per set of credentials, however many requests were refused with it.
 */
export class CredentialCache {
  readonly #cluster: Cluster;
  readonly #options: CredentialCacheOptions;
  readonly #now: () => number;
  #held: HeldCredentials | undefined;
  #heldAt = 0;
  #pending: Promise<HeldCredentials> | undefined;
  #forcing: Promise<HeldCredentials> | undefined;
  #futile: { fingerprint: string; at: number } | undefined;

  constructor(cluster: Cluster, options: CredentialCacheOptions = {}) {
    this.#cluster = cluster;
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** What to send now. Synchronous when nothing has to be fetched. */
  get(): HeldCredentials | Promise<HeldCredentials> {
    if (this.#forcing !== undefined) return this.#forcing;
    if (this.#held !== undefined && this.#isFresh()) return this.#held;
    this.#pending ??= this.#fetch(false).finally(() => (this.#pending = undefined));
    return this.#pending;
  }

  /** Other credentials than the refused ones, or `undefined` when there are none to be had. */
  async replace(refused: HeldCredentials): Promise<HeldCredentials | undefined> {
    if (this.#forcing === undefined && this.#held?.fingerprint === refused.fingerprint) {
      if (this.#isFutile(refused)) return undefined;
      this.#forcing = this.#force(refused).finally(() => (this.#forcing = undefined));
    }
    const held = (await this.#forcing) ?? this.#held;
    return held?.fingerprint === refused.fingerprint ? undefined : held;
  }

  /** Tells that these were refused although they had just replaced refused ones. */
  refusedAgain(held: HeldCredentials): void {
    this.#futile = { fingerprint: held.fingerprint, at: this.#now() };
  }

  async #force(refused: HeldCredentials): Promise<HeldCredentials> {
    // What is on its way already may be news too.
    await this.#pending?.catch(() => undefined);
    if (this.#held !== undefined && this.#held.fingerprint !== refused.fingerprint)
      return this.#held;
    const held = await this.#fetch(true);
    const changed = held.fingerprint !== refused.fingerprint;
    if (!changed) this.refusedAgain(held);
    this.#options.onRefresh?.({ changed });
    return held;
  }

  async #fetch(force: boolean): Promise<HeldCredentials> {
    const fetched = (await this.#cluster.credentials?.({ force })) ?? {};
    const held = hold(this.#cluster, fetched);
    this.#held = held;
    this.#heldAt = this.#now();
    return held;
  }

  #isFresh(): boolean {
    return this.#cluster.credentials === undefined || this.#now() - this.#heldAt < FRESH_FOR;
  }

  #isFutile(held: HeldCredentials): boolean {
    return (
      this.#futile !== undefined &&
      this.#futile.fingerprint === held.fingerprint &&
      this.#now() - this.#futile.at < FUTILE_FOR
    );
  }
}

function hold(cluster: Cluster, fetched: Credentials): HeldCredentials {
  const token = cluster.token === undefined ? {} : { authorization: `Bearer ${cluster.token}` };
  const headers = { ...token, ...fetched.headers };
  const tls = { ...cluster.tls, ...fetched.tls };
  const tlsFingerprint = fingerprintOf(tls);
  return { headers, tls, tlsFingerprint, fingerprint: fingerprintOf({ headers, tlsFingerprint }) };
}

function fingerprintOf(value: object): string {
  const hash = createHash('sha256');
  for (const [key, part] of Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    hash.update(`${key}\0`);
    feed(hash, part);
  }
  return hash.digest('base64');
}

function feed(hash: ReturnType<typeof createHash>, part: unknown): void {
  if (Array.isArray(part)) {
    for (const each of part) feed(hash, each);
    return;
  }
  if (typeof part === 'string' || part instanceof Uint8Array) hash.update(part);
  else hash.update(JSON.stringify(part) ?? '');
  hash.update('\0');
}
