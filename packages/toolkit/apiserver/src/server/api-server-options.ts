import {
  checkClock,
  checkFlag,
  checkOptions,
  type Clock,
  type Duration,
  hostnameOf,
  invalidOption,
  isLoopback,
  parseDuration,
  systemClock,
} from '@keelson/apimachinery';
import {
  type KubernetesVersion,
  kubernetesVersions,
  newestVersion,
} from '../releases/kubernetes-version.ts';
import type { FeatureGates } from '../resources/feature-gates.ts';
import type { User } from '../auth/user.ts';
import { type AddressRange, parseAddressRange } from '../resources/address-range.ts';
import { type ServerController, serverControllers } from '../lifecycle/server-controllers.ts';
import type { WebhookServices } from '../webhooks/webhook-address.ts';
import type { TlsMaterial } from '../http/http-listener.ts';

/** The address, the users and the limits of an embedded API server. All options are optional. */
export interface ApiServerOptions {
  /** Port to listen on. Default 0: any free port. */
  readonly port?: number;
  /** Address to listen on. Default `127.0.0.1`. */
  readonly host?: string;
  /**
   * Further names by which clients reach the server, without ports. The server refuses requests with another `Host`,
   * because a web page can give its own name the address of the server. Default: none, so that `host`, `localhost` and
   * loopback addresses are accepted; with a `host` beyond loopback, every address.
   */
  readonly allowedHosts?: readonly string[];
  /** Serves HTTPS, over HTTP/2 or HTTP/1.1; `true` creates a self-signed certificate. Default: plain HTTP/1.1. */
  readonly tls?: boolean | TlsMaterial;
  /**
   * PEM of the authority of client certificates, which name the user in CN and its groups in O. Needs `tls`. Default:
   * the server requests no client certificates.
   */
  readonly clientCa?: string;
  /** Users by bearer token. The server always adds an administrator's token, see `kubeconfig()`. */
  readonly tokens?: ReadonlyMap<string, User>;
  /** How requests are authorized. Default `AlwaysAllow`. */
  readonly authorizationMode?: 'AlwaysAllow' | 'RBAC';
  /** IPv4 network of Service addresses, in CIDR notation. Default `10.96.0.0/16`. */
  readonly serviceClusterIpRange?: string;
  /** Controllers that run inside the server. Default: all of them. */
  readonly controllers?: readonly ServerController[];
  /**
   * Accepts requests without credentials as the user `system:anonymous`, whom `AlwaysAllow` permits everything. Default:
   * true on a loopback address, else false.
   */
  readonly anonymousAuth?: boolean;
  /**
   * Decodes a body without Content-Type as JSON, as kube-apiserver does, if the request has the header Authorization, which no
   * web page of another site can send. Default false: such a body gets 415 unless it is of a PUT.
   */
  readonly acceptsUntypedBodies?: boolean;
  /**
   * Changes kept per resource, as far as their objects fit into `historyBytes`. Older resourceVersions expire. Default
   * 10 000.
   */
  readonly historyLimit?: number;
  /**
   * Most bytes of JSON in the kept changes of one resource. Older resourceVersions expire: watches and continue tokens
   * from there get 410. Default 8 MiB, about 3 000 changes of 2.7 KB.
   */
  readonly historyBytes?: number;
  /**
   * Addresses of the Services that webhook configurations name: `NAMESPACE/NAME` → `HOST:PORT`. The certificate must be valid
   * for `NAME.NAMESPACE.svc`. Default: those of the Services in the server, of which only the type `ExternalName` leads to a
   * process.
   */
  readonly webhookServices?: Readonly<Record<string, string>>;
  /** Interval between two bookmarks of a watch. Default `1m`. */
  readonly bookmarkInterval?: Duration;
  /** How long a read of a future resourceVersion waits before it gets 504. Default `3s`. */
  readonly freshnessTimeout?: Duration;
  /** How long an Event is kept after its last write. Default `1h`, as kube-apiserver's `--event-ttl`. */
  readonly eventTtl?: Duration;
  /**
   * The version of Kubernetes whose kinds, fields and documents the server has. Fields that the version does not have are pruned,
   * and those of gates that are off there are dropped. Default `1.36`.
   */
  readonly version?: KubernetesVersion;
  /** The feature gates of kube-apiserver that have an effect here. Default: those of kube-apiserver, which are off. */
  readonly featureGates?: FeatureGates;
  /**
   * The state to start with: the path of a file that `save` or `keelson snapshot` wrote, or its bytes. Definitions in it are
   * served, and watches from its resourceVersions continue. Missing objects of a new cluster are created. Default: none.
   */
  readonly restore?: string | Uint8Array;
  /** The clock by which the server waits and dates objects. Default: the clock of the system. */
  readonly clock?: Clock;
  /** Returns milliseconds since the epoch. Default: those of `clock`. */
  readonly now?: () => number;
}

