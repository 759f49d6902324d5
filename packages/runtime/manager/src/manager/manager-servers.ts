import { invalidOption, isLoopback, parseDuration, pause } from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import { HealthChecks } from '../servers/health-checks.ts';
import { DelegatedAccess } from '../servers/access/delegated-access.ts';
import {
  exceptPaths,
  localAccess,
  newToken,
  sameOriginPosts,
  tokenAccess,
} from '../servers/access/local-access.ts';
import { clientCertificateAccess } from '../servers/access/client-certificate-access.ts';
import { reviewLimits } from '../servers/connections.ts';
import { caBundleController } from './ca-bundle-controller.ts';
import { FixedCertificate } from '../servers/fixed-certificate.ts';
import { SecretCertificate } from '../servers/secret-certificate.ts';
import type { ControllerOptions } from '../controller/controller-options.ts';
import { ExpiringCertificate } from '../servers/expiring-certificate.ts';
import {
  HttpServer,
  type AccessCheck,
  type PlainResponse,
  type Receiver,
  type Responder,
} from '../servers/http-server.ts';
import type { Logger } from '../logging/logger.ts';
import type { ManagerMetrics } from '../metrics/manager-metrics.ts';
import { CertificateFiles } from '../servers/certificate-files.ts';
import { ClientAuthorities } from '../servers/client-authorities.ts';
import type { CertificateSource } from '../servers/certificate-source.ts';
import { Profiles } from '../servers/profiles.ts';
import { Routes, type RouteHandler } from '../servers/routes.ts';
import { SelfSignedCertificate } from '../servers/self-signed-certificate.ts';
import {
  debugOptionsOf,
  serverOptionsOf,
  type MetricsServerOptions,
  type ServerPorts,
  type ServersOptions,
  type WebhookServerOptions,
} from '../servers/server-options.ts';
import { MetricsPage } from '../servers/metrics-page.ts';
import {
  isInspectorPage,
  ManagerInspector,
  type InspectorDependencies,
} from './manager-inspector.ts';

/** The parts of a manager that its servers use. */
export interface ServerDependencies {
  /** Sends the reviews of the metrics server. A standby sends them too, so no Lease guards this client. */
  readonly client: Client;
  readonly metrics: ManagerMetrics;
  /** Responds to the requests of the webhook server. */
  readonly receiver: Receiver;
  /** The namespace of the Pod, or of the context in a kubeconfig. */
  readonly namespace: () => Promise<string | undefined>;
  /** Responds to the requests of the debug server for explanations. */
  readonly explain: { respond(url: URL): PlainResponse | undefined };
  readonly inspected: Omit<InspectorDependencies, 'client' | 'metrics' | 'namespace' | 'log'>;
}

/** How long webhooks are served after the manager begins to stop. */
const SHUTDOWN_DELAY = '3s';

/** The HTTP servers of a manager: for metrics, for health and readiness, for profiles, and for admission webhooks. */
export class ManagerServers {
  readonly health: HealthChecks;
  readonly ready: HealthChecks;
  readonly #routes: Readonly<Record<'metrics' | 'health', Routes>>;
  readonly #metrics: HttpServer | undefined;
  readonly #probes: HttpServer | undefined;
  readonly #debug: HttpServer | undefined;
  readonly #webhook: HttpServer | undefined;
  /** The certificate of the webhook server, if the operator publishes its authorities. */
  #published: SecretCertificate | undefined;
  /** Milliseconds for which webhooks are served after `drain`. */
  readonly #shutdownDelay: number;
  /** A reading of `performance.now()`; `undefined` before `drain`. */
  #drainingSince: number | undefined;
  readonly #profiles = new Profiles();
  /** `undefined` without a debug server. */
  readonly #inspector: ManagerInspector | undefined;
  /** The token of the debug server; `undefined` without the server, and with authentication by the API server. */
  readonly debugToken: string | undefined;
  readonly #log: Logger;
  readonly #namespace: ServerDependencies['namespace'];
  readonly #client: Client;
  readonly #measured: ManagerMetrics;
  /** Metrics whose collector failed in the last scrape. */
  readonly #failing = new Set<string>();

