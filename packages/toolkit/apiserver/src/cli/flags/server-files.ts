import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseTokenFile } from '../../auth/token-file.ts';
import type { TlsMaterial } from '../../http/http-listener.ts';
import { selfSignedCertificate } from '../../http/self-signed-certificate.ts';
import type { ApiServerOptions } from '../../server/api-server-options.ts';
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

/** Reads the files into options of `createApiServer`. Rejects as `readFile` does, or with `TOKEN_FILE_INVALID`. */
export async function readServerFiles(
  files: ServerFiles,
  host: string,
): Promise<CredentialOptions> {
  const { certDir, clientCaFile, tokenAuthFile } = files;
  return {
    tls: certDir === undefined ? true : await certificateIn(certDir, host),
    ...(clientCaFile !== undefined && { clientCa: await readFile(clientCaFile, 'utf8') }),
    ...(tokenAuthFile !== undefined && {
      tokens: parseTokenFile(await readFile(tokenAuthFile, 'utf8')),
    }),
  };
}

/** The certificate in a folder. Like kube-apiserver, writes a self-signed one if neither of its two files is there. */
async function certificateIn(folder: string, host: string): Promise<TlsMaterial> {
  const certFile = join(folder, 'apiserver.crt');
  const keyFile = join(folder, 'apiserver.key');
  const [cert, key] = await Promise.all([readIfExists(certFile), readIfExists(keyFile)]);
  if (cert !== undefined && key !== undefined) return { cert, key };
  if (cert !== undefined || key !== undefined) {
    throw new Error(`${cert === undefined ? certFile : keyFile} is missing, beside its other half`);
  }
  const made = await selfSignedCertificate([...new Set([host, 'localhost', '127.0.0.1'])]);
  await mkdir(folder, { recursive: true });
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