/** Validated options with all defaults. */
export interface ServerSettings {
  readonly port: number;
  readonly host: string;
  readonly allowedHosts: readonly string[];
  readonly tls: boolean | TlsMaterial;
  readonly clientCa: string | undefined;
  readonly tokens: ReadonlyMap<string, User>;
  readonly authorizationMode: 'AlwaysAllow' | 'RBAC';
  readonly anonymousAuth: boolean;
  readonly acceptsUntypedBodies: boolean;
  readonly serviceClusterIpRange: AddressRange;
  readonly controllers: ReadonlySet<ServerController>;
  readonly historyLimit: number;
  readonly historyBytes: number;
  readonly webhookServices: WebhookServices;
  /** In milliseconds. */
  readonly bookmarkInterval: number;
  /** In milliseconds. */
  readonly freshnessTimeout: number;
  /** In milliseconds. */
  readonly eventTtl: number;
  readonly version: KubernetesVersion;
  readonly featureGates: FeatureGates;
  readonly restore: string | Uint8Array | undefined;
  readonly clock: Clock;
  readonly now: () => number;
}

const names = [
  'port',
  'host',
  'allowedHosts',
  'tls',
  'clientCa',
  'tokens',
  'authorizationMode',
  'anonymousAuth',
  'acceptsUntypedBodies',
  'serviceClusterIpRange',
  'controllers',
  'historyLimit',
  'historyBytes',
  'webhookServices',
  'bookmarkInterval',
  'freshnessTimeout',
  'eventTtl',
  'version',
  'featureGates',
  'restore',
  'clock',
  'now',
] as const;

/** The defaults of options in text, as their parsers return them, because parsing them takes a millisecond in a new process. */
const defaults = {
  host: '127.0.0.1',
  services: { text: '10.96.0.0/16', first: 0x0a_60_00_01, last: 0x0a_60_ff_fe },
  /** In milliseconds. */
  bookmarkInterval: 60_000,
  /** In milliseconds. */
  freshnessTimeout: 3000,
  /** In milliseconds. */
  eventTtl: 3_600_000,
} as const;

/** Validates the options and fills in defaults. Throws `INVALID_OPTION`, naming the option. */
export function serverSettings(options: ApiServerOptions): ServerSettings {
  checkOptions(options, names, 'createApiServer');
  const { host = defaults.host, clock = systemClock } = options;
  checkClock(clock, 'createApiServer.clock');
  const settings: ServerSettings = {
    port: options.port ?? 0,
    host,
    allowedHosts: options.allowedHosts ?? [],
    tls: options.tls ?? false,
    clientCa: options.clientCa,
    tokens: options.tokens ?? new Map(),
    authorizationMode: options.authorizationMode ?? 'AlwaysAllow',
    anonymousAuth: options.anonymousAuth ?? isLoopback(host),
    acceptsUntypedBodies: options.acceptsUntypedBodies ?? false,
    serviceClusterIpRange: addressRange(options.serviceClusterIpRange),
    controllers: chosenControllers(options.controllers ?? serverControllers),
    historyLimit: options.historyLimit ?? 10_000,
    historyBytes: options.historyBytes ?? 8 * 1024 * 1024,
    webhookServices: servicesOf(options.webhookServices ?? {}),
    bookmarkInterval: milliseconds(options, 'bookmarkInterval'),
    freshnessTimeout: milliseconds(options, 'freshnessTimeout'),
    eventTtl: milliseconds(options, 'eventTtl'),
    version: checkedVersion(options.version),
    featureGates: checkedGates(options.featureGates),
    restore: options.restore,
    clock,
    now: options.now ?? (() => clock.now()),
  };
  check(settings);
  return settings;
}

