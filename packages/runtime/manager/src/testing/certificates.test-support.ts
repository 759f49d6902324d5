import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import type { KeyPair } from '../servers/certificate-source.ts';

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
  const attributes = [
    { name: 'commonName', value: commonName },
    ...groups.map((value) => ({ name: 'organizationName', value })),
  ];
  const made = await generate(attributes, {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: ca === undefined },
      { name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] },
    ],
    ...(expired && { notBeforeDate: new Date('2020-01-01'), notAfterDate: new Date('2021-01-01') }),
    ...(ca && { ca }),
  });
  return { cert: made.cert, key: made.private };
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
