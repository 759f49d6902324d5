import type { Hash } from 'node:crypto';
import {
  abortable,
  CodedError,
  endsWithin,
  examineResult,
  startTimer,
} from '@keelson/apimachinery';
import {
  checkCredentials,
  type Cluster,
  type ClusterTls,
  type Credentials,
} from '../cluster/cluster.ts';
import { checkTls } from '../cluster/tls-options.ts';
import { ClientError } from '../errors.ts';

/** Credentials as headers and TLS material of a request, with hashes for comparison. */
export interface CurrentCredentials {
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly tls: ClusterTls;
  /** Hash over headers and TLS material: equal credentials have equal fingerprints. */
  readonly fingerprint: string;
  /** Hash over the TLS material only. Connections are reopened only when it changes. */
  readonly tlsFingerprint: string;
  /** Parts of the headers that must not appear in an error. */
  readonly secrets: readonly string[];
}

export interface CredentialCacheOptions {
  /** Returns monotonic milliseconds. Default: `performance.now`. */
  readonly now?: () => number;
  /** Called after a successful refresh that followed a 401 or a failed fetch. */
  readonly onRefresh?: (refresh: { changed: boolean }) => void;
  /** Called after a failed refresh. The held credentials stay in use. */
  readonly onFailure?: (error: unknown) => void;
}

/** Milliseconds for which credentials are reused without another fetch. Token sources have their own caches. */
const REUSE_MS = 10_000;
/** Milliseconds during which the same credentials are not refreshed again after a refresh that did not help. */
const INEFFECTIVE_REFRESH_PAUSE_MS = 5000;
/**
 * Milliseconds that a request waits at most for a refresh. It then uses the held credentials, and the server accepts or
 * refuses them.
 */
const SLOW_REFRESH_MS = 10_000;
/** Milliseconds after which a fetch that has not settled is aborted and counts as failed. */
const FETCH_TIMEOUT_MS = 5 * 60_000;
/** Milliseconds that `close` waits at most for a fetch that ignores its abort signal. */
const CLOSE_TIMEOUT_MS = 1000;

/** The fewest characters of a secret that is removed from messages. A shorter value could be an ordinary word. */
const MIN_SECRET_LENGTH = 8;

const TOO_LATE = 'the credentials function did not settle in time';

/**
 * A refresh that did not help: it returned the same credentials, the server refused the new ones too, or it
 * failed.
 */
interface IneffectiveRefresh {
  readonly fingerprint: string;
  readonly at: number;
  readonly error?: unknown;
}

/**
 * Holds the credentials of a cluster. Concurrent callers share one fetch. A 401 leads to one forced refresh
 * per set of credentials, even if many requests were refused with it or the refresh fails. Credentials stay
 * in use until a refresh succeeds.
 */
export class CredentialCache {
  readonly #cluster: Cluster;
  readonly #options: CredentialCacheOptions;
  readonly #now: () => number;
  #held: CurrentCredentials | undefined;
  #heldAt = 0;
  /** True if the running fetch has taken so long that requests no longer wait for it. */
  #isSlow = false;
  #pending: Promise<CurrentCredentials> | undefined;
  #forcing: Promise<CurrentCredentials> | undefined;
  #ineffective: IneffectiveRefresh | undefined;
  /** True if the last fetch failed. */
  #hasFailed = false;
  readonly #stop = new AbortController();

