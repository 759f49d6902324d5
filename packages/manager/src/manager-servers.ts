import type { Registry } from 'prom-client';
import { HealthChecks } from './health-checks.ts';
import { HttpServer, type Answer, type ServerAddress } from './http-server.ts';
import type { Logger } from './logger.ts';

/** What a manager listens on: metrics, and health with readiness. */
export class ManagerServers {
  readonly health: HealthChecks;
  readonly ready: HealthChecks;
  readonly #metrics: HttpServer | undefined;
  readonly #probes: HttpServer | undefined;
  readonly #log: Logger;

  constructor(
    addresses: { readonly metrics?: ServerAddress; readonly health?: ServerAddress },
    registry: Registry,
    log: Logger,
  ) {
    this.#log = log;
    this.health = new HealthChecks('/healthz', 500, log);
    this.ready = new HealthChecks('/readyz', 503, log);
    this.health.add('ping', () => undefined);
    const { metrics, health } = addresses;
    if (metrics !== undefined) {
      this.#metrics = new HttpServer('metrics', metrics, ({ pathname }) =>
        pathname === '/metrics' ? scrape(registry) : undefined,
      );
    }
    if (health !== undefined) {
      this.#probes = new HttpServer(
        'health',
        health,
        (url) => this.health.answer(url) ?? this.ready.answer(url),
      );
    }
  }

  get ports(): { readonly metrics: number | undefined; readonly health: number | undefined } {
    return { metrics: this.#metrics?.port, health: this.#probes?.port };
  }

  get servesMetrics(): boolean {
    return this.#metrics !== undefined;
  }

  /** Rejects with `PORT_IN_USE` or `LISTEN_FAILED`. */
  async listen(): Promise<void> {
    // One that fails must not leave another listening that is still on its way there.
    const ends = await Promise.allSettled(this.#all().map((server) => server.listen()));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
    for (const { name, port } of this.#all()) this.#log.info({ server: name, port }, 'listening');
  }

  /** Responses under way are finished if they take no longer than so many milliseconds. */
  async close(milliseconds: number): Promise<void> {
    await Promise.all(this.#all().map((server) => server.close(milliseconds)));
  }

  #all(): HttpServer[] {
    return [this.#metrics, this.#probes].filter((server) => server !== undefined);
  }
}

async function scrape(registry: Registry): Promise<Answer> {
  return { status: 200, type: registry.contentType, body: await registry.metrics() };
}
