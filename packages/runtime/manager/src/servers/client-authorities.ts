import { ManagerError } from '../errors.ts';
import type { CertificateFilesOptions } from './certificate-files.ts';
import type { CertificateSource, KeyPair } from './certificate-source.ts';
import { PeriodicRead } from './periodic-read.ts';

/** Adds the authorities of client certificates, in a file that is read again, to the certificate of a server. */
export class ClientAuthorities implements CertificateSource {
  readonly #source: CertificateSource;
  readonly #authorities: PeriodicRead<string>;

  constructor(source: CertificateSource, file: string, options: CertificateFilesOptions) {
    const { server, log } = options;
    this.#source = source;
    this.#authorities = new PeriodicRead({
      server,
      log,
      read: () => authoritiesIn(file, options),
      isSame: (value, other) => value === other,
      messages: {
        changed: 'client authorities reloaded',
        failed: 'client authorities not reloaded',
      },
    });
  }

  /** Rejects with `INVALID_CERTIFICATE` if the file is missing or invalid, and as the source of the certificate does. */
  async start(use: (pair: KeyPair) => void): Promise<void> {
    let current: KeyPair | undefined;
    let ca = '';
    await this.#authorities.start((authorities) => {
      ca = authorities;
      if (current !== undefined) use({ ...current, ca });
    });
    await this.#source.start((pair) => {
      current = pair;
      use({ ...pair, ca });
    });
  }

  stop(): void {
    this.#authorities.stop();
    this.#source.stop();
  }
}

/** TLS itself accepts an empty file, and then the public authorities could issue client certificates. */
async function authoritiesIn(
  file: string,
  { server, observer }: CertificateFilesOptions,
): Promise<string> {
  observer.certificateRead();
  try {
    const ca = await process.getBuiltinModule('node:fs/promises').readFile(file, 'utf8');
    void new (process.getBuiltinModule('node:crypto').X509Certificate)(ca);
    process.getBuiltinModule('node:tls').createSecureContext({ ca });
    return ca;
  } catch (cause) {
    observer.certificateFailed();
    const { code, syscall } = cause as NodeJS.ErrnoException;
    const reason = syscall === undefined ? 'the PEM is invalid' : code;
    throw new ManagerError('INVALID_CERTIFICATE', { server, file, reason }, { cause });
  }
}
