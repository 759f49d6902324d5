import { endsWithin, SharedSlice } from '@keelson/apimachinery';
import type { Metric, Registry } from 'prom-client';
import { MetricRegistry } from '../metrics/process/metric-registry.ts';
import type { PlainResponse } from './http-server.ts';

export interface MetricsPageOptions {
  readonly registry: Registry;
  /** Called when a collector threw, rejected, or did not end in time. */
  readonly failed: (metric: string, error: unknown) => void;
  /** Called after each success of a collector. */
  readonly worked: (metric: string) => void;
}

/** Milliseconds for which all scrapers get the same page; each of them scrapes every few seconds. */
const PAGE_LIFETIME_MS = 1000;
/** Milliseconds that a collector may take; the default timeout of Prometheus is 10 s. */
const COLLECTOR_TIMEOUT_MS = 5000;

/**
 * The page of a registry's metrics. Concurrent requests share one scrape. A collector of the user that throws or
 * hangs removes only its own metric from the page.
 */
export class MetricsPage {
  readonly #options: MetricsPageOptions;
  /** Lets the event loop turn between two metrics, because most collectors are synchronous. */
  readonly #slice = new SharedSlice();
  /** Metrics whose collector of an earlier scrape still runs. */
  readonly #hanging = new Set<Metric>();
  #scrape: Promise<PlainResponse> | undefined;

  constructor(options: MetricsPageOptions) {
    this.#options = options;
  }

  /** The current page. An error of a collector does not reject it. */
  respond(): Promise<PlainResponse> {
    this.#scrape ??= this.#scrapeOnce();
    return this.#scrape;
  }

  async #scrapeOnce(): Promise<PlainResponse> {
    try {
      return await this.#read();
    } finally {
      const timer = setTimeout(() => (this.#scrape = undefined), PAGE_LIFETIME_MS);
      timer.unref();
    }
  }

  async #read(): Promise<PlainResponse> {
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
 * Removes the second `_total` that prom-client adds to the series of a counter in OpenMetrics, where the counter's own
 * name has none. `Registry.metrics()` renames the counter instead, also for its other registries.
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

/** The name under which a metric is registered, even after `Registry.metrics()` renamed a counter. */
function keyOf(metric: Metric, registry: Registry): string {
  const { name } = metric as unknown as { name: string };
  return registry.getSingleMetric(name) === metric ? name : `${name}_total`;
}

function isOpenMetrics({ contentType }: Registry): boolean {
  return (contentType as string) === MetricRegistry.OPENMETRICS_CONTENT_TYPE;
}
