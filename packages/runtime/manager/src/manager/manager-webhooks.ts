import type { IncomingMessage } from 'node:http';
import { invalidOption } from '@keelson/apimachinery';
import {
  WebhookEndpoints,
  type CallUser,
  type ConvertibleVersions,
  type ReviewFacts,
  type WebhookObserver,
  type WebhookOptions,
} from '@keelson/webhook';
import type { Logger } from '../logging/logger.ts';
import type { WebhookMetrics } from '../metrics/webhook-metrics.ts';
import type { PlainResponse } from '../servers/http-server.ts';
import type { TracedSpan, Tracing } from '../tracing/tracing.ts';
import type { CallScope, UserRun } from '../user-code/call-scope.ts';
import { UserCode } from '../user-code/user-code.ts';
import type { ManagerDependencies } from './manager-dependencies.ts';

/** The parts of a manager that its webhooks use. */
interface WebhookHost {
  readonly callScope: CallScope;
  /** True if the manager has a server of webhooks. */
  readonly hasServer: boolean;
  readonly log: Logger;
  readonly tracing: Tracing | undefined;
}

/** A review whose handler runs in its span. */
class ReviewRun implements UserRun {
  readonly span: TracedSpan;
  hasEnded = false;
  /** `undefined` until the body was read. */
  facts: ReviewFacts | undefined;

  constructor(span: TracedSpan) {
    this.span = span;
  }

  end(status: number): void {
    this.hasEnded = true;
    this.span.end({ result: status, review: this.facts });
  }
}

/** The admission and conversion webhooks of a manager, which every replica serves. */
export class ManagerWebhooks {
  readonly #endpoints: WebhookEndpoints;
  readonly #dependencies: ManagerDependencies;
  readonly #host: WebhookHost;

  constructor(dependencies: ManagerDependencies, host: WebhookHost) {
    this.#dependencies = dependencies;
    this.#host = host;
    const { log, tracing } = host;
    const { client, cache, metrics } = dependencies;
    this.#endpoints = new WebhookEndpoints({
      services: { client, cache, log },
      callUser: (webhook) => this.#callerOf(webhook),
      observer: tracing === undefined ? metrics.webhooks : this.#tracedObserver(metrics.webhooks),
    });
  }

  /** Adds a webhook. Throws `INVALID_OPTION`, and `DUPLICATE_WEBHOOK` for a name or path in use. */
  add(options: WebhookOptions): void {
    this.#requireServer('addWebhook');
    this.#endpoints.add(options, 'addWebhook');
  }

  /** Serves a conversion. Throws `INVALID_OPTION`, and `DUPLICATE_WEBHOOK` for a kind or path in use. */
  addConversion(versions: ConvertibleVersions): void {
    this.#requireServer('addConversion');
    this.#endpoints.addConversion(versions, 'addConversion');
  }

  /** Responds to a request of the API server. */
  async receive(request: IncomingMessage, signal: AbortSignal): Promise<PlainResponse> {
    const span = this.#spanOf(request);
    if (span === undefined) return this.#endpoints.respond(request, signal);
    const review = new ReviewRun(span);
    const respond = (): Promise<PlainResponse> => this.#endpoints.respond(request, signal);
    const response = await this.#host.callScope.run(review, respond);
    review.end(response.status);
    return response;
  }

  /** Begins a span; `undefined` for an unknown path, because a client may send any number of them. */
  #spanOf({ method = 'GET', url = '', headers }: IncomingMessage): TracedSpan | undefined {
    const [path = ''] = url.split('?', 1);
    if (!this.#endpoints.has(path)) return undefined;
    return this.#host.tracing?.begin({ type: 'review', method, path, headers });
  }

  /** Measures, and adds the facts of each review to its span. */
  #tracedObserver(metrics: WebhookMetrics): WebhookObserver {
    const { callScope } = this.#host;
    return {
      began: (webhook) => metrics.began(webhook),
      ended: (webhook, status, seconds) => metrics.ended(webhook, status, seconds),
      failed: (webhook, error) => metrics.failed(webhook, error),
      received(_webhook, facts) {
        const { current } = callScope;
        if (current instanceof ReviewRun) current.facts = facts;
      },
    };
  }

  #requireServer(method: string): void {
    if (this.#host.hasServer) return;
    throw invalidOption(method, 'needs the option servers.webhook of createManager');
  }

  /** Each webhook has the async context in which it was added. */
  #callerOf(webhook: string): CallUser {
    const { eventLoop, metrics } = this.#dependencies;
    const calls = eventLoop.calls({
      name: `webhook ${webhook}`,
      log: this.#host.log.child({ webhook }),
      blocked: (_role, ms) => metrics.blocked('webhook', ms),
    });
    const user = new UserCode(calls);
    const { callScope } = this.#host;
    return (act) => {
      // The handler leaves the async context of the review for that in which the webhook was added.
      const review = callScope.current;
      const call = review === undefined ? act : () => callScope.run(review, act);
      return user.timed({ role: 'webhook' }, call);
    };
  }
}
