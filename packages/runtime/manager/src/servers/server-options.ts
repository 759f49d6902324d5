import {
  checkFlag,
  checkOptions,
  invalidOption,
  isDnsSubdomain,
  isLoopback,
  parseDuration,
  type Duration,
} from '@keelson/apimachinery';

/** The files of a server's certificate, in PEM. The server reads them at start and again every 10 seconds. */
export interface CertificateFilePaths {
  /** The certificate, with its intermediate certificates. */
  readonly cert: string;
  /** The private key of the certificate. */
  readonly key: string;
}

/** A server's port, host and TLS. */
export interface ServerOptions {
  /** Port 0 selects a free port, which `manager.ports` has. */
  readonly port: number;
  /** Default: the host of `servers`, else every interface, because probes arrive from outside the Pod. */
  readonly host?: string;
  /**
   * Serves HTTPS from TLS 1.2 on: with the certificate in these files, or with `'self-signed'`, which the server
   * creates at each start and no client can verify. Default: HTTP.
   */
  readonly tls?: 'self-signed' | CertificateFilePaths;
}

/** A server's port, host and TLS, and whether scrapers have to authenticate. */
export interface MetricsServerOptions extends ServerOptions {
  /** As `tls` of every server, with the authorities of client certificates as `clientCa`. Default: HTTP. */
  readonly tls?: 'self-signed' | MetricsCertificatePaths;
  /**
   * Requires a bearer token, or a client certificate if `tls.clientCa` is given, of a user who may `get` the
   * non-resource URL `/metrics`. The API server decides by TokenReview and SubjectAccessReview. Needs `tls`, unless the
   * host is a loopback address. Default false.
   */
  readonly authentication?: boolean;
}

/**
 * A port, host and TLS for profiles, and how their readers authenticate: profiles contain what the process has in
 * memory, Secrets too. Without `authentication` readers send a token, and the host is a loopback address, by default
 * `127.0.0.1`, which `kubectl port-forward` reaches. On a loopback address the server refuses requests of web pages.
 */
export interface DebugServerOptions extends MetricsServerOptions {
  /**
   * Requires a bearer token or client certificate, as for the metrics server, of a user who may `get` the
   * non-resource URL, such as `/debug/cpu-profile`. Needs `tls`, unless the host is a loopback address. Default false.
   */
  readonly authentication?: boolean;
  /**
   * The bearer token of the readers: 16 or more letters, digits and `-._~+/=`. Not with `authentication`. Default: a
   * random one for each manager, which `manager.debugToken` returns.
   */
  readonly token?: string;
  /**
   * Lets readers of the inspector act: run a request now, pause and resume controllers and requests, change the concurrency
   * and the log level. With `authentication` they need the verb `post` on `/debug/inspector/action`. Default false.
   */
  readonly actions?: boolean;
}

/** The files of the metrics server's certificate, and of the authorities of its clients. */
export interface MetricsCertificatePaths extends CertificateFilePaths {
  /**
   * The authorities of client certificates, which name the user in CN and the groups in O. Needs `authentication`.
   * Default: the server requests no client certificates.
   */
  readonly clientCa?: string;
}

/**
 * A port, host and TLS for admission webhooks. The API server sends its reviews over HTTPS and verifies the certificate:
 * a `'self-signed'` one is for tests.
 */
export interface WebhookServerOptions extends Omit<ServerOptions, 'tls'> {
  /**
   * The certificate: in files that are read again periodically, in a Secret that the operator keeps, or given.
   */
  readonly tls: 'self-signed' | CertificateFilePaths | CertificateSecretPlace | GivenCertificate;
  /**
   * The file with the authorities of client certificates, in PEM, which is read again every 10 seconds. The server
   * responds with 401 to clients without a certificate of them. The API server sends one if its
   * `AdmissionConfiguration` has it. Default: the server accepts every client.
   */
  readonly clientCa?: string;
  /**
   * The time between the start of the manager's stop, when `/readyz` fails, and the close of the server. Meanwhile API
   * servers learn to send their reviews to other replicas. Default `'3s'`.
   */
  readonly shutdownDelay?: Duration;
}

/**
 * The operator issues and renews its certificates itself, in a Secret that its replicas share. It needs the permissions
 * to `get`, `create` and `update` the Secret, and to `get`, `list`, `watch` and `update` the configurations and
 * definitions.
 */
export interface CertificateSecretPlace {
  /** The name of the Secret, which the operator creates. */
  readonly secret: string;
  /** The name of the Service by which API servers reach the webhooks. */
  readonly service: string;
  /** The namespace of the Secret and the Service. Default: that of the Pod, or of the context in a kubeconfig. */
  readonly namespace?: string;
  /**
   * The names of the ValidatingWebhookConfigurations and MutatingWebhookConfigurations whose `caBundle` the leader keeps
   * equal to the authorities. Default: none.
   */
  readonly configurations?: readonly string[];
  /** The names of the CustomResourceDefinitions whose conversion webhook has the same `caBundle`. Default: none. */
  readonly definitions?: readonly string[];
}

