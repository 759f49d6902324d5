import type { CertificateSource, KeyPair } from './certificate-source.ts';

/** Knows when the certificate of a server expires, whatever its source. */
export class ExpiringCertificate implements CertificateSource {
  readonly #source: CertificateSource;
  /** Milliseconds since 1970; `undefined` before the first certificate. */
  expiresAt: number | undefined;

  constructor(source: CertificateSource) {
    this.#source = source;
  }

  async start(use: (pair: KeyPair) => void): Promise<void> {
    await this.#source.start((pair) => {
      use(pair);
      const { X509Certificate } = process.getBuiltinModule('node:crypto');
      this.expiresAt = Date.parse(new X509Certificate(pair.cert).validTo);
    });
  }

  stop(): void {
    this.#source.stop();
  }
}
