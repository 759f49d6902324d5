import { checkClock, type Clock } from '@keelson/apimachinery';
import { ClientError } from '../errors.ts';
import {
  invalidHeader,
  invalidTls,
  isHeaderValue,
  unknownMember,
  type InvalidMember,
} from './invalid-member.ts';
import { isRecord } from '../values/record.ts';

/** Certificates or a key in the PEM format, as a string, as bytes, or as a list of these. */
export type Pem = string | Uint8Array | readonly (string | Uint8Array)[];

/** TLS settings of a connection to the API server. */
export interface ClusterTls {
  /** Certificates to trust instead of the system's authorities. As in Go, they need not be authorities themselves. */
  readonly ca?: Pem;
  /** The client certificate, which requires its `key`. */
  readonly cert?: Pem;
  readonly key?: Pem;
  readonly pfx?: Uint8Array;
  readonly passphrase?: string;
  /** The name in the server's certificate. Default: the host of the URL. */
  readonly servername?: string;
  /** If false, the client trusts any certificate; for local tests only. Default true. */
  readonly rejectUnauthorized?: boolean;
}

/** Headers and TLS material that authenticate a client to the API server. */
export interface Credentials {
  /** Headers that are added to every request, usually `authorization`. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** Overrides single members of `Cluster.tls`, such as a client certificate that was renewed. */
  readonly tls?: ClusterTls;
}

/** The reason for a call of `Cluster.credentials`, and a signal that ends the call. */
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
   * True for the cluster of a test or of `keelson dev`: a cache that reads from it freezes its objects, so that code
   * which changes one throws. `@keelson/envtest` and `keelson dev` set it. Default false.
   */
  readonly development?: boolean;
  /**
   * The clock of a test environment with virtual time. Clients and managers of the cluster wait by it. Default: the
   * clock of the system.
   */
  readonly clock?: Clock;
  /**
   * Returns credentials that may change. The client calls it at most every 10 s, and with `force` after a 401; calls
   * never overlap. While it fails or returns an invalid value, the client uses its last credentials. An error that it
   * throws, other than a `ClientError`, is the cause of a `CREDENTIALS_FAILED`.
   */
  credentials?(request: CredentialRequest): Promise<Credentials>;
}

const clusterMembers = [
  'server',
  'namespace',
  'tls',
  'token',
  'proxy',
  'development',
  'clock',
  'credentials',
];

/**
 * Refuses unknown members: a misspelt `token` would send anonymous requests, and a misspelt `ca` would trust
 * the authorities of the system.
 */
export function checkMembers(cluster: Cluster): void {
  if (!isRecord(cluster)) refuse({ option: 'cluster', expected: 'an object' });
  refuse(unknownMember(cluster, clusterMembers, ''));
  const { namespace = '', proxy = '', tls } = cluster;
  for (const [option, value] of Object.entries({ namespace, proxy })) {
    if (typeof value !== 'string') refuse({ option, expected: 'a string' });
  }
  if (!['boolean', 'undefined'].includes(typeof cluster.development)) {
    refuse({ option: 'development', expected: 'true or false' });
  }
  if (!['function', 'undefined'].includes(typeof cluster.credentials)) {
    refuse({ option: 'credentials', expected: 'a function' });
  }
  refuse(invalidTls(tls));
  checkClock(cluster.clock, 'cluster.clock');
}

function refuse(invalid: InvalidMember | undefined): void {
  if (invalid !== undefined) throw new ClientError('INVALID_CLUSTER', { ...invalid });
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
  if (token === undefined || (isHeaderValue(token) && token !== '')) return;
  refuse({ option: 'token', expected: 'a string of one line that a header can hold' });
}

const credentialMembers = ['headers', 'tls'];

/**
 * Throws `CREDENTIALS_FAILED` unless a `credentials` function returned headers that a request can hold and TLS
 * settings. The error never contains a value, because it may be a secret.
 */
export function checkCredentials(given: unknown): asserts given is Credentials {
  const invalid = isRecord(given)
    ? (unknownMember(given, credentialMembers, '') ??
      invalidHeader(given['headers']) ??
      invalidTls(given['tls']))
    : { option: 'credentials', expected: 'an object' };
  if (invalid === undefined) return;
  const reason = 'the credentials function returned an invalid value';
  throw new ClientError('CREDENTIALS_FAILED', { reason, ...invalid });
}