/** A certificate that the program has, and never changes. */
export interface GivenCertificate {
  /** The certificate with its intermediate certificates, and its private key, in PEM. */
  readonly certificate: { readonly cert: string; readonly key: string };
}

/** The address of a server: a port, or a port with options. Port 0 selects a free port. */
export type ServerAddress = number | ServerOptions;

/** The HTTP servers of a manager. Default: no server. */
export interface ServersOptions {
  /** The host of the servers without their own host. Default: every interface. */
  readonly host?: string;
  /** The address that serves `/metrics`. Default: no server. */
  readonly metrics?: number | MetricsServerOptions;
  /** The address that serves `/healthz`, `/livez` and `/readyz`. Default: no server. */
  readonly health?: ServerAddress;
  /**
   * The address that serves the inspector, a page for browsers, at `/debug/inspector`, and `/debug/explain`,
   * `/debug/cpu-profile`, `/debug/heap-snapshot` and `/debug/event-loop-delay`. Default: no server.
   */
  readonly debug?: number | DebugServerOptions;
  /** The address of the admission webhooks (`addWebhook`). Default: no server. */
  readonly webhook?: WebhookServerOptions;
}

/** The ports of the servers that listen. */
export type ServerPorts = Readonly<
  Record<'metrics' | 'health' | 'debug' | 'webhook', number | undefined>
>;

/** Throws `INVALID_OPTION` unless the value is the option `servers`. */
export function checkServers(servers: ServersOptions, where: string): void {
  checkOptions(servers, ['host', 'metrics', 'health', 'debug', 'webhook'], where);
  const { host, metrics, health, debug, webhook } = servers;
  checkHost(host, `${where}.host`);
  if (metrics !== undefined) {
    checkAddress(metrics, `${where}.metrics`, ['authentication'], ['clientCa']);
    checkAuthentication(serverOptionsOf(metrics, host), `${where}.metrics`);
  }
  if (health !== undefined) checkAddress(health, `${where}.health`);
  if (debug !== undefined) {
    checkAddress(debug, `${where}.debug`, ['authentication', 'token', 'actions'], ['clientCa']);
    const options = debugOptionsOf(debug, host);
    checkAuthentication(options, `${where}.debug`);
    if (options.authentication !== true && !isLoopback(options.host ?? '')) {
      const reason = 'must be a loopback address, or needs authentication: true';
      throw invalidOption(`${where}.debug.host`, reason);
    }
    const { actions = false } = options;
    checkFlag(actions, `${where}.debug.actions`);
    checkToken(options, `${where}.debug.token`);
  }
  if (webhook !== undefined) checkWebhookServer(webhook, `${where}.webhook`);
}

function checkWebhookServer(webhook: WebhookServerOptions, where: string): void {
  checkOptions(webhook, ['port', 'host', 'tls', 'clientCa', 'shutdownDelay'], where);
  const { port, host, tls, clientCa, shutdownDelay = 0 } = webhook;
  checkPort(port, `${where}.port`);
  checkHost(host, `${where}.host`);
  parseDuration(shutdownDelay, `${where}.shutdownDelay`);
  if (tls === undefined) {
    throw invalidOption(`${where}.tls`, 'is required, because the API server uses HTTPS only');
  }
  checkWebhookTls(tls, `${where}.tls`);
  if (clientCa !== undefined) checkPath(clientCa, `${where}.clientCa`);
}

function checkWebhookTls(tls: WebhookServerOptions['tls'], where: string): void {
  if (typeof tls === 'object' && tls !== null && 'secret' in tls) {
    checkSecretPlace(tls, where);
  } else if (typeof tls === 'object' && tls !== null && 'certificate' in tls) {
    checkOptions(tls, ['certificate'], where);
    checkGiven(tls.certificate, `${where}.certificate`);
  } else checkTls(tls, where, []);
}

function checkSecretPlace(place: CertificateSecretPlace, where: string): void {
  const names = ['secret', 'service', 'namespace', 'configurations', 'definitions'];
  checkOptions(place, names, where);
  const { secret, service, namespace, configurations = [], definitions = [] } = place;
  checkObjectName(secret, `${where}.secret`);
  checkObjectName(service, `${where}.service`);
  if (namespace !== undefined) checkObjectName(namespace, `${where}.namespace`);
  for (const [option, list] of Object.entries({ configurations, definitions })) {
    if (!Array.isArray(list)) throw invalidOption(`${where}.${option}`, 'must be a list of names');
    for (const name of list) checkObjectName(name, `${where}.${option}`);
  }
}

