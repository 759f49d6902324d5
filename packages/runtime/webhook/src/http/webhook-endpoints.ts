import {
  abortable,
  ignoreRejection,
  parseDuration,
  startTimer,
  withLinkedSignal,
} from '@keelson/apimachinery';
import {
  AdmissionWebhook,
  type CallUser,
  type HandlerServices,
} from '../admission/admission-webhook.ts';
import { admissionRequestOf, reviewOf } from '../admission/admission-review.ts';
import { checkWebhook, type CheckedWebhook } from '../admission/check-webhook.ts';
import type { WebhookResource } from '../admission/handler-arguments.ts';
import type { Operation } from '../admission/operation.ts';
import type { WebhookOptions } from '../admission/webhook-options.ts';
import { conversionEndpoint, type ConvertibleVersions } from '../conversion/conversion-webhook.ts';
import { WebhookError, type WebhookErrorCode } from '../errors.ts';
import type { Endpoint } from '../endpoint.ts';
import { parseExactly } from '../integers/exact-json.ts';
import { withIntegersOfPatch } from '../integers/review-integers.ts';
import { readBody, type WebhookHttpRequest } from './review-body.ts';
import { reviewFactsOf, type ReviewFacts } from './review-facts.ts';

/** The status, the headers and the body of an HTTP response. */
export interface WebhookHttpResponse {
  readonly status: number;
  readonly type: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Receives the reviews of the webhooks. `webhook` is the path, as in the metrics of controller-runtime. */
export interface WebhookObserver {
  /** A request for a webhook has arrived. */
  began?(webhook: string): void;
  /** Its body has been read. Called in the async context of `respond`, before the handler. */
  received?(webhook: string, review: ReviewFacts): void;
  /** The response to a request has this HTTP status. */
  ended?(webhook: string, status: number, seconds: number): void;
  /** The handler of a webhook threw `error`, had an invalid result or took too long. */
  failed?(webhook: string, error: WebhookError): void;
}

/** The services that handlers receive, how handlers are called, and the observer of their reviews. */
export interface WebhookEndpointsOptions {
  readonly services: HandlerServices;
  /** Returns the function that calls the handler of a webhook. Default: the handler is called directly. */
  readonly callUser?: (webhook: string) => CallUser;
  /** Default: none. */
  readonly observer?: WebhookObserver;
}

/** The HTTP status of the responses to each error. */
const statuses: Readonly<Partial<Record<WebhookErrorCode, number>>> = {
  REVIEW_INCOMPLETE: 408,
  REVIEW_INVALID: 400,
  REVIEW_TOO_LARGE: 413,
  REVIEW_UNEXPECTED: 400,
  WEBHOOK_TIMEOUT: 504,
};
/** The errors that a handler causes. The others are those of the sender. */
const causedByHandler: ReadonlySet<string> = new Set([
  'WEBHOOK_FAILED',
  'WEBHOOK_RESULT',
  'WEBHOOK_TIMEOUT',
] satisfies WebhookErrorCode[]);

/** The longest time that the API server waits for a webhook, in milliseconds. */
const LONGEST_TIMEOUT_MS = 30_000;

/** The webhooks of one server, by the paths of their URLs. */
export class WebhookEndpoints {
  readonly #options: WebhookEndpointsOptions;
  readonly #endpoints = new Map<string, Endpoint>();

  constructor(options: WebhookEndpointsOptions) {
    this.#options = options;
  }

  /** Adds a webhook. Throws `INVALID_OPTION`, and `DUPLICATE_WEBHOOK` for a name or path in use. */
  add<
    const R extends WebhookResource,
    const Op extends Operation = 'CREATE' | 'UPDATE',
    const Subresource extends string | undefined = undefined,
  >(typed: WebhookOptions<R, Op, Subresource>, where = 'WebhookEndpoints.add'): void {
    // The compiler has checked the handler against the kinds and operations; the checks at run time need neither.
    const webhook = checkWebhook(typed as unknown as WebhookOptions, where);
    const { services } = this.#options;
    this.#addEndpoint(admissionEndpoint(webhook, services, this.#callerOf(webhook.name)));
  }

  /**
   * Converts the objects of a kind, at the path that its definition names. Throws `INVALID_OPTION`, and
   * `DUPLICATE_WEBHOOK` for a kind or path in use.
   */
  addConversion(versions: ConvertibleVersions, where = 'WebhookEndpoints.addConversion'): void {
    this.#addEndpoint(conversionEndpoint(versions, (name) => this.#callerOf(name), where));
  }

  /** True for the path of a webhook. */
  has(path: string): boolean {
    return this.#endpoints.has(path);
  }

  #addEndpoint(endpoint: Endpoint): void {
    const { name, path } = endpoint;
    const others = [...this.#endpoints.values()];
    if (others.some((other) => other.name === name || other.path === path)) {
      throw new WebhookError('DUPLICATE_WEBHOOK', { webhook: name, path });
    }
    this.#endpoints.set(path, endpoint);
  }

  #callerOf(webhook: string): CallUser {
    return this.#options.callUser?.(webhook) ?? ((act) => act());
  }

