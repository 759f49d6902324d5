import type { IncomingMessage } from 'node:http';
import { invalidOption } from '@keelson/apimachinery';
import {
  WebhookEndpoints,
  type CallUser,
  type ConvertibleVersions,
  type WebhookOptions,
} from '@keelson/webhook';
import type { Logger } from '../logging/logger.ts';
import type { PlainResponse } from '../servers/http-server.ts';
import { UserCode } from '../user-code/user-code.ts';
import type { ManagerDependencies } from './manager-dependencies.ts';

/** The admission and conversion webhooks of a manager, which every replica serves. */
export class ManagerWebhooks {
  readonly #endpoints: WebhookEndpoints;
  readonly #dependencies: ManagerDependencies;
  readonly #log: Logger;
  readonly #hasServer: boolean;

  constructor(dependencies: ManagerDependencies, log: Logger, hasServer: boolean) {
    this.#dependencies = dependencies;
    this.#log = log;
    this.#hasServer = hasServer;
    const { client, cache, metrics } = dependencies;
    this.#endpoints = new WebhookEndpoints({
      services: { client, cache, log },
      callUser: (webhook) => this.#callerOf(webhook),
      observer: metrics.webhooks,
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
  receive(request: IncomingMessage, signal: AbortSignal): Promise<PlainResponse> {
    return this.#endpoints.respond(request, signal);
  }

  #requireServer(method: string): void {
    if (this.#hasServer) return;
    throw invalidOption(method, 'needs the option servers.webhook of createManager');
  }

  /** Each webhook has the async context in which it was added. */
  #callerOf(webhook: string): CallUser {
    const { eventLoop, metrics } = this.#dependencies;
    const calls = eventLoop.calls({
      name: `webhook ${webhook}`,
      log: this.#log.child({ webhook }),
      blocked: (_role, ms) => metrics.blocked('webhook', ms),
    });
    const user = new UserCode(calls);
    return (act) => user.timed({ role: 'webhook' }, act);
  }
}
