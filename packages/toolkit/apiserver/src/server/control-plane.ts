import { ensureObject, objectAt } from '../json/json-members.ts';
import { defaultPlugins } from './default-plugins.ts';
import { alwaysAllow, type Authorizer } from '../auth/authorizer.ts';
import { RequestOrigin } from '../auth/request-origin.ts';
import { type TokenAuthenticator, tokenAuthenticator } from '../auth/authenticator.ts';
import { AccessRecord } from '../auth/observed/access-record.ts';
import { ClientCertificates } from '../auth/client-certificates.ts';
import { FlowSchemas } from '../flow-control/flow-schemas.ts';
import { policyStore } from '../auth/rbac/policy-store.ts';
import { rbacAuthorizer } from '../auth/rbac/rbac-authorizer.ts';
import { keyOfMetadata } from '../storage/stored-object.ts';
import {
  apiAudience,
  ServiceAccountTokens,
  withServiceAccounts,
} from '../auth/service-account-tokens.ts';
import { rbacSource } from '../auth/rbac/rbac-source.ts';
import type { User } from '../auth/user.ts';
import { WriteAccess } from '../auth/rbac/write-access.ts';
import type { ServerSettings } from './api-server-options.ts';
import { bootstrap, publishAddress, type PublishedAddress } from './bootstrap.ts';
import { CustomResources } from '../crd/custom-resources.ts';
import type { Faults } from '../faults/faults.ts';
import { ServerPages } from '../pages/server-pages.ts';
import { PathRouter } from './path-router.ts';
import { RequestPipeline } from './request-pipeline.ts';
import { ResourceRouter } from './resource-router.ts';
import { BackgroundWork } from '../lifecycle/background-work.ts';
import { Controllers } from '../lifecycle/controllers.ts';
import { EventExpiry } from '../lifecycle/event-expiry.ts';
import { FlowStatus } from '../lifecycle/flow-status.ts';
import { ServiceAddresses } from '../lifecycle/service-addresses.ts';
import { handleOpenApi } from '../openapi/openapi-verbs.ts';
import { resolvedSchema } from '../openapi/resolved-schema.ts';
import type { OpenApiSource } from '../openapi/openapi-document.ts';
import { openApiSource } from '../openapi/openapi-source.ts';
import { addressAllocator } from '../resources/address-allocator.ts';
import { addBuiltins, builtinKinds } from '../resources/builtin-served.ts';
import { ResourceRegistry } from '../resources/resource-registry.ts';
import type { ServedResource } from '../resources/served-resource.ts';
import { asJson, type JsonObject, lazy } from '@keelson/structural-schema';
import { AdmissionChain } from '../admission/admission-chain.ts';
import { serviceNetworking } from '../admission/services/service-networking.ts';
import { WebhookClient } from '../webhooks/webhook-client.ts';
import { webhookAddress } from '../webhooks/webhook-address.ts';
import type { ResourceList } from '../kinds/shared/resource-list.ts';
import type { Stats } from './stats.ts';
import type { StoredKind } from '../resources/stored-kind.ts';
import type { ParsedSnapshot } from '../snapshot/parse-snapshot.ts';
import { restoreSnapshot } from '../snapshot/restore-snapshot.ts';
import type { Storage } from '../storage/storage.ts';
import { notFound } from '../status-errors/status-errors.ts';
import { subresourceHandlers } from '../subresources/subresource-handlers.ts';
import { DeleteVerbs } from '../verbs/delete-verbs.ts';
import { ObjectPatcher } from '../verbs/writes/object-patcher.ts';
import { ObjectRemover } from '../verbs/object-remover.ts';
import { ObjectWriter } from '../verbs/writes/object-writer.ts';
import { ReadVerbs } from '../verbs/read-verbs.ts';
import type { ReviewContext } from '../verbs/reviews/create-review.ts';
import { WriteVerbs } from '../verbs/write-verbs.ts';
import type { WatchHub } from '../watch/watch-hub.ts';

