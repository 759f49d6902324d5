import { ManagerError } from '../errors.ts';
import type { Logger } from '../logging/logger.ts';
import type { CertificateSource, KeyPair } from './certificate-source.ts';
import { PeriodicRead } from './periodic-read.ts';
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

/** A certificate in files. If they are unreadable or do not match, the server keeps the certificate that it has. */
export class CertificateFiles implements CertificateSource {
  readonly #files: MetricsCertificatePaths;
  readonly #options: CertificateFilesOptions;
  readonly #reads: PeriodicRead<KeyPair>;

  constructor(files: MetricsCertificatePaths, options: CertificateFilesOptions) {
    const { server, log } = options;
    this.#files = files;
    this.#options = options;
    this.#reads = new PeriodicRead({
      server,
      log,
      read: () => this.#read(),
      isSame,
      messages: { changed: 'certificate reloaded', failed: 'certificate not reloaded' },
    });
  }

  /** Rejects with `INVALID_CERTIFICATE` if the files are missing, invalid or do not match. */
  start(use: (pair: KeyPair) => void): Promise<void> {
    return this.#reads.start(use);
  }

  stop(): void {
    this.#reads.stop();
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
      return await process.getBuiltinModule('node:fs/promises').readFile(file, 'utf8');
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
    const { createPrivateKey, X509Certificate } = process.getBuiltinModule('node:crypto');
    const { createSecureContext } = process.getBuiltinModule('node:tls');
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

function isSame({ cert, key, ca }: KeyPair, other: KeyPair): boolean {
  return cert === other.cert && key === other.key && ca === other.ca;
}
