import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { issueCertificate, type IssuedCertificate } from '@keelson/x509';

const HOUR_MS = 3_600_000;

/** The certificate of a webhook server in files, and its authority. */
export class CertificateFiles implements AsyncDisposable {
  readonly #folder: string;

  static async create(): Promise<CertificateFiles> {
    return new CertificateFiles(await mkdtemp(join(tmpdir(), 'keelson-rollout-')));
  }

  private constructor(folder: string) {
    this.#folder = folder;
  }

  get paths(): { readonly cert: string; readonly key: string } {
    return { cert: join(this.#folder, 'tls.crt'), key: join(this.#folder, 'tls.key') };
  }

  /** Replaces the files by a certificate of this authority. */
  async issue(authority: IssuedCertificate): Promise<void> {
    const hosts = ['127.0.0.1'];
    const pair = await issueCertificate({ commonName: 'webhook', hosts, ...validity(), authority });
    for (const [name, path] of Object.entries(this.paths)) {
      await writeFile(`${path}.new`, pair[name as keyof typeof pair], { mode: 0o600 });
      await rename(`${path}.new`, path);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** Creates an authority. Each needs a name of its own. */
export function newAuthority(commonName: string): Promise<IssuedCertificate> {
  return issueCertificate({ commonName, ...validity() });
}

function validity(): { readonly notBefore: number; readonly notAfter: number } {
  const now = Date.now();
  return { notBefore: now - HOUR_MS, notAfter: now + 24 * HOUR_MS };
}
