/** The certificate and key of a server in PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
  /** The authorities of client certificates. */
  readonly ca?: string;
}

/** Supplies the certificate of a server. */
export interface CertificateSource {
  /** Calls `use` with the pair before it resolves, and again after each change of the pair. */
  start(use: (pair: KeyPair) => void): Promise<void>;
  /** Ends the calls of `use`. */
  stop(): void;
}
