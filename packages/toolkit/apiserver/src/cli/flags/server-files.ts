import { X509Certificate } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseTokenFile } from '../../auth/token-file.ts';
import type { TlsMaterial } from '../../http/http-listener.ts';
import { selfSignedCertificate } from '../../http/self-signed-certificate.ts';
import type { ApiServerOptions } from '../../server/api-server-options.ts';
import { UsageError } from './flag-values.ts';
import { makeFolder } from './make-folder.ts';
import { writePrivateFile } from './private-file.ts';

/** Paths of what the server reads once, at its start. */
export interface ServerFiles {
  /** Folder with `apiserver.crt` and `apiserver.key`. */
  readonly certDir: string | undefined;
  /** PEM of the authority of client certificates. */
  readonly clientCaFile: string | undefined;
  /** Lines of `token,user,uid,"group1,group2"`. */
  readonly tokenAuthFile: string | undefined;
}

/** The options of `createApiServer` that come from files. */
type CredentialOptions = Pick<ApiServerOptions, 'clientCa' | 'tokens'> & {
  readonly tls: boolean | TlsMaterial;
};

/** Reads the files into options of `createApiServer`. Rejects with the name of the flag, or with `TOKEN_FILE_INVALID`. */
export async function readServerFiles(
  files: ServerFiles,
  host: string,
): Promise<CredentialOptions> {
  const { certDir, clientCaFile, tokenAuthFile } = files;
  return {
    tls: certDir === undefined ? true : await certificateIn(certDir, host),
    ...(clientCaFile !== undefined && { clientCa: await readAuthority(clientCaFile) }),
    ...(tokenAuthFile !== undefined && {
      tokens: parseTokenFile(await withFlag('--token-auth-file', readFile(tokenAuthFile, 'utf8'))),
    }),
  };
}

/** Reads the certificates of the authority. TLS ignores a text without one, and would then accept no client certificate. */
async function readAuthority(path: string): Promise<string> {
  const text = await withFlag('--client-ca-file', readFile(path, 'utf8'));
  const certificates =
    text.match(/-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gs) ?? [];
  if (certificates.length === 0 || !certificates.every(isCertificate)) {
    throw new UsageError(`--client-ca-file takes certificates in PEM, which ${path} does not have`);
  }
  return text;
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}

/** Adds the name of the flag to the error of a file. */
async function withFlag<T>(flag: string, result: Promise<T>): Promise<T> {
  try {
    return await result;
  } catch (error) {
    const { message } = error as NodeJS.ErrnoException;
    throw new Error(`${flag}: ${message}`, { cause: error });
  }
}

/** The certificate in a folder. Like kube-apiserver, writes a self-signed one if neither of its two files is there. */
async function certificateIn(folder: string, host: string): Promise<TlsMaterial> {
  const certFile = join(folder, 'apiserver.crt');
  const keyFile = join(folder, 'apiserver.key');
  const [cert, key] = await withFlag(
    '--cert-dir',
    Promise.all([readIfExists(certFile), readIfExists(keyFile)]),
  );
  if (cert !== undefined && key !== undefined) return { cert, key };
  if (cert !== undefined || key !== undefined) {
    throw new Error(`${cert === undefined ? certFile : keyFile} is missing, beside its other half`);
  }
  const made = await selfSignedCertificate([...new Set([host, 'localhost', '127.0.0.1'])]);
  await withFlag('--cert-dir', makeFolder(folder));
  await writePrivateFile(keyFile, made.key);
  await writeFile(certFile, made.cert);
  return made;
}

async function readIfExists(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