export interface ControlPlaneParts {
  readonly settings: ServerSettings;
  readonly tokens: ReadonlyMap<string, User>;
  readonly storage: Storage;
  readonly hub: WatchHub;
  readonly stats: Stats;
  readonly faults: Faults;
  /** Returns `host:port` of the listener. */
  readonly address: () => string;
  /** True to create the objects of a new cluster at once, before the controllers, which have nothing to do for them. */
  readonly isNew: boolean;
}

/** A request for a token of a service account; `lifetime` is in milliseconds. */
export interface IssuedToken {
  readonly namespace: string;
  readonly name: string;
  readonly lifetime: number;
}

/** Connects everything behind the listener: registry, request pipeline, writers and controllers. */
export class ControlPlane {
  readonly registry: ResourceRegistry = new ResourceRegistry();
  readonly work: BackgroundWork;
  readonly users: TokenAuthenticator;
  readonly pipeline: RequestPipeline;
  readonly writer: ObjectWriter;
  /** The accesses that each user needed. */
  readonly accesses: AccessRecord;
  readonly #parts: ControlPlaneParts;
  readonly #remover: ObjectRemover;
  readonly #controllers: Controllers;
  readonly #customResources: CustomResources;
  readonly #eventExpiry: EventExpiry;
  #flowStatus: FlowStatus | undefined;
  #serviceAddresses: ServiceAddresses | undefined;
  readonly #tokens: ServiceAccountTokens;
  readonly #webhooks: WebhookClient;
  readonly #admission: AdmissionChain;

