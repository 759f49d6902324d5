import { randomBytes } from 'node:crypto';
import {
  invalidOption,
  parseDuration,
  type ApiResource,
  type Duration,
  type KubernetesObject,
} from '@keelson/apimachinery';
import { ApiServerError } from '../status-errors/api-server-error.ts';
import {
  type ApiServerOptions,
  type ServerSettings,
  serverSettings,
} from './api-server-options.ts';
import { mastersGroup, type User } from '../auth/user.ts';
import { waitUntil } from './wait-until.ts';
import { ControlPlane } from './control-plane.ts';
import type { ObservedAccesses } from '../auth/observed/observed-access.ts';
import type { FaultScope } from '../faults/fault-scope.ts';
import { Faults } from '../faults/faults.ts';
import { HttpListener, type TlsMaterial } from '../http/http-listener.ts';
import { selfSignedCertificate } from '../http/self-signed-certificate.ts';
import { kubernetesVersion } from '../kinds/builtin-resources.ts';
import { parseSnapshot, type ParsedSnapshot } from '../snapshot/parse-snapshot.ts';
import { readSnapshot, writeSnapshotFile } from '../snapshot/snapshot-file.ts';
import { writeSnapshot } from '../snapshot/write-snapshot.ts';
import { kubeconfigText } from './kubeconfig.ts';
import { Stats } from './stats.ts';
import type { ApiObject } from '../storage/api-object.ts';
import { Storage } from '../storage/storage.ts';
import { keyOfMetadata } from '../storage/stored-object.ts';
import { WatchHub } from '../watch/watch-hub.ts';

type Resource = Pick<ApiResource, 'group' | 'plural'>;

/** Connection data of the server: a plain object, assignable to the `Cluster` of `@keelson/client`. */
export interface ServerCluster {
  readonly server: string;
  readonly token: string;
  readonly tls?: { readonly ca: string };
}

/** A service account and the lifetime of its token. */
export interface TokenOptions {
  readonly namespace: string;
  readonly name: string;
  readonly expiresIn: Duration;
}

/** A running API server. `await using server = await createApiServer()` closes it at the end of the scope. */
export class ApiServer implements AsyncDisposable {
  readonly faults: Faults;
  readonly stats: Stats;
  readonly #settings: ServerSettings;
  readonly #tls: TlsMaterial | undefined;
  readonly #storage: Storage;
  readonly #hub: WatchHub;
  readonly #listener: HttpListener;
  readonly #plane: ControlPlane;
  /** The administrator's token. */
  readonly #token = newToken();
  readonly #closed = Promise.withResolvers<never>();
  #isClosed = false;

