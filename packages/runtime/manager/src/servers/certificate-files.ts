import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { ManagerError } from '../errors.ts';
import type { Logger } from '../logging/logger.ts';
import type { CertificateSource, KeyPair } from './certificate-source.ts';
import type { MetricsCertificatePaths } from './server-options.ts';

/** Receives the reads of certificate files. */
export interface CertificateObserver {
  certificateRead(): void;
  certificateFailed(): void;
}

export interface CertificateFilesOptions {
  /** The name of the server, for logs and errors. */
  readonly server: string;
  readonly log: Logger;
  readonly observer: CertificateObserver;
}

/** Milliseconds between two reads of the files, as in the certwatcher of controller-runtime. */
const READ_INTERVAL_MS = 10_000;

/**
 * A certificate in files. The files are read again periodically and not watched by inotify: a read follows renames,
 * symlinks and the mounted Secrets of the kubelet alike, and needs no inotify instance, of which a node has few. If the
 * files are unreadable or do not match, the server keeps the certificate that it has.
 */
export class CertificateFiles implements CertificateSource {
  readonly #files: MetricsCertificatePaths;
  readonly #options: CertificateFilesOptions;
  #current: KeyPair | undefined;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;
  /** The text of the last failure, which is logged once. */
  #failure: string | undefined;

  constructor(files: MetricsCertificatePaths, options: CertificateFilesOptions) {
    this.#files = files;
    this.#options = options;
  }

  /** Rejects with `INVALID_CERTIFICATE` if the files are missing, invalid or do not match. */
  async start(use: (pair: KeyPair) => void): Promise<void> {
    this.#current = await this.#read();
    use(this.#current);
    this.#readLater(use);
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #readLater(use: (pair: KeyPair) => void): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(() => void this.#readAgain(use), READ_INTERVAL_MS);
  }

  async #readAgain(use: (pair: KeyPair) => void): Promise<void> {
    const { server, log } = this.#options;
    try {
      const pair = await this.#read();
      this.#failure = undefined;
      if (!this.#stopped && !isSame(pair, this.#current)) {
        use(pair);
        this.#current = pair;
        log.info({ server }, 'certificate reloaded');
      }
    } catch (error) {
      const failure = (error as Error).message;
      if (failure !== this.#failure) log.error({ server, err: error }, 'certificate not reloaded');
      this.#failure = failure;
    }
    this.#readLater(use);
  }

  async #read(): Promise<KeyPair> {
    const { observer } = this.#options;
    observer.certificateRead();
    try {
      const { cert, key, clientCa } = this.#files;
      const pair = {
        cert: await this.#contentOf(cert),
        key: await this.#contentOf(key),
        ...(clientCa !== undefined && { ca: await this.#contentOf(clientCa) }),
      };
      this.#check(pair);
      return pair;
    } catch (error) {
      observer.certificateFailed();
      throw error;
    }
  }

  async #contentOf(file: string): Promise<string> {
    try {
      return await readFile(file, 'utf8');
    } catch (cause) {
      throw this.#invalid({ file, reason: (cause as NodeJS.ErrnoException).code }, cause);
    }
  }

  /**
   * Throws `INVALID_CERTIFICATE` for empty or invalid files. TLS itself accepts empty ones: without a certificate every
   * handshake would fail, and with an empty `clientCa` the public authorities could issue client certificates.
   */
  #check(pair: KeyPair): void {
    const { cert, key, clientCa = '' } = this.#files;
    const certificate = this.#parsed(cert, () => new X509Certificate(pair.cert));
    const privateKey = this.#parsed(key, () => createPrivateKey(pair.key));
    if (!certificate.checkPrivateKey(privateKey)) {
      throw this.#invalid({ cert, key, reason: 'the key does not belong to the certificate' });
    }
    const { ca } = pair;
    if (ca !== undefined) this.#parsed(clientCa, () => new X509Certificate(ca));
    this.#parsed(cert, () => createSecureContext(pair));
  }

  #parsed<T>(file: string, parse: () => T): T {
    try {
      return parse();
    } catch (cause) {
      throw this.#invalid({ file, reason: 'the PEM is invalid' }, cause);
    }
  }

  #invalid(facts: Record<string, string | undefined>, cause?: unknown): ManagerError {
    const { server } = this.#options;
    return new ManagerError('INVALID_CERTIFICATE', { server, ...facts }, { cause });
  }
}

function isSame({ cert, key, ca }: KeyPair, other: KeyPair | undefined): boolean {
  return cert === other?.cert && key === other.key && ca === other.ca;
}
