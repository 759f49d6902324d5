import { isIPv6 } from 'node:net';
import path from 'node:path';
import type { Cluster, CredentialRequest, Credentials } from '../cluster.ts';
import { CredentialError, factsOfFailure } from './credential-error.ts';
import { ClientError } from '../../errors.ts';
import { proxyFor } from '../proxy-environment.ts';
import { TokenFile } from './token-file.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The folder in which a Pod finds the files of its service account. */
export const serviceAccountFolder = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Returns the URL of the API server from the variables of a Pod, or `undefined` outside of a cluster. */
export function serviceUrl(environment: Environment): string | undefined {
  const host = environment['KUBERNETES_SERVICE_HOST'];
  const port = environment['KUBERNETES_SERVICE_PORT'];
  if (!host || !port) return undefined;
  return `https://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/** Returns the cluster in which this process runs as a Pod, with the credentials of its service account. */
export async function serviceAccountCluster(
  server: string,
  environment: Environment,
  folder: string = serviceAccountFolder,
): Promise<Cluster> {
  const credentials = new ServiceAccount(folder);
  const { readFile } = process.getBuiltinModule('node:fs/promises');
  const namespace = await readFile(path.join(folder, 'namespace'), 'utf8').catch(() => '');
  const proxy = proxyFor(new URL(server), environment);
  return {
    server,
    ...(namespace.trim() === '' ? {} : { namespace: namespace.trim() }),
    ...(proxy === undefined ? {} : { proxy }),
    credentials: (request) => credentials.fetch(request),
  };
}

/** Reads the token and the certificate authority, both of which the kubelet rotates. */
class ServiceAccount {
  readonly #folder: string;
  readonly #token: TokenFile;
  #ca: string | undefined;

  constructor(folder: string) {
    this.#folder = folder;
    this.#token = new TokenFile(path.join(folder, 'token'));
  }

  async fetch(request: CredentialRequest): Promise<Credentials> {
    try {
      const { token } = await this.#token.present(request);
      const ca = await this.#authority();
      return { headers: { authorization: `Bearer ${token}` }, tls: { ca } };
    } catch (error) {
      if (request.signal?.aborted === true) throw request.signal.reason;
      const facts = { kind: 'serviceAccount', ...factsOfFailure(error, []), folder: this.#folder };
      throw new ClientError('CREDENTIALS_FAILED', facts);
    }
  }

  /** While the file is missing or empty, the last certificate authority stays in use. */
  async #authority(): Promise<string> {
    const { readFile } = process.getBuiltinModule('node:fs/promises');
    try {
      const text = await readFile(path.join(this.#folder, 'ca.crt'), 'utf8');
      if (text.trim() === '') throw new CredentialError('ca.crt is empty');
      this.#ca = text;
    } catch (error) {
      if (this.#ca === undefined) throw error;
    }
    return this.#ca;
  }
}