  /** Use `createApiServer`. @internal */
  constructor(settings: ServerSettings, tls: TlsMaterial | undefined) {
    this.#settings = settings;
    this.#tls = tls;
    this.#storage = new Storage({ changes: settings.historyLimit, bytes: settings.historyBytes });
    this.#hub = new WatchHub(this.#storage, {
      // The clock of a test must know the bytes of an event at once.
      defers: () => settings.clock.activity === undefined && this.#plane.pipeline.running > 0,
    });
    this.stats = new Stats(this.#storage, this.#hub, () => this.#plane.work.failures());
    this.#listener = new HttpListener(
      {
        host: settings.host,
        port: settings.port,
        clientCa: settings.clientCa,
        ...(tls && { tls }),
      },
      (incoming, response) => void this.#plane.pipeline.handle(incoming, response),
    );
    this.faults = new Faults({
      clock: settings.clock,
      hub: this.#hub,
      stopListening: () => this.#listener.close(),
      breakConnections: () => this.#listener.break(),
      silence: () => this.#listener.silence(),
      listenAgain: () => (this.#isClosed ? Promise.resolve() : this.#listener.listen()),
    });
    this.#plane = this.#createPlane();
    // Marks the rejection as handled, because no barrier may be pending when the server closes.
    this.#closed.promise.catch(() => {});
  }

  /** Restores a snapshot and starts listening. @internal */
  async start(snapshot: ParsedSnapshot | undefined): Promise<void> {
    this.#plane.start(snapshot);
    if (snapshot !== undefined) this.stats.reset();
    await this.#listener.listen();
    this.#plane.publish({ host: this.#settings.host, port: this.port });
  }

  get port(): number {
    return this.#listener.port;
  }

  /** The base URL, such as `http://127.0.0.1:PORT`. */
  get url(): string {
    return `${this.#tls === undefined ? 'http' : 'https'}://${this.#address()}`;
  }

  /** Address of the server with the administrator's token. */
  get cluster(): ServerCluster {
    const tls = this.#tls && { ca: this.#tls.cert };
    return { server: this.url, token: this.#token, ...(tls && { tls }) };
  }

  /** Adds a user and returns the connection data with its new token. Use it for clients with limited permissions. */
  addUser(user: User): ServerCluster {
    const token = newToken();
    this.#plane.users.add(token, user);
    return { ...this.cluster, token };
  }

  /**
   * Issues a token of a service account with any lifetime, also below the 10 minutes that a TokenRequest allows. Throws
   * a 404 `StatusError` if the account does not exist.
   */
  issueToken({ expiresIn, ...account }: TokenOptions): string {
    const lifetime = parseDuration(expiresIn, 'issueToken.expiresIn');
    return this.#plane.issueToken({ ...account, lifetime });
  }

  /**
   * Returns the distinct accesses that a user needed since the start, by its own requests and by impersonation of it;
   * `undefined` if it sent no request. A request counts also if it was refused, failed by a fault, or found no object.
   */
  observedAccesses(user: string): ObservedAccesses | undefined {
    return this.#plane.accesses.of(user);
  }

  /** The names of the users that sent requests. */
  get observedUsers(): readonly string[] {
    return this.#plane.accesses.users;
  }

  /** Returns a kubeconfig in YAML with the administrator's token. */
  kubeconfig(): string {
    return kubeconfigText({ server: this.url, token: this.#token, ca: this.#tls?.cert });
  }

  /** The newest resourceVersion of the server. */
  get resourceVersion(): string {
    return String(this.#storage.revision);
  }

  /**
   * Expires all resourceVersions before this one (default: the newest). Lists, watches and continue tokens of older
   * versions get 410.
   */
  compact(resourceVersion?: string): void {
    this.#storage.compact(resourceVersion === undefined ? undefined : Number(resourceVersion));
  }

  /**
   * Creates objects as create requests would, without HTTP. Each needs `apiVersion`, `kind` and a name; its namespace
   * must exist. Throws `RESOURCE_NOT_SERVED`.
   */
  seed(objects: Iterable<KubernetesObject>): void {
    const { registry, writer } = this.#plane;
    for (const object of objects) {
      const { apiVersion = '', kind = '' } = object;
      const resource = registry.byKind(apiVersion, kind);
      if (resource === undefined)
        throw new ApiServerError('RESOURCE_NOT_SERVED', { apiVersion, kind });
      const complete = structuredClone({ metadata: {}, ...object }) as ApiObject;
      resource.schema.decode(complete);
      resource.schema.setDefaults(complete);
      writer.create(resource, complete, { options: { dryRun: false, fieldManager: 'seed' } });
    }
  }

  /** Returns a stored object without a request; `undefined` if it does not exist. */
  object(
    resource: Pick<ApiResource, 'group' | 'version' | 'plural'>,
    name: { readonly namespace?: string; readonly name: string },
  ): KubernetesObject | undefined {
    const served = this.#plane.registry.find(resource);
    const stored = served?.store.get(keyOfMetadata(name));
    return stored && served?.read(stored);
  }

  /**
   * Returns the objects of the server and the changes that it keeps, for the option `restore` of another server. With a path it
   * also writes them into a file, which replaces an earlier one as a whole and is readable by its owner alone. Users, tokens and
   * faults are not saved. Throws `INVALID_OPTION` and `SNAPSHOT_NOT_WRITTEN`.
   */
  async save(file?: string): Promise<Uint8Array> {
    if (file !== undefined && typeof file !== 'string') {
      throw invalidOption('save.file', 'must be a path');
    }
    const kinds = this.#plane.storedKinds();
    const { revision } = this.#storage;
    const bytes = writeSnapshot({
      revision,
      kubernetes: kubernetesVersion(this.#settings.version),
      kinds,
    });
    if (file !== undefined) await writeSnapshotFile(file, bytes);
    return bytes;
  }

  /** Resolves when at least `count` watches of a resource are open. */
  watchers(resource: Resource, count: number): Promise<void> {
    return this.#waitUntil(
      () => this.stats.openWatches(resource) >= count,
      (check) => this.#hub.onCount(check),
    );
  }

  /** Resolves when no watch of a resource is open. */
  unwatched(resource: Resource): Promise<void> {
    return this.#waitUntil(
      () => this.stats.openWatches(resource) === 0,
      (check) => this.#hub.onCount(check),
    );
  }

  /** Resolves when `count` requests within a scope have arrived since the start or the last `stats.reset()`. */
  requested(scope: FaultScope, count: number): Promise<void> {
    return this.#waitUntil(
      () => this.stats.requests(scope) >= count,
      (check) => this.stats.onCount(check),
    );
  }

  /**
   * Resolves when no request is being handled and the controllers inside the server are idle. Failed background work is
   * retried once and does not delay it, see `stats.backgroundFailures()`.
   */
  async idle(): Promise<void> {
    const { pipeline, work } = this.#plane;
    work.retry();
    do {
      await Promise.race([work.idle(), this.#closed.promise]);
      this.#hub.flush();
      await this.#waitUntil(
        () => pipeline.running === 0,
        (check) => pipeline.onIdle(check),
      );
    } while (work.isBusy);
  }

  /** Ends all connections and frees the port. A second call has no effect. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.faults.clear();
    this.#plane.close();
    for (const { stream } of this.#hub.all()) stream.cut();
    this.#closed.reject(new ApiServerError('SERVER_CLOSED'));
    await this.#listener.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #createPlane(): ControlPlane {
    const administrator = { name: 'kubernetes-admin', groups: [mastersGroup] };
    return new ControlPlane({
      settings: this.#settings,
      tokens: new Map([...this.#settings.tokens, [this.#token, administrator]]),
      storage: this.#storage,
      hub: this.#hub,
      stats: this.stats,
      faults: this.faults,
      address: () => this.#address(),
      isNew: this.#settings.restore === undefined,
    });
  }

  #address(): string {
    const { host } = this.#settings;
    return `${host.includes(':') ? `[${host}]` : host}:${this.port}`;
  }

  #waitUntil(
    condition: () => boolean,
    subscribe: (check: () => void) => () => void,
  ): Promise<void> {
    return waitUntil(condition, subscribe, this.#closed.promise);
  }
}

/**
 * Starts an API server in this process, with HTTP on its own port and objects in memory.
 *
 * Throws `INVALID_OPTION` naming the option, `PORT_IN_USE` or `LISTEN_FAILED`, and for `restore` `SNAPSHOT_UNREADABLE`,
 * `SNAPSHOT_INVALID` or `SNAPSHOT_KIND_UNKNOWN`.
 *
 * @example
 * ```ts
 * import { createApiServer } from '@keelson/apiserver';
 * import { builtin, createClient } from '@keelson/manager';
 *
 * await using server = await createApiServer();
 * await using client = createClient({ cluster: server.cluster });
 * await client.create(builtin.Namespace, { metadata: { name: 'shop' } });
 * console.log(server.stats.requests);
 * ```
 */
export async function createApiServer(options: ApiServerOptions = {}): Promise<ApiServer> {
  const settings = serverSettings(options);
  const { restore } = settings;
  const snapshot = restore === undefined ? undefined : parseSnapshot(await readSnapshot(restore));
  const server = new ApiServer(settings, await tlsMaterial(settings));
  try {
    await server.start(snapshot);
  } catch (error) {
    await server.close();
    throw error;
  }
  return server;
}

function newToken(): string {
  return randomBytes(24).toString('base64url');
}

async function tlsMaterial({ tls, host }: ServerSettings): Promise<TlsMaterial | undefined> {
  if (tls === false) return undefined;
  if (tls !== true) return tls;
  return selfSignedCertificate([...new Set([host, 'localhost', '127.0.0.1'])]);
}
