import { createHash } from 'node:crypto';
import { endsWithin } from '@keelson/apimachinery';
import type { Cluster, ClusterTls, Credentials } from '../cluster/cluster.ts';

/** Credentials as a request uses them. */
export interface HeldCredentials {
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly tls: ClusterTls;
  /** Equal for equal headers and TLS material; a hash, so that it may be kept and compared. */
  readonly fingerprint: string;
  /** The same over the TLS material alone: connections are rebuilt only when it changes. */
  readonly tlsFingerprint: string;
  /** Texts of the headers that an error must not show. */
  readonly secrets: readonly string[];
}

export interface CredentialCacheOptions {
  /** Monotonic milliseconds. */
  readonly now?: () => number;
  /** A refresh succeeded that the server's refusal, or a failure before it, called for. */
  readonly onRefresh?: (refresh: { changed: boolean }) => void;
  /** A refresh failed; the credentials that are held stay in use. */
  readonly onFailure?: (error: unknown) => void;
}

/** How long credentials are used without another fetch; loaders have their own caches. */
const FRESH_MS = 10_000;
/** How long refused credentials are not refreshed again after a refresh that did not help. */
const FUTILE_MS = 5000;
/** How long `close` waits for a fetch that ignores its signal. */
const CLOSE_PATIENCE_MS = 1000;

/** Shorter values could be words of any message. */
const SHORTEST_SECRET = 8;

/** A refresh that did not help: it brought the same, what it brought was refused too, or it failed. */
interface FutileRefresh {
  readonly fingerprint: string;
  readonly at: number;
  readonly error?: unknown;
}

/**
 * The credentials of a cluster, fetched once for all who ask at the same time. A refusal (401) leads
 * to one forced refresh per set of credentials, however many requests were refused with it, also if it fails.
 * Credentials stay in use until a refresh succeeds.
 */
export class CredentialCache {
  readonly #cluster: Cluster;
  readonly #options: CredentialCacheOptions;
  readonly #now: () => number;
  #held: HeldCredentials | undefined;
  #heldAt = 0;
  #pending: Promise<HeldCredentials> | undefined;
  #forcing: Promise<HeldCredentials> | undefined;
  #futile: FutileRefresh | undefined;
  /** The last refresh failed. */
  #hasFailed = false;
  readonly #stop = new AbortController();

  constructor(cluster: Cluster, options: CredentialCacheOptions = {}) {
    this.#cluster = cluster;
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** What to send now. Synchronous when nothing has to be fetched. */
  get(): HeldCredentials | Promise<HeldCredentials> {
    const held = this.#held;
    // The server decides about the credentials that are left after a refresh that failed.
    if (this.#forcing !== undefined)
      return held === undefined ? this.#forcing : this.#forcing.catch(() => held);
    if (held !== undefined && this.#isFresh()) return held;
    this.#pending ??= this.#renew().finally(() => (this.#pending = undefined));
    return this.#pending;
  }

  /**
   * Other credentials than the refused ones, or `undefined` if a refresh brings no others. Rejects if the refresh
   * failed, for each request that it was for.
   */
  async replace(refused: HeldCredentials): Promise<HeldCredentials | undefined> {
    if (this.#forcing === undefined && this.#held?.fingerprint === refused.fingerprint) {
      const futile = this.#futileFor(refused);
      if (futile?.error !== undefined) throw futile.error;
      if (futile !== undefined) return undefined;
      this.#forcing = this.#force(refused).finally(() => (this.#forcing = undefined));
    }
    const held = (await this.#forcing) ?? this.#held;
    return held?.fingerprint === refused.fingerprint ? undefined : held;
  }

  /** Records that credentials were refused although a refresh had just brought them. */
  refusedAgain(held: HeldCredentials): void {
    this.#futile = { fingerprint: held.fingerprint, at: this.#now() };
  }

  /** Ends a fetch that is running; settles when it has ended. */
  async close(reason: Error): Promise<void> {
    this.#stop.abort(reason);
    const running = Promise.allSettled([this.#pending, this.#forcing]);
    await endsWithin(running, CLOSE_PATIENCE_MS);
  }

  async #force(refused: HeldCredentials): Promise<HeldCredentials> {
    // A running fetch may bring new credentials too.
    await this.#pending?.catch(() => undefined);
    if (this.#held !== undefined && this.#held.fingerprint !== refused.fingerprint)
      return this.#held;
    const held = await this.#refresh(refused);
    const changed = held.fingerprint !== refused.fingerprint;
    if (!changed) this.refusedAgain(held);
    this.#refreshed(changed);
    return held;
  }

  async #refresh({ fingerprint }: HeldCredentials): Promise<HeldCredentials> {
    try {
      return await this.#fetch(true);
    } catch (error) {
      this.#futile = { fingerprint, at: this.#now(), error };
      this.#failed(error);
      throw error;
    }
  }

  /** The first fetch has to succeed. */
  async #renew(): Promise<HeldCredentials> {
    const before = this.#held;
    try {
      const held = await this.#fetch(false);
      if (this.#hasFailed) this.#refreshed(held.fingerprint !== before?.fingerprint);
      return held;
    } catch (error) {
      if (before === undefined || this.#stop.signal.aborted) throw error;
      this.#heldAt = this.#now();
      this.#failed(error);
      return before;
    }
  }

  #refreshed(changed: boolean): void {
    this.#hasFailed = false;
    this.#options.onRefresh?.({ changed });
  }

  #failed(error: unknown): void {
    this.#hasFailed = true;
    this.#options.onFailure?.(error);
  }

  async #fetch(force: boolean): Promise<HeldCredentials> {
    const { signal } = this.#stop;
    signal.throwIfAborted();
    const fetched = await this.#cluster.credentials?.({ force, signal });
    const held = hold(this.#cluster, fetched ?? {});
    this.#held = held;
    this.#heldAt = this.#now();
    return held;
  }

  #isFresh(): boolean {
    return this.#cluster.credentials === undefined || this.#now() - this.#heldAt < FRESH_MS;
  }

  #futileFor({ fingerprint }: HeldCredentials): FutileRefresh | undefined {
    const futile = this.#futile;
    if (futile === undefined || futile.fingerprint !== fingerprint) return undefined;
    return this.#now() - futile.at < FUTILE_MS ? futile : undefined;
  }
}

function hold(cluster: Cluster, fetched: Credentials): HeldCredentials {
  const token = cluster.token === undefined ? {} : { authorization: `Bearer ${cluster.token}` };
  const headers = { ...token, ...fetched.headers };
  const tls = { ...cluster.tls, ...fetched.tls };
  const tlsFingerprint = fingerprintOf(tls);
  const fingerprint = fingerprintOf({ headers, tlsFingerprint });
  return { headers, tls, tlsFingerprint, fingerprint, secrets: secretsOf(headers) };
}

/** The values of all headers but those that say whom to act as, and of `Basic` the password. */
function secretsOf(headers: HeldCredentials['headers']): string[] {
  return Object.entries(headers)
    .filter(([name]) => !name.toLowerCase().startsWith('impersonate-'))
    .flatMap(([, value]) => value)
    .flatMap((value) => {
      const [scheme = '', proof = ''] = value.split(/\s+(.*)/s);
      const pair = /^basic$/i.test(scheme) ? Buffer.from(proof, 'base64').toString() : '';
      return [proof === '' ? scheme : proof, pair, pair.replace(/^[^:]*:/, '')];
    })
    .filter((secret) => secret.length >= SHORTEST_SECRET);
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
