import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { issueCertificate } from '@keelson/x509';
import type { KeyPair } from '../servers/certificate-source.ts';

const YEAR_MS = 365 * 86_400_000;

/** Creates a certificate for 127.0.0.1, signed by itself or by an authority. */
export async function pairOf(
  commonName: string,
  {
    ca,
    groups = [],
    expired = false,
  }: {
    readonly ca?: KeyPair;
    readonly groups?: readonly string[];
    readonly expired?: boolean;
  } = {},
): Promise<KeyPair> {
  const now = Date.now();
  return issueCertificate({
    commonName,
    organizations: groups,
    hosts: ['127.0.0.1'],
    notBefore: expired ? Date.parse('2020-01-01') : now - 1000,
    notAfter: expired ? Date.parse('2021-01-01') : now + YEAR_MS,
    ...(ca === undefined ? { use: 'authority' } : { authority: ca, use: 'client' }),
  });
}

/** A folder with the files of a certificate. Disposing it removes the files. */
export class CertificateFolder implements AsyncDisposable {
  readonly path: string;
  readonly files: { readonly cert: string; readonly key: string };

  private constructor(path: string) {
    this.path = path;
    this.files = { cert: join(path, 'tls.crt'), key: join(path, 'tls.key') };
  }

  static async create(pair?: KeyPair): Promise<CertificateFolder> {
    const folder = new CertificateFolder(await mkdtemp(join(tmpdir(), 'keelson-tls-')));
    if (pair !== undefined) await folder.write(pair);
    return folder;
  }

  /** Writes the authority of client certificates and returns its path. */
  async writeAuthority({ cert }: KeyPair): Promise<string> {
    const file = join(this.path, 'ca.crt');
    await writeFile(file, cert);
    return file;
  }

  async write({ cert, key }: KeyPair): Promise<void> {
    await writeFile(this.files.cert, cert);
    await writeFile(this.files.key, key);
  }

  /** Replaces each file by a rename, as cert-manager's tools and editors do. */
  async rename({ cert, key }: KeyPair): Promise<void> {
    for (const [file, text] of [
      [this.files.cert, cert],
      [this.files.key, key],
    ] as const) {
      await writeFile(`${file}.new`, text);
      await rename(`${file}.new`, file);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
  }
}