  constructor(
    options: ServersOptions,
    { client, metrics: measured, receiver, namespace, explain, inspected }: ServerDependencies,
    log: Logger,
  ) {
    this.#log = log;
    this.#client = client;
    this.#routes = { metrics: new Routes('metrics', log), health: new Routes('health', log) };
    this.#measured = measured;
    const { registry } = measured;
    this.health = new HealthChecks(['/healthz', '/livez'], 500, log);
    this.ready = new HealthChecks(['/readyz'], 503, log);
    this.health.add('ping', () => undefined);
    const { metrics, health, debug, webhook, host } = options;
    if (metrics !== undefined) {
      const page = new MetricsPage({
        registry,
        failed: (metric, error) => this.#collectorFailed(metric, error),
        worked: (metric) => void this.#failing.delete(metric),
      });
      this.#metrics = this.#server('metrics', serverOptionsOf(metrics, host), (url) =>
        url.pathname === '/metrics' ? page.respond() : this.#routes.metrics.respond(url),
      );
    }
    if (health !== undefined) {
      this.#probes = this.#server(
        'health',
        serverOptionsOf(health, host),
        (url) =>
          this.health.respond(url) ?? this.ready.respond(url) ?? this.#routes.health.respond(url),
      );
    }
    if (debug !== undefined) {
      const { token = newToken(), actions = false, ...debugOptions } = debugOptionsOf(debug, host);
      const facts = { ...inspected, metrics: measured, namespace, log };
      const inspector = new ManagerInspector(facts, actions);
      this.#inspector = inspector;
      if (debugOptions.authentication !== true) this.debugToken = token;
      this.#debug = this.#server(
        'debug',
        debugOptions,
        (url, signal) =>
          explain.respond(url) ?? inspector.respond(url, signal) ?? this.#profiles.respond(url),
        (url) => inspector.act(url),
      );
    }
    this.#namespace = namespace;
    const { shutdownDelay = SHUTDOWN_DELAY } = webhook ?? {};
    this.#shutdownDelay = parseDuration(
      shutdownDelay,
      'createManager.servers.webhook.shutdownDelay',
    );
    if (webhook !== undefined) this.#webhook = this.#webhookServer(webhook, host, receiver);
  }

  /** The controller that publishes the authorities of the webhook server; `undefined` if nothing is to be published. */
  get publisher(): ControllerOptions | undefined {
    return this.#published && caBundleController(this.#published);
  }

  get ports(): ServerPorts {
    return {
      metrics: this.#metrics?.port,
      health: this.#probes?.port,
      debug: this.#debug?.port,
      webhook: this.#webhook?.port,
    };
  }

  /** Adds a route of the user to a server. Throws `INVALID_OPTION`. */
  addRoute(server: 'metrics' | 'health', path: string, handler: RouteHandler): () => void {
    if (!Object.hasOwn(this.#routes, server)) {
      throw invalidOption('addRoute.server', 'must be metrics or health');
    }
    return this.#routes[server].add(path, handler);
  }

  /** Starts to measure and to listen. Rejects with `INVALID_CERTIFICATE`, `PORT_IN_USE` or `LISTEN_FAILED`. */
  async start(): Promise<void> {
    this.#measured.start();
    if (this.#metrics !== undefined) await this.#measured.collectProcess();
    await this.#listen();
  }

  async #listen(): Promise<void> {
    // Every attempt settles first, so that a failed start leaves no server that begins to listen later.
    const ends = await Promise.allSettled(this.#all().map((server) => server.listen()));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
    for (const server of this.#all()) {
      const { name, port, url } = server;
      const page = server === this.#debug ? { inspector: `${url}/` } : {};
      this.#log.info({ server: name, port, ...page }, 'listening');
    }
  }

  /** Begins to send the API server to other replicas. */
  drain(): void {
    this.#drainingSince ??= performance.now();
    this.#webhook?.drain();
  }

  /**
   * Closes the webhook server, before the cache that its handlers read: after the `shutdownDelay`, or after this many
   * milliseconds if that is earlier.
   */
  async closeWebhooks(milliseconds: number): Promise<void> {
    const server = this.#webhook;
    if (server === undefined) return;
    const deadline = performance.now() + milliseconds;
    const { port } = server;
    const served = (this.#drainingSince ?? 0) + this.#shutdownDelay;
    const wait = Math.min(served, deadline) - performance.now();
    if (port !== undefined && wait > 0) await pause(wait, []);
    await server.close(Math.max(0, deadline - performance.now()));
  }

  /** Closes the servers; pending responses may take this many milliseconds. */
  async close(milliseconds: number): Promise<void> {
    this.#profiles.stop();
    void this.#inspector?.stop();
    await Promise.all(this.#all().map((server) => server.close(milliseconds)));
  }

  /** Logs the first failure since the last success, because scrapes arrive every few seconds. */
  #collectorFailed(metric: string, error: unknown): void {
    this.#measured.collectorFailed();
    if (!this.#failing.has(metric)) {
      this.#log.error({ metric, err: error }, 'metric collector failed');
    }
    this.#failing.add(metric);
  }

  #all(): HttpServer[] {
    return [this.#metrics, this.#probes, this.#debug, this.#webhook].filter(
      (server) => server !== undefined,
    );
  }

  #server(
    name: string,
    options: MetricsServerOptions,
    responder: Responder,
    poster?: Responder,
  ): HttpServer {
    const { tls, port, host } = options;
    return new HttpServer({
      name,
      address: { port, ...(host !== undefined && { host }) },
      certificates:
        tls === undefined ? undefined : this.#expiring(name, this.#certificates(name, tls)),
      requestsClientCertificates: typeof tls === 'object' && tls.clientCa !== undefined,
      access: this.#accessTo(name, options),
      responder,
      poster,
    });
  }

  #webhookServer(
    { port, host: ownHost, tls, clientCa }: WebhookServerOptions,
    commonHost: string | undefined,
    receiver: Receiver,
  ): HttpServer {
    const host = ownHost ?? commonHost;
    const requestsClientCertificates = clientCa !== undefined;
    const certificates = this.#expiring('webhook', this.#webhookCertificates(tls, clientCa));
    const server = new HttpServer({
      name: 'webhook',
      address: { port, ...(host !== undefined && { host }) },
      certificates,
      requestsClientCertificates,
      access: requestsClientCertificates ? clientCertificateAccess : undefined,
      limits: reviewLimits,
      receiver,
    });
    this.ready.add('webhook', () => {
      const { expiresAt = 0 } = certificates;
      if (server.port === undefined) throw new Error('the webhook server does not listen');
      if (expiresAt <= Date.now()) throw new Error('the certificate of the webhook server expired');
    });
    return server;
  }

  #accessTo(server: string, options: MetricsServerOptions): AccessCheck | undefined {
    const { authentication = false, host = '' } = options;
    const delegated = authentication ? this.#delegatedAccess(server) : undefined;
    if (server !== 'debug') return delegated;
    const access = this.debugToken === undefined ? delegated : tokenAccess(this.debugToken);
    if (access === undefined) return undefined;
    const checked = exceptPaths(isInspectorPage, access);
    return isLoopback(host) ? localAccess(checked) : sameOriginPosts(checked);
  }

  #delegatedAccess(server: string): AccessCheck {
    const access = new DelegatedAccess({ server, client: this.#client, log: this.#log });
    return (request, path) => access.refusalOf(request, path);
  }

  #webhookCertificates(
    tls: WebhookServerOptions['tls'],
    clientCa: string | undefined,
  ): CertificateSource {
    const source = this.#servingCertificates(tls);
    if (clientCa === undefined) return source;
    const options = { server: 'webhook', log: this.#log, observer: this.#measured };
    return new ClientAuthorities(source, clientCa, options);
  }

  #servingCertificates(tls: WebhookServerOptions['tls']): CertificateSource {
    if (typeof tls === 'object' && 'certificate' in tls)
      return new FixedCertificate(tls.certificate);
    if (typeof tls !== 'object' || !('secret' in tls)) return this.#certificates('webhook', tls);
    const dependencies = { client: this.#client, namespace: this.#namespace, log: this.#log };
    const certificate = new SecretCertificate(tls, dependencies);
    const { configurations = [], definitions = [] } = tls;
    if (configurations.length + definitions.length > 0) this.#published = certificate;
    return certificate;
  }

  #expiring(server: string, source: CertificateSource): ExpiringCertificate {
    const certificates = new ExpiringCertificate(source);
    this.#measured.certificateOf(server, () => certificates.expiresAt);
    return certificates;
  }

  #certificates(server: string, tls: NonNullable<MetricsServerOptions['tls']>): CertificateSource {
    if (tls === 'self-signed') return new SelfSignedCertificate();
    return new CertificateFiles(tls, { server, log: this.#log, observer: this.#measured });
  }
}