  constructor(parts: ControlPlaneParts) {
    const { settings, storage, hub } = parts;
    const { now } = settings;
    this.#parts = parts;
    this.work = new BackgroundWork(settings.clock);
    const { tokens } = parts;
    this.users = tokenAuthenticator({ tokens, anonymousAuth: settings.anonymousAuth });
    addBuiltins(this.registry, storage, settings.version);
    const namespaces = this.#core('namespaces');
    this.accesses = new AccessRecord((group, plural) => {
      return this.registry.anyVersion(group, plural)?.facts.namespaced;
    });
    this.#tokens = new ServiceAccountTokens(now, ({ plural, uid, ...name }) => {
      return this.#core(plural).store.get(keyOfMetadata(name))?.metadata.uid === uid;
    });
    const reviews = this.#createReviews();
    const range = settings.serviceClusterIpRange;
    const allocator = addressAllocator(this.#core('services').store, range);
    this.#webhooks = new WebhookClient((service) =>
      webhookAddress(service, this.#core('services').store, settings.webhookServices),
    );
    const access = new WriteAccess({
      ...reviews,
      accesses: this.accesses,
      findKind: (apiVersion, kind) => this.registry.byKind(apiVersion, kind)?.facts,
    });
    this.#admission = new AdmissionChain(() =>
      defaultPlugins({
        registry: this.registry,
        now,
        authorizer: reviews.authorizer,
        access,
        client: this.#webhooks,
        setUsed: (quota, used) => this.#setUsed(quota, used),
      }),
    );
    this.writer = new ObjectWriter({
      now,
      access,
      namespaces: namespaces.store,
      allocator,
      admission: this.#admission,
      network: serviceNetworking({ services: this.#core('services').store, range, allocator }),
    });
    this.#remover = new ObjectRemover(now, this.#admission);
    const { registry, work, writer } = this;
    const remover = this.#remover;
    if (parts.isNew) this.#bootstrap();
    this.#controllers = new Controllers({
      storage,
      registry,
      work,
      writer,
      remover,
      namespaces,
      quotas: this.#core('resourcequotas'),
      policies: this.#resource('admissionregistration.k8s.io', 'validatingadmissionpolicies'),
      schemaOf: (kind) => resolvedSchema(kind, this.#openApiSource()),
      enabled: settings.controllers,
      now,
    });
    this.#eventExpiry = new EventExpiry(storage, {
      events: this.#core('events').store,
      clock: settings.clock,
      ttl: settings.eventTtl,
    });
    this.#customResources = new CustomResources({
      storage,
      registry,
      writer,
      remover,
      work,
      now,
      client: this.#webhooks,
      definitions: this.#resource('apiextensions.k8s.io', 'customresourcedefinitions'),
    });
    registry.onRemove((resource) => {
      for (const { stream } of hub.of(resource)) stream.end();
    });
    this.pipeline = this.#createPipeline(reviews);
  }

  /** Restores a snapshot, and creates the missing objects of a new cluster. Throws the errors of `restoreSnapshot`. */
  start(snapshot: ParsedSnapshot | undefined): void {
    const { writer, work } = this;
    const { settings, storage } = this.#parts;
    if (snapshot !== undefined) this.#restore(snapshot);
    // Only now: a restored Service is followed by its IPAddress in the snapshot, and gets a new one only if that is missing.
    this.#serviceAddresses = new ServiceAddresses({
      storage,
      writer,
      services: this.#core('services'),
      addresses: this.#resource('networking.k8s.io', 'ipaddresses'),
    });
    if (snapshot !== undefined) this.#serviceAddresses.repair();
    const { now } = settings;
    this.#flowStatus = new FlowStatus({ storage, work, writer, ...this.#flowResources(), now });
  }

  #restore(snapshot: ParsedSnapshot): void {
    const { registry } = this;
    restoreSnapshot(snapshot, {
      storage: this.#parts.storage,
      kinds: () => this.storedKinds(),
      served: (apiVersion, kind) => registry.byKind(apiVersion, kind),
      serveDefinition: (name, historyOf) => this.#customResources.restore(name, historyOf),
    });
    this.#bootstrap();
  }

  #bootstrap(): void {
    const { authorizationMode, serviceClusterIpRange: services, now } = this.#parts.settings;
    const rbac = authorizationMode === 'RBAC';
    bootstrap(this.registry, this.writer, { rbac, services, now: now() });
  }

  /** Creates the objects that name the address at which the server listens. */
  publish(address: Omit<PublishedAddress, 'now'>): void {
    publishAddress(this.registry, this.writer, { ...address, now: this.#parts.settings.now() });
  }

  /** The kinds of all stores, in the versions in which their objects are stored. */
  storedKinds(): readonly StoredKind[] {
    return [...builtinKinds(this.registry), ...this.#customResources.storedKinds()];
  }

  /** Issues a token of a service account. Throws a 404 `StatusError` if the account does not exist. */
  issueToken({ namespace, name, lifetime }: IssuedToken): string {
    const accounts = this.#core('serviceaccounts');
    const { uid } = accounts.store.get(keyOfMetadata({ namespace, name }))?.metadata ?? {};
    if (uid === undefined) throw notFound(accounts.subject(name));
    const expires = (this.#parts.settings.now() + lifetime) / 1000;
    return this.#tokens.issue({ namespace, name, uid, audiences: [apiAudience], expires });
  }

  close(): void {
    this.work.close();
    this.#controllers.close();
    this.#eventExpiry.close();
    this.#flowStatus?.close();
    this.#serviceAddresses?.close();
    this.#customResources.close();
    this.#webhooks.close();
  }

  #setUsed(quota: JsonObject, used: ResourceList): void {
    this.writer.update(this.#core('resourcequotas'), {
      key: keyOfMetadata(objectAt(quota, 'metadata')),
      scope: 'status',
      options: { dryRun: false, fieldManager: 'kube-apiserver' },
      next: (current) => {
        ensureObject(asJson(current), 'status').used = { ...used };
        return current;
      },
    });
  }

  #createPipeline(reviews: ReviewContext): RequestPipeline {
    const { faults, settings, stats } = this.#parts;
    const { authenticator, authorizer } = reviews;
    const paths = new PathRouter({
      registry: this.registry,
      address: this.#parts.address,
      version: settings.version,
      pages: this.#createPages(),
      openApi: (request) => handleOpenApi(request, this.#openApiSource()),
    });
    const resources = this.#createResourceRouter(reviews);
    return new RequestPipeline({
      origin: new RequestOrigin({ ...settings, isSecure: settings.tls !== false }),
      authenticator,
      certificates: settings.clientCa === undefined ? undefined : new ClientCertificates(),
      authorizer,
      accesses: this.accesses,
      version: settings.version,
      faults,
      clock: settings.clock,
      stats,
      flows: this.#flowSchemas(),
      acceptsUntyped: settings.acceptsUntypedBodies,
      paths,
      resources,
    });
  }

  #openApiSource(): OpenApiSource {
    return openApiSource(this.#customResources.definitions(), this.#parts.settings.version);
  }

  #createPages(): ServerPages {
    const { settings, storage, hub, address } = this.#parts;
    return new ServerPages({
      storage,
      hub,
      levels: this.#flowResources().levels.store,
      version: settings.version,
      startedAt: settings.now(),
      flags: () => ({
        'anonymous-auth': String(settings.anonymousAuth),
        'authorization-mode': `[${settings.authorizationMode}]`,
        'bind-address': settings.host,
        'event-ttl': `${settings.eventTtl / 1000}s`,
        'secure-port': /\d+$/.exec(address())?.[0] ?? '',
        'service-cluster-ip-range': settings.serviceClusterIpRange.text,
      }),
    });
  }

  #flowSchemas(): FlowSchemas {
    return new FlowSchemas({ storage: this.#parts.storage, ...this.#flowResources() });
  }

  #flowResources(): Readonly<Record<'schemas' | 'levels', ServedResource>> {
    const group = 'flowcontrol.apiserver.k8s.io';
    return {
      schemas: this.#resource(group, 'flowschemas'),
      levels: this.#resource(group, 'prioritylevelconfigurations'),
    };
  }

  #createReviews(): ReviewContext {
    const { authorizationMode } = this.#parts.settings;
    const authenticator = withServiceAccounts(this.users, this.#tokens);
    const aggregates = this.#parts.settings.controllers.has('cluster-role-aggregation');
    const policies = policyStore(this.registry);
    const rbac = authorizationMode === 'RBAC' ? rbacSource(policies, { aggregates }) : undefined;
    const authorizer: Authorizer = rbac === undefined ? alwaysAllow : rbacAuthorizer(rbac);
    return { authenticator, authorizer, rbac, now: this.#parts.settings.now };
  }

  #createResourceRouter(reviews: ReviewContext): ResourceRouter {
    const { settings, storage, hub, faults } = this.#parts;
    const patcher = new ObjectPatcher(this.writer, settings.now);
    const writes = new WriteVerbs(this.writer, patcher);
    const reads = new ReadVerbs({
      storage,
      hub,
      clock: settings.clock,
      gates: settings.featureGates,
      timeout: settings.freshnessTimeout,
      bookmarkInterval: settings.bookmarkInterval,
      faults: (info) => faults.watchFaultsOf(info),
      pace: (request) => faults.paceOf(request),
    });
    const { writer, registry } = this;
    const remover = this.#remover;
    const admission = this.#admission;
    return new ResourceRouter({
      registry,
      reads,
      writes,
      reviews,
      admission,
      deletes: new DeleteVerbs(remover, settings.featureGates),
      subresources: lazy(() =>
        subresourceHandlers({
          reads,
          writes,
          writer,
          remover,
          registry,
          admission,
          tokens: this.#tokens,
          now: settings.now,
        }),
      ),
    });
  }

  #core(plural: string): ServedResource {
    return this.#resource('', plural);
  }

  #resource(group: string, plural: string): ServedResource {
    const resource = this.registry.find({ group, version: 'v1', plural });
    if (resource === undefined) throw new Error(`${plural} are not served`);
    return resource;
  }
}
