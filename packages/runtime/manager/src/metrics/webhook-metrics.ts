import type { WebhookError, WebhookObserver } from '@keelson/webhook';
import { isPanic } from '../reconcile/panic.ts';
import type { SetGauge } from './read-metric.ts';
import type { SeriesScope } from './series-scope.ts';

/** The metrics of the admission webhooks; the label `webhook` is the path, as in controller-runtime. */
export class WebhookMetrics implements WebhookObserver {
  readonly #scope: SeriesScope;
  /** The requests without a response, by webhook. */
  readonly #inFlight = new Map<string, number>();

  constructor(scope: SeriesScope) {
    this.#scope = scope;
    scope.counter('webhookPanics');
  }

  began(webhook: string): void {
    this.#inFlight.set(webhook, (this.#inFlight.get(webhook) ?? 0) + 1);
  }

  ended(webhook: string, status: number, seconds: number): void {
    this.#inFlight.set(webhook, (this.#inFlight.get(webhook) ?? 1) - 1);
    this.#scope.counter('webhookRequests', { webhook, code: String(status) }).inc();
    this.#scope.histogram('webhookLatency', { webhook }).observe(seconds);
  }

  failed(webhook: string, error: WebhookError): void {
    this.#scope.counter('webhookErrors', { webhook, code: error.code }).inc();
    if (error.code === 'WEBHOOK_FAILED' && isPanic(error.cause)) {
      this.#scope.counter('webhookPanics').inc();
    }
  }

  readInFlight(set: SetGauge): void {
    for (const [webhook, requests] of this.#inFlight) set({ webhook }, requests);
  }
}