  constructor(cluster: Cluster, options: CredentialCacheOptions = {}) {
    this.#cluster = cluster;
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Returns the credentials for the next request, synchronously if no fetch is necessary. */
  get(): CurrentCredentials | Promise<CurrentCredentials> {
    const held = this.#held;
    // If the refresh fails, the request uses the held credentials, and the server accepts or refuses them.
    if (this.#forcing !== undefined)
      return held === undefined ? this.#forcing : this.#unlessSlow(this.#forcing, held);
    if (held !== undefined && this.#isFresh()) return held;
    this.#pending ??= this.#fetchAgain().finally(() => (this.#pending = undefined));
    return held === undefined ? this.#pending : this.#unlessSlow(this.#pending, held);
  }

  /** Returns the result of a refresh, or the held credentials if it fails or takes long. */
  #unlessSlow(
    refresh: Promise<CurrentCredentials>,
    held: CurrentCredentials,
  ): CurrentCredentials | Promise<CurrentCredentials> {
    if (this.#isSlow) return held;
    const isInTime = endsWithin(refresh, SLOW_REFRESH_MS);
    return isInTime.then((inTime) => (inTime ? refresh.catch(() => held) : held));
  }

  /**
   * Refreshes credentials that the server refused. Returns the new ones, or `undefined` if the refresh returns the
   * same ones.
   * If the refresh fails, rejects for every request that waited for it.
   */
  async renew(refused: CurrentCredentials): Promise<CurrentCredentials | undefined> {
    if (this.#forcing === undefined && this.#held?.fingerprint === refused.fingerprint) {
      const ineffective = this.#ineffectiveFor(refused);
      if (ineffective?.error !== undefined) throw ineffective.error;
      if (ineffective !== undefined) return undefined;
      this.#forcing = this.#force(refused).finally(() => (this.#forcing = undefined));
    }
    const held = (await this.#forcing) ?? this.#held;
    return held?.fingerprint === refused.fingerprint ? undefined : held;
  }

  /** Records that the server refused credentials that a refresh had just returned. */
  recordRefusal(held: CurrentCredentials): void {
    this.#ineffective = { fingerprint: held.fingerprint, at: this.#now() };
  }

  /** Aborts a running fetch; settles when it has ended, after 1 s at the latest. */
  async close(reason: Error): Promise<void> {
    this.#stop.abort(reason);
    const running = Promise.allSettled([this.#pending, this.#forcing]);
    await endsWithin(running, CLOSE_TIMEOUT_MS);
  }

  async #force(refused: CurrentCredentials): Promise<CurrentCredentials> {
    // A fetch that is already running may return new credentials too.
    await this.#pending?.catch(() => undefined);
    if (this.#held !== undefined && this.#held.fingerprint !== refused.fingerprint)
      return this.#held;
    const held = await this.#refresh(refused);
    const changed = held.fingerprint !== refused.fingerprint;
    if (!changed) this.recordRefusal(held);
    this.#refreshed(changed);
    return held;
  }

  async #refresh({ fingerprint }: CurrentCredentials): Promise<CurrentCredentials> {
    try {
      return await this.#fetch(true);
    } catch (error) {
      this.#ineffective = { fingerprint, at: this.#now(), error };
      this.#failed(error);
      throw error;
    }
  }

  /**
   * Fetches again without force. Only the first fetch must succeed: later failures keep the held credentials.
   */
  async #fetchAgain(): Promise<CurrentCredentials> {
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

  async #fetch(force: boolean): Promise<CurrentCredentials> {
    const { signal } = this.#stop;
    signal.throwIfAborted();
    const held = currentCredentials(this.#cluster, await this.#fetched(force));
    // This throws before the held credentials are replaced, so they stay in use if the new ones are invalid.
    if (held.tlsFingerprint !== this.#held?.tlsFingerprint) checkTls(held.tls);
    this.#held = held;
    this.#heldAt = this.#now();
    return held;
  }

  async #fetched(force: boolean): Promise<Credentials> {
    const cluster = this.#cluster;
    if (cluster.credentials === undefined) return {};
    const fetched: unknown = await this.#call(cluster.credentials.bind(cluster), force);
    examineResult(fetched, checkCredentials);
    return fetched as Credentials;
  }

  /** Calls the function of the user. */
  async #call(credentials: NonNullable<Cluster['credentials']>, force: boolean): Promise<unknown> {
    const stop = this.#stop.signal;
    const late = new AbortController();
    const timers = [
      startTimer(SLOW_REFRESH_MS, () => (this.#isSlow = true)),
      startTimer(FETCH_TIMEOUT_MS, () => late.abort(failure(TOO_LATE))),
    ];
    const signal = AbortSignal.any([stop, late.signal]);
    try {
      return await abortable(Promise.resolve(credentials({ force, signal })), [signal]);
    } catch (cause) {
      if (cause instanceof CodedError || stop.aborted) throw cause;
      throw failure('the credentials function threw an error', { cause });
    } finally {
      this.#isSlow = false;
      for (const cancel of timers) cancel();
    }
  }

  #isFresh(): boolean {
    return this.#cluster.credentials === undefined || this.#now() - this.#heldAt < REUSE_MS;
  }

  #ineffectiveFor({ fingerprint }: CurrentCredentials): IneffectiveRefresh | undefined {
    const ineffective = this.#ineffective;
    if (ineffective === undefined || ineffective.fingerprint !== fingerprint) return undefined;
    return this.#now() - ineffective.at < INEFFECTIVE_REFRESH_PAUSE_MS ? ineffective : undefined;
  }
}

function failure(reason: string, options: { cause?: unknown } = {}): ClientError {
  return new ClientError('CREDENTIALS_FAILED', { reason }, options);
}

function currentCredentials(cluster: Cluster, fetched: Credentials): CurrentCredentials {
  const token = cluster.token === undefined ? {} : { authorization: `Bearer ${cluster.token}` };
  // Names become lower case, because two spellings of one name would be sent as two headers.
  const given = Object.entries(fetched.headers ?? {}).map(([name, value]) => [
    name.toLowerCase(),
    value,
  ]);
  const headers: CurrentCredentials['headers'] = { ...token, ...Object.fromEntries(given) };
  const tls = { ...cluster.tls, ...fetched.tls };
  const tlsFingerprint = fingerprintOf(tls);
  const fingerprint = fingerprintOf({ headers, tlsFingerprint });
  return { headers, tls, tlsFingerprint, fingerprint, secrets: secretsOf(headers) };
}

/**
 * Returns the secret parts of the headers: all values except those of `Impersonate-*`, and the decoded password of
 * `Basic`.
 */
function secretsOf(headers: CurrentCredentials['headers']): string[] {
  return Object.entries(headers)
    .filter(([name]) => !name.toLowerCase().startsWith('impersonate-'))
    .flatMap(([, value]) => value)
    .flatMap((value) => {
      const [scheme = '', proof = ''] = value.split(/\s+(.*)/s);
      const pair = /^basic$/i.test(scheme) ? Buffer.from(proof, 'base64').toString() : '';
      return [proof === '' ? scheme : proof, pair, pair.replace(/^[^:]*:/, '')];
    })
    .filter((secret) => secret.length >= MIN_SECRET_LENGTH);
}

function fingerprintOf(value: object): string {
  const hash = process.getBuiltinModule('node:crypto').createHash('sha256');
  for (const [key, part] of Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    hash.update(`${key}\0`);
    feed(hash, part);
  }
  return hash.digest('base64');
}

function feed(hash: Hash, part: unknown): void {
  if (Array.isArray(part)) {
    for (const each of part) feed(hash, each);
    return;
  }
  if (typeof part === 'string' || part instanceof Uint8Array) hash.update(part);
  else hash.update(JSON.stringify(part) ?? '');
  hash.update('\0');
}