  /** Responds to a request. `signal` aborts when its connection closes. Never rejects. */
  async respond(request: WebhookHttpRequest, signal?: AbortSignal): Promise<WebhookHttpResponse> {
    const [pathname = '', query] = (request.url ?? '').split('?', 2);
    const endpoint = this.#endpoints.get(pathname);
    if (endpoint === undefined) return plain(404, 'not found');
    const { path } = endpoint;
    const startedAt = performance.now();
    this.#observe((observer) => observer.began?.(path));
    const response = await this.#respondTo(request, { endpoint, query, signal });
    const seconds = (performance.now() - startedAt) / 1000;
    this.#observe((observer) => observer.ended?.(path, response.status, seconds));
    return response;
  }

  async #respondTo(
    request: WebhookHttpRequest,
    { endpoint, query, signal }: Call,
  ): Promise<WebhookHttpResponse> {
    if (request.method !== 'POST') {
      return { ...plain(405, 'method not allowed'), headers: { allow: 'POST' } };
    }
    if (!isJson(request.headers['content-type'])) return plain(415, 'the body must be JSON');
    const late = new AbortController();
    const stop = startTimer(timeoutOf(query, endpoint), () => {
      late.abort(new DOMException('the API server no longer waits', 'TimeoutError'));
    });
    try {
      const signals = [late.signal, signal];
      return await withLinkedSignal(signals, (linked) => this.#review(request, endpoint, linked));
    } catch (error) {
      return this.#refusal(endpoint, error);
    } finally {
      stop();
    }
  }

  async #review(
    request: WebhookHttpRequest,
    endpoint: Endpoint,
    signal: AbortSignal,
  ): Promise<WebhookHttpResponse> {
    const text = (await readBody(request, signal)).toString('utf8');
    const body = parse(text);
    this.#observe((observer) => observer.received?.(endpoint.path, reviewFactsOf(body)));
    const response = endpoint.respond(body, signal);
    // After the deadline the result of the handler is ignored.
    ignoreRejection(response);
    try {
      const result = await abortable(response, [signal]);
      const exact = parseExactly(text);
      const sent = exact === undefined ? result : endpoint.restoreIntegers(result, exact);
      return { status: 200, type: 'application/json', body: JSON.stringify(sent) };
    } catch (cause) {
      if (!signal.aborted) throw cause;
      throw new WebhookError('WEBHOOK_TIMEOUT', { webhook: endpoint.name }, { cause });
    }
  }

  #observe(act: (observer: WebhookObserver) => unknown): void {
    const { observer } = this.#options;
    if (observer !== undefined) isolated(() => act(observer));
  }

  /** The API server shows the text of the response to the user, so that it has neither a stack nor the error itself. */
  #refusal({ name: webhook, path }: Endpoint, thrown: unknown): WebhookHttpResponse {
    const error =
      thrown instanceof WebhookError
        ? thrown
        : new WebhookError('WEBHOOK_FAILED', { webhook }, { cause: thrown });
    const { code, message } = error;
    if (causedByHandler.has(code)) {
      this.#observe((observer) => observer.failed?.(path, error));
      const facts = { webhook, err: error };
      isolated(() => this.#options.services.log.error(facts, 'webhook failed'));
    }
    return plain(statuses[code] ?? 500, `${code}: ${message}`);
  }
}

/** An observer or a logger that throws or rejects must not fail a review. */
function isolated(act: () => unknown): void {
  try {
    ignoreRejection(act());
  } catch {
    // The observer is there to count errors, so that nothing else can report this one.
  }
}

interface Call {
  readonly endpoint: Endpoint;
  /** The part of the URL behind the question mark. */
  readonly query: string | undefined;
  readonly signal: AbortSignal | undefined;
}

/** The endpoint that reviews the requests of an admission webhook. */
function admissionEndpoint(
  webhook: CheckedWebhook,
  services: HandlerServices,
  call: CallUser,
): Endpoint {
  const admission = new AdmissionWebhook(webhook, services, call);
  const { name, path, timeoutSeconds } = webhook;
  return {
    name,
    path,
    timeoutSeconds,
    respond: async (body, signal) =>
      reviewOf(await admission.review(admissionRequestOf(body), signal)),
    restoreIntegers: (response, body) => withIntegersOfPatch(response, body, name),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new WebhookError('REVIEW_INVALID', { reason: 'the body is not JSON' }, { cause });
  }
}

/** The API server sends its own deadline, which an administrator may have shortened, in the query. */
function timeoutOf(query: string | undefined, { timeoutSeconds }: Endpoint): number {
  const own = timeoutSeconds * 1000;
  const text = query === undefined ? null : new URLSearchParams(query).get('timeout');
  if (text === null) return own;
  try {
    return Math.min(parseDuration(text, 'timeout'), LONGEST_TIMEOUT_MS) || own;
  } catch {
    return own;
  }
}

function isJson(type: string | readonly string[] | undefined): boolean {
  return typeof type === 'string' && /^application\/json *(?:;|$)/i.test(type);
}

function plain(status: number, text: string): WebhookHttpResponse {
  return { status, type: 'text/plain; charset=utf-8', body: `${text}\n` };
}
