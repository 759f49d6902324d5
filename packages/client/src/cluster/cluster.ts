import { ClientError } from '../errors.ts';

/** PEM texts or their bytes. */
export type Pem = string | Uint8Array | readonly (string | Uint8Array)[];

/** What TLS needs to know beyond the server's address. */
export interface ClusterTls {
  /** The authorities to trust instead of the system's. */
  readonly ca?: Pem;
  /** The client certificate and its key. */
  readonly cert?: Pem;
  readonly key?: Pem;
  readonly pfx?: Uint8Array;
  readonly passphrase?: string;
  /** The name the server's certificate must carry, where it is not the host of the URL. */
  readonly servername?: string;
  /** `false` trusts any certificate: for tests on one machine only. */
  readonly rejectUnauthorized?: boolean;
}

/** What proves to the API server who is asking. */
export interface Credentials {
  /** Request headers, above all `authorization`. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** Overrides `Cluster.tls` member by member: a client certificate that is renewed. */
  readonly tls?: ClusterTls;
}

/** How credentials are asked for. */
export interface CredentialRequest {
  /** The API server refused what was returned before: it must not come from a cache. */
  readonly force: boolean;
  /** Aborts when the client is closed. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Where a cluster is and how to be let in, as plain data. `loadCluster` makes one from a
 * kubeconfig; a test or an embedded server writes `{ server: url }`.
 */
export interface Cluster {
  /** The base URL; a path in it is kept (`https://rancher.example.com/k8s/clusters/c-1`). */
  readonly server: string;
  /** The namespace of the kubeconfig's context; the client never falls back to it by itself. */
  readonly namespace?: string;
  readonly tls?: ClusterTls;
  /** A bearer token that does not change. */
  readonly token?: string;
  /** `http://`, `https://` or `socks5://` proxy. */
  readonly proxy?: string;
  /**
   * Credentials that may change: called every few seconds, and with `force` after a 401. Never called twice
   * at the same time. While it fails, the client keeps the credentials that it has.
   */
  credentials?(request: CredentialRequest): Promise<Credentials>;
}

const tlsMembers = ['ca', 'cert', 'key', 'pfx', 'passphrase', 'servername', 'rejectUnauthorized'];
const clusterMembers = ['server', 'namespace', 'tls', 'token', 'proxy', 'credentials'];

/** A misspelt `token` would send anonymous requests; a misspelt `ca` would trust the system's authorities. */
export function checkMembers(cluster: Cluster): void {
  checkKnown(cluster, clusterMembers, '');
  const { namespace = '', proxy = '', tls } = cluster;
  for (const [option, value] of Object.entries({ namespace, proxy })) {
    if (typeof value !== 'string')
      throw new ClientError('INVALID_CLUSTER', { option, expected: 'a text' });
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

/** The server's URL, checked; its path has no slash at the end. */
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

/** A token is a part of a header, so that the line break at the end of a token file is invalid. */
export function checkToken(token: unknown): void {
  if (token === undefined || (typeof token === 'string' && /^[^\r\n]+$/.test(token))) return;
  throw new ClientError('INVALID_CLUSTER', { option: 'token', expected: 'a text of one line' });
}
