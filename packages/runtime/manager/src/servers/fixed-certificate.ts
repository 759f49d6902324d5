import type { CertificateSource, KeyPair } from './certificate-source.ts';

/** A certificate that does not change. */
export class FixedCertificate implements CertificateSource {
  readonly #pair: KeyPair;

  constructor(pair: KeyPair) {
    this.#pair = pair;
  }

  async start(use: (pair: KeyPair) => void): Promise<void> {
    use(this.#pair);
  }

  stop(): void {}
}
