import { endsWithin, SharedSlice } from '@keelson/apimachinery';
import { Registry, type Metric } from 'prom-client';
import type { Answer } from './http-server.ts';

export interface MetricsPageOptions {
  readonly registry: Registry;
  /** A collector threw, rejected, or did not end in time. */
  readonly failed: (metric: string, error: unknown) => void;
  /** The collector works again, or for the first time. */
  readonly worked: (metric: string) => void;
}

/** How long all scrapers get the same page; each of them scrapes every few seconds. */
const PAGE_LIFETIME_MS = 1000;
/** How long a collector may take; Prometheus gives up after 10 s by default. */
const COLLECTOR_TIMEOUT_MS = 5000;

/**
 * The page of a registry's metrics. Concurrent requests share one scrape. A collector is user code: one that throws or hangs costs only its own metric.
 */
export class MetricsPage {
  readonly #options: MetricsPageOptions;
  /** Collecting is synchronous: the event loop may turn between two metrics. */
  readonly #slice = new SharedSlice();
  /** Metrics whose collector has not ended since an earlier scrape. */
  readonly #hanging = new Set<Metric>();
  #scrape: Promise<Answer> | undefined;

  constructor(options: MetricsPageOptions) {
    this.#options = options;
  }

  /** Never rejects because of a collector. */
  answer(): Promise<Answer> {
    this.#scrape ??= this.#scrapeOnce();
    return this.#scrape;
  }

  async #scrapeOnce(): Promise<Answer> {
    try {
      return await this.#read();
    } finally {
      const timer = setTimeout(() => (this.#scrape = undefined), PAGE_LIFETIME_MS);
      timer.unref();
    }
  }

  async #read(): Promise<Answer> {
    const { registry } = this.#options;
    const parts: Promise<string | undefined>[] = [];
    for (const metric of registry.getMetricsAsArray()) {
      parts.push(this.#part(metric as unknown as Metric));
      await this.#slice.next();
    }
    const texts = (await Promise.all(parts)).filter((text) => text !== undefined);
    const body = isOpenMetrics(registry)
      ? `${texts.join('\n')}\n# EOF\n`
      : `${texts.join('\n\n')}\n`;
    return { status: 200, type: registry.contentType, body: Buffer.from(body) };
  }

  /** The text of one metric; `undefined` if its collector failed. */
  async #part(metric: Metric): Promise<string | undefined> {
    const { registry, failed, worked } = this.#options;
    const name = keyOf(metric, registry);
    if (this.#hanging.has(metric)) {
      failed(name, new CollectorTimeout());
      return undefined;
    }
    this.#hanging.add(metric);
    const text = this.#textOf(metric, name).finally(() => this.#hanging.delete(metric));
    try {
      if (!(await endsWithin(text, COLLECTOR_TIMEOUT_MS))) throw new CollectorTimeout();
      const known = await text;
      worked(name);
      return known;
    } catch (error) {
      failed(name, error);
      return undefined;
    }
  }

  async #textOf(metric: Metric, name: string): Promise<string> {
    const { registry } = this.#options;
    const text = await registry.getSingleMetricAsString(name);
    const { type } = metric as unknown as { type: string };
    const isCounter = type === 'counter' && name.endsWith('_total');
    return isCounter && isOpenMetrics(registry) ? withOneSuffix(text, name) : text;
  }
}

/**
 * OpenMetrics names a counter without `_total` and its series with it; prom-client adds a second one
 * to the series. `Registry.metrics()` renames the counter instead, for everyone who shares it.
 */
function withOneSuffix(text: string, name: string): string {
  const counter = name.slice(0, -'_total'.length);
  return text
    .replace(`# HELP ${name} `, `# HELP ${counter} `)
    .replace(`# TYPE ${name} `, `# TYPE ${counter} `)
    .replaceAll(`\n${name}_total`, `\n${name}`);
}

class CollectorTimeout extends Error {
  override readonly name: string = 'TimeoutError';

  constructor() {
    super(`the collector did not end within ${COLLECTOR_TIMEOUT_MS} ms`);
  }
}

/** The name that a metric is registered under, also after `Registry.metrics()` renamed a counter. */
function keyOf(metric: Metric, registry: Registry): string {
  const { name } = metric as unknown as { name: string };
  return registry.getSingleMetric(name) === metric ? name : `${name}_total`;
}

function isOpenMetrics({ contentType }: Registry): boolean {
  return (contentType as string) === Registry.OPENMETRICS_CONTENT_TYPE;
}
