import {
  builtin,
  isAlreadyExists,
  isConflict,
  isNotFound,
  type ObjectOf,
} from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import { WebhookError } from '../errors.ts';
import type { WebhookLogger } from '../admission/webhook-logger.ts';
import {
  renewalPlan,
  renewed,
  splitCertificates,
  type CertificateState,
  type RenewalPlan,
} from './certificate-state.ts';
import type { IssuedCertificate } from '@keelson/x509';

type Secret = ObjectOf<typeof builtin.Secret>;

/** The place of the certificates, and the server that they are for. */
export interface CertificateSecretOptions {
  readonly client: Pick<Client, 'get' | 'create' | 'update'>;
  /** The Secret, in the namespace of the Service. */
  readonly secret: { readonly namespace: string; readonly name: string };
  /** The name of the Service by which API servers reach the webhooks. */
  readonly service: string;
  readonly log: WebhookLogger;
  /** Milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
}

/** Marks the Secrets that this class may change, with the Service of their certificate. */
const SERVICE_ANNOTATION = 'keelson.dev/webhook-service';
/** Milliseconds between two reads of the Secret. */
const READ_INTERVAL_MS = 30_000;
/** Writes that may meet the write of another replica in a row. */
const MAX_ATTEMPTS = 10;

/**
 * The certificates of a webhook server in a Secret, which the replicas of an operator share. Each replica reads it
 * periodically, and renews what its time has come for. A write succeeds only if no other replica wrote meanwhile, so that
 * all of them agree.
 */
export class CertificateSecret {
  readonly #options: CertificateSecretOptions;
  readonly #hosts: readonly string[];
  readonly #now: () => number;
  #state: CertificateState | undefined;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;
  #use: (pair: IssuedCertificate) => void = () => undefined;
  /** The reads, one after the other: a late answer must not replace a newer state. */
  #reads: Promise<void> = Promise.resolve();
  /** The text of the last failure, which is logged once. */
  #failure: string | undefined;

  constructor(options: CertificateSecretOptions) {
    const { service, secret, now = (): number => Date.now() } = options;
    this.#options = options;
    this.#now = now;
    const host = `${service}.${secret.namespace}.svc`;
    this.#hosts = [host, `${host}.cluster.local`, `${service}.${secret.namespace}`];
  }

  /** The certificates of the authorities in PEM, for `caBundle`; `undefined` before the start. */
  get bundle(): string | undefined {
    return this.#state?.authorities.join('');
  }

  /**
   * Calls `use` with the certificate before it resolves, and again after each change of the certificate or of `bundle`.
   * Rejects with `CERTIFICATE_SECRET_FOREIGN`, `CERTIFICATE_SECRET_CONFLICT`, and with an error of the API server.
   */
  async start(use: (pair: IssuedCertificate) => void): Promise<void> {
    this.#state = await this.#agreedState();
    if (this.#stopped) return;
    this.#use = use;
    use({ cert: this.#state.cert, key: this.#state.key });
    this.#readLater();
  }

  /**
   * Reads the Secret, and renews what is due, before the next periodic read: for a replica that sees the authorities of
   * another one. A failure is logged, and the certificate stays.
   */
  refresh(): Promise<void> {
    const read = (): Promise<void> => this.#readAgain();
    // A logger that throws must not end all later reads.
    this.#reads = this.#reads.then(read, read);
    return this.#reads;
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #readLater(): void {
    if (this.#stopped) return;
    const readLater = (): void => this.#readLater();
    this.#timer = setTimeout(
      () => void this.refresh().then(readLater, readLater),
      READ_INTERVAL_MS,
    );
  }

  async #readAgain(): Promise<void> {
    if (this.#state === undefined || this.#stopped) return;
    const { log, secret } = this.#options;
    try {
      const state = await this.#agreedState();
      this.#failure = undefined;
      if (this.#stopped) return;
      const { bundle } = this;
      const isChanged = state.cert !== this.#state?.cert || state.authorities.join('') !== bundle;
      this.#state = state;
      if (isChanged) this.#use({ cert: state.cert, key: state.key });
    } catch (error) {
      const failure = String(error);
      if (failure !== this.#failure)
        log.error({ ...secret, err: error }, 'certificate not renewed');
      this.#failure = failure;
    }
  }

  /** Reads the Secret, and renews what is due. After the write of another replica it starts again. */
  async #agreedState(): Promise<CertificateState> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const stored = await this.#read();
      const state = stored === undefined ? undefined : stateOf(stored);
      const now = this.#now();
      const plan = renewalPlan(state, this.#hosts, now);
      if (state !== undefined && plan.authority === undefined && plan.serving === undefined) {
        return state;
      }
      const next = await renewed(state, plan, { hosts: this.#hosts, now });
      if (await this.#write(stored, next, plan)) return next;
    }
    throw new WebhookError('CERTIFICATE_SECRET_CONFLICT', { ...this.#options.secret });
  }

  async #read(): Promise<Secret | undefined> {
    const { client, secret } = this.#options;
    try {
      const stored = await client.get(builtin.Secret, secret);
      if (stored.metadata.annotations?.[SERVICE_ANNOTATION] === this.#hosts[0]) return stored;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
    throw new WebhookError('CERTIFICATE_SECRET_FOREIGN', { ...secret });
  }

  /** Returns false if another replica wrote first. */
  async #write(
    stored: Secret | undefined,
    state: CertificateState,
    plan: RenewalPlan,
  ): Promise<boolean> {
    const { client, secret, log } = this.#options;
    const data = dataOf(state);
    try {
      if (stored === undefined) {
        const annotations = { [SERVICE_ANNOTATION]: this.#hosts[0] ?? '' };
        const metadata = { ...secret, annotations };
        await client.create(builtin.Secret, { metadata, type: 'kubernetes.io/tls', data });
      } else await client.update(builtin.Secret, { ...stored, data });
      log.info({ ...secret, ...plan }, 'certificate renewed');
      return true;
    } catch (error) {
      if (isConflict(error) || isAlreadyExists(error)) return false;
      // A Secret that is updated may be lost; one that is created has no namespace.
      if (stored !== undefined && isNotFound(error)) return false;
      throw error;
    }
  }
}

function stateOf({ data = {} }: Secret): CertificateState {
  const text = (name: string): string => Buffer.from(data[name] ?? '', 'base64').toString();
  return {
    authorities: splitCertificates(text('ca.crt')),
    authorityKey: text('ca.key'),
    cert: text('tls.crt'),
    key: text('tls.key'),
  };
}

function dataOf({
  authorities,
  authorityKey,
  cert,
  key,
}: CertificateState): Record<string, string> {
  return {
    'ca.crt': encode(authorities.join('')),
    'ca.key': encode(authorityKey),
    'tls.crt': encode(cert),
    'tls.key': encode(key),
  };
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64');
}