function checkObjectName(name: unknown, option: string): void {
  if (typeof name !== 'string' || !isDnsSubdomain(name)) {
    throw invalidOption(option, 'must be the name of an object');
  }
}

/** The certificate is known here, so that a wrong one need not wait for the start. */
function checkGiven(pair: GivenCertificate['certificate'], where: string): void {
  checkOptions(pair, ['cert', 'key'], where);
  const { cert, key } = pair;
  const { createPrivateKey, X509Certificate } = process.getBuiltinModule('node:crypto');
  const certificate = parsed(() => new X509Certificate(cert), `${where}.cert`);
  const privateKey = parsed(() => createPrivateKey(key), `${where}.key`);
  if (!certificate.checkPrivateKey(privateKey)) {
    throw invalidOption(`${where}.key`, 'must be the key of the certificate');
  }
  // The certificates after the first one are parsed here only.
  parsed(
    () => process.getBuiltinModule('node:tls').createSecureContext({ cert, key }),
    `${where}.cert`,
  );
}

function parsed<T>(parse: () => T, option: string): T {
  try {
    return parse();
  } catch {
    throw invalidOption(option, 'must be valid PEM');
  }
}

function checkToken({ authentication, token }: DebugServerOptions, where: string): void {
  if (token === undefined) return;
  if (authentication === true) throw invalidOption(where, 'has no effect with authentication');
  if (typeof token !== 'string' || !/^[\w.~+/=-]{16,}$/.test(token)) {
    throw invalidOption(where, 'must have 16 or more letters, digits and -._~+/=');
  }
}

/** Returns the options of the debug server. It uses the host of the other servers only with authentication. */
export function debugOptionsOf(
  address: number | DebugServerOptions,
  host: string | undefined,
): DebugServerOptions {
  const own = typeof address === 'number' ? { port: address } : address;
  return serverOptionsOf(own, own.authentication === true ? host : '127.0.0.1');
}

/** The options of an address, with `host` if it has no host of its own. */
export function serverOptionsOf(
  address: number | DebugServerOptions,
  host: string | undefined,
): DebugServerOptions {
  const own = typeof address === 'number' ? { port: address } : address;
  return host === undefined ? own : { ...own, host: own.host ?? host };
}

function checkAddress(
  address: ServerAddress,
  where: string,
  ownOptions: readonly string[] = [],
  ownFiles: readonly string[] = [],
): void {
  const isObject = typeof address === 'object' && address !== null;
  const { port, host, tls }: Partial<ServerOptions> = isObject ? address : { port: address };
  if (isObject) {
    checkOptions(address, ['port', 'host', 'tls', ...ownOptions], where);
    checkHost(host, `${where}.host`);
    if (tls !== undefined) checkTls(tls, `${where}.tls`, ownFiles);
  }
  checkPort(port, isObject ? `${where}.port` : where);
}

function checkPort(port: unknown, where: string): void {
  if (!Number.isInteger(port) || Number(port) < 0 || Number(port) > 65_535) {
    throw invalidOption(where, 'must be a port from 0 to 65535');
  }
}

function checkAuthentication(options: MetricsServerOptions, where: string): void {
  const { authentication = false, host = '', tls } = options;
  checkFlag(authentication, `${where}.authentication`);
  if (authentication && tls === undefined && !isLoopback(host)) {
    const reason = 'needs tls, because tokens would be sent in clear text';
    throw invalidOption(`${where}.authentication`, reason);
  }
  if (typeof tls !== 'object' || tls.clientCa === undefined) return;
  checkPath(tls.clientCa, `${where}.tls.clientCa`);
  if (!authentication) throw invalidOption(`${where}.tls.clientCa`, 'needs authentication: true');
}

function checkTls(
  tls: NonNullable<ServerOptions['tls']>,
  where: string,
  ownFiles: readonly string[],
): void {
  if (tls === 'self-signed') return;
  if (typeof tls !== 'object') throw invalidOption(where, "must be 'self-signed' or { cert, key }");
  checkOptions(tls, ['cert', 'key', ...ownFiles], where);
  checkPath(tls.cert, `${where}.cert`);
  checkPath(tls.key, `${where}.key`);
}

function checkPath(path: unknown, where: string): void {
  if (typeof path !== 'string' || path === '' || path.includes('\0')) {
    throw invalidOption(where, 'must be the path of a file');
  }
}

function checkHost(host: unknown, where: string): void {
  if (host !== undefined && (typeof host !== 'string' || host === '')) {
    throw invalidOption(where, 'must be an address or the name of a host');
  }
}
