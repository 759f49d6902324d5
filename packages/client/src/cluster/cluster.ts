import { ClientError } from '../errors.ts';

/** PEM as a string or as bytes. */
export type Pem = string | Uint8Array | readonly (string | Uint8Array)[];

/** TLS settings of a connection to the API server. */
export interface ClusterTls {
  /** Certificate authorities to trust instead of those of the system. */
  readonly ca?: Pem;
  /** The client certificate. Needs its `key`. */
  readonly cert?: Pem;
  readonly key?: Pem;
  readonly pfx?: Uint8Array;
  readonly passphrase?: string;
  /** The name in the server's certificate. Default: the host of the URL. */
  readonly servername?: string;
  /** `false` trusts any certificate; for local tests only. */
  readonly rejectUnauthorized?: boolean;
}

/** Headers and TLS material that authenticate a client to the API server. */
export interface Credentials {
  /** Request headers, mostly `authorization`. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** Overrides single members of `Cluster.tls`, such as a client certificate that was renewed. */
  readonly tls?: ClusterTls;
}

/** Says why the client calls `Cluster.credentials`, and when its result is no longer needed. */
export interface CredentialRequest {
  /** True after the API server refused the previous credentials. New ones must not come from a cache. */
  readonly force: boolean;
  /** Aborted when the client is closed. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The address of an API server with TLS settings and credentials, as plain data. `loadCluster` creates one
 * from a kubeconfig; for a test or an embedded server `{ server: url }` suffices.
 */
export interface Cluster {
  /** The base URL, including a path such as `https://rancher.example.com/k8s/clusters/c-1`. */
  readonly server: string;
  /** The namespace of the kubeconfig's context. The client does not use it as a default. */
  readonly namespace?: string;
  readonly tls?: ClusterTls;
  /** A bearer token that does not change. */
  readonly token?: string;
  /** URL of an `http://`, `https://` or `socks5://` proxy. */
  readonly proxy?: string;
  /**
   * Returns credentials that may change. Called at most every 10 s, and with `force` after a 401; calls never
   * overlap. While it fails, the client keeps its last credentials.
   */
  credentials?(request: CredentialRequest): Promise<Credentials>;
}

const tlsMembers = ['ca', 'cert', 'key', 'pfx', 'passphrase', 'servername', 'rejectUnauthorized'];
const clusterMembers = ['server', 'namespace', 'tls', 'token', 'proxy', 'credentials'];

/**
 * Refuses unknown members: a misspelt `token` would send anonymous requests, and a misspelt `ca` would trust
 * the authorities of the system.
 */
export function checkMembers(cluster: Cluster): void {
  checkKnown(cluster, clusterMembers, '');
  const { namespace = '', proxy = '', tls } = cluster;
  for (const [option, value] of Object.entries({ namespace, proxy })) {
    if (typeof value !== 'string')
      throw new ClientError('INVALID_CLUSTER', { option, expected: 'a string' });
  }
  if (!['function', 'undefined'].includes(typeof cluster.credentials)) {
    throw new ClientError('INVALID_CLUSTER', { option: 'credentials', expected: 'a function' });
  }
  if (tls === undefined) return;
  if (typeof tls !== 'object' || tls === null) {
    throw new ClientError('INVALID_CLUSTER', { option: 'tls', expected: 'an object' });
  }
  checkKnown(tls, tlsMembers, 'tls.');
}

function checkKnown(given: object, known: readonly string[], path: string): void {
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const expected = `one of ${known.join(', ')}`;
  throw new ClientError('INVALID_CLUSTER', { option: path + unknown, expected });
}

/** Parses and checks the URL of the server. The path of the result has no trailing slash. */
export function serverUrl(server: string): URL {
  const url = URL.canParse(server) ? new URL(server) : undefined;
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new ClientError('INVALID_CLUSTER', { option: 'server', expected: 'an http(s) URL' });
  }
  if (url.username !== '' || url.search !== '' || url.hash !== '') {
    throw new ClientError('INVALID_CLUSTER', {
      option: 'server',
      expected: 'a URL without user, query and fragment',
    });
  }
  return url;
}

/** Refuses a token that a header cannot contain, such as the text of a token file with its line break. */
export function checkToken(token: unknown): void {
  if (token === undefined || (typeof token === 'string' && /^[^\r\n]+$/.test(token))) return;
  throw new ClientError('INVALID_CLUSTER', { option: 'token', expected: 'a string of one line' });
}