function checkedVersion(version: KubernetesVersion = newestVersion): KubernetesVersion {
  if (kubernetesVersions.includes(version)) return version;
  const known = kubernetesVersions.join(', ');
  throw invalidOption('createApiServer.version', `must be one of ${known}`);
}

function checkedGates(gates: FeatureGates = {}): FeatureGates {
  const where = 'createApiServer.featureGates';
  checkOptions(gates, ['ShardedListAndWatch'], where);
  checkFlag(gates.ShardedListAndWatch, `${where}.ShardedListAndWatch`);
  return gates;
}

function milliseconds(
  options: ApiServerOptions,
  name: 'bookmarkInterval' | 'freshnessTimeout' | 'eventTtl',
): number {
  const duration = options[name];
  if (duration === undefined) return defaults[name];
  return parseDuration(duration, `createApiServer.${name}`);
}

function addressRange(text: string | undefined): AddressRange {
  if (text === undefined) return defaults.services;
  const range = parseAddressRange(text);
  if (range !== undefined) return range;
  const option = 'createApiServer.serviceClusterIpRange';
  throw invalidOption(option, 'must be a network of IPv4 with a prefix of 12 to 29 bits');
}

function servicesOf(given: Readonly<Record<string, string>>): WebhookServices {
  for (const [service, address] of Object.entries(given)) {
    const isAddress = typeof address === 'string' && URL.canParse(`https://${address}`);
    if (/^[^/]+\/[^/]+$/.test(service) && isAddress && /^[^/]+$/.test(address)) continue;
    const option = 'createApiServer.webhookServices';
    throw invalidOption(option, 'must map NAMESPACE/NAME of Services to HOST:PORT');
  }
  return new Map(Object.entries(given));
}

function chosenControllers(chosen: readonly ServerController[]): ReadonlySet<ServerController> {
  if (Array.isArray(chosen) && chosen.every((name) => serverControllers.includes(name))) {
    return new Set(chosen);
  }
  const known = serverControllers.join(', ');
  throw invalidOption('createApiServer.controllers', `must be names out of ${known}`);
}

function check(settings: ServerSettings): void {
  const { port, authorizationMode, allowedHosts } = settings;
  if (!Array.isArray(allowedHosts) || !allowedHosts.every(isHostname)) {
    throw invalidOption('createApiServer.allowedHosts', 'must be names of hosts without ports');
  }
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw invalidOption('createApiServer.port', 'must be a port, or 0 for any');
  }
  for (const name of ['historyLimit', 'historyBytes'] as const) {
    if (Number.isInteger(settings[name]) && settings[name] > 0) continue;
    throw invalidOption(`createApiServer.${name}`, 'must be a positive integer');
  }
  if (settings.featureGates.ShardedListAndWatch === true && settings.version !== newestVersion) {
    const option = 'createApiServer.featureGates.ShardedListAndWatch';
    throw invalidOption(option, `is a gate of ${newestVersion}`, { version: settings.version });
  }
  const { restore } = settings;
  if (restore !== undefined && typeof restore !== 'string' && !(restore instanceof Uint8Array)) {
    throw invalidOption('createApiServer.restore', 'must be the path of a snapshot, or its bytes');
  }
  if (settings.eventTtl === 0) throw invalidOption('createApiServer.eventTtl', 'must not be 0');
  if (settings.clientCa !== undefined && settings.tls === false) {
    throw invalidOption('createApiServer.clientCa', 'needs tls: certificates come with it');
  }
  if (authorizationMode !== 'AlwaysAllow' && authorizationMode !== 'RBAC') {
    throw invalidOption('createApiServer.authorizationMode', 'must be AlwaysAllow or RBAC');
  }
}

function isHostname(name: unknown): boolean {
  return typeof name === 'string' && name !== '' && hostnameOf(name) === name.toLowerCase();
}
