import { once } from 'node:events';
import { Agent, request as httpsRequest, type RequestOptions } from 'node:https';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { posix } from 'node:path';
import type { Duplex } from 'node:stream';
import { type JsonObject, jsonText } from '@keelson/structural-schema';
import { connectionProblem } from './connection-problem.ts';
import { decodeReview } from './decode-review.ts';
import { responseProblem } from './response-problem.ts';
import { WebhookCallError } from './webhook-call-error.ts';
import type { WebhookResponse } from './webhook-response.ts';

/** `clientConfig` of a webhook, as the API has it. `caBundle` is PEM in base64. */
export interface WebhookClientConfig {
  readonly url?: string;
  readonly service?: {
    readonly namespace: string;
    readonly name: string;
    readonly path?: string;
    readonly port?: number;
  };
  readonly caBundle?: string;
}

/** The Service that a webhook configuration names. */
export interface WebhookService {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

/** An address to connect to. */
export interface WebhookAddress {
  readonly host: string;
  readonly port: number;
}

/** One call of a webhook. */
export interface WebhookCall {
  readonly config: WebhookClientConfig;
  /** The AdmissionReview or ConversionReview. */
  readonly review: JsonObject;
  /** Ends the call; also sent to the webhook as the parameter `timeout`. Default: the limit of the request, 30 s. */
  readonly timeoutSeconds?: number;
}

const DEFAULT_PORT = 443;
/** kube-apiserver ends a request after 60 s, and the calls of a conversion webhook after 30 s. */
const DEFAULT_TIMEOUT_SECONDS = 30;
/** Far above any object of the API, which has 3 MiB at most. */
const MAX_RESPONSE_BYTES = 32 * 1024 * 1024;

interface Target {
  /** The URL as error messages show it. */
  readonly url: URL;
  readonly address: WebhookAddress;
  readonly servername: string | undefined;
}

/** Sends reviews to webhooks over HTTPS, with the errors of client-go. */
export class WebhookClient {
  readonly #resolve: (service: WebhookService) => WebhookAddress;
  /** Agents by `caBundle`, which keep connections open. */
  readonly #agents = new Map<string, Agent>();

  /** `resolve` returns the address of a Service, and throws an error if it has none. */
  constructor(resolve: (service: WebhookService) => WebhookAddress) {
    this.#resolve = resolve;
  }

  /** Sends a review and returns the decoded response. Throws `WebhookCallError`. */
  async call({ config, review, timeoutSeconds }: WebhookCall): Promise<JsonObject> {
    const url = urlOf(config);
    if (timeoutSeconds !== undefined) url.searchParams.set('timeout', `${timeoutSeconds}s`);
    const target = this.#target(config, url);
    const timeout = (timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS) * 1000;
    const response = await this.#post(target, config, Buffer.from(jsonText(review)), timeout);
    const problem = responseProblem(response);
    if (problem !== undefined) throw new WebhookCallError(problem.message, problem.code);
    return decodeReview(response);
  }

  /** Closes the idle connections. */
  close(): void {
    for (const agent of this.#agents.values()) agent.destroy();
    this.#agents.clear();
  }

  #target({ service }: WebhookClientConfig, url: URL): Target {
    const port = Number(url.port) || DEFAULT_PORT;
    if (service === undefined) {
      return { url, address: { host: hostOf(url), port }, servername: undefined };
    }
    try {
      const address = this.#resolve({ ...service, port });
      return { url, address, servername: url.hostname };
    } catch (error) {
      throw new WebhookCallError(`Post ${shown(url, service)}: ${(error as Error).message}`);
    }
  }

  async #post(
    target: Target,
    config: WebhookClientConfig,
    body: Buffer,
    timeout: number,
  ): Promise<WebhookResponse> {
    const { url, address } = target;
    const stop = AbortSignal.timeout(timeout);
    const options: RequestOptions = {
      ...address,
      method: 'POST',
      path: `${url.pathname}${url.search}`,
      agent: this.#agentFor(config.caBundle),
      signal: stop,
      headers: headersFor(url, body),
      ...(target.servername !== undefined && { servername: target.servername }),
    };
    try {
      return await exchange(options, body);
    } catch (error) {
      const why = stop.aborted
        ? 'context deadline exceeded'
        : connectionProblem(error as Error, address, hostOf(url));
      throw new WebhookCallError(`Post ${shown(url, config.service)}: ${why}`, undefined, {
        cause: error,
      });
    }
  }

  #agentFor(caBundle = ''): Agent {
    let agent = this.#agents.get(caBundle);
    if (agent === undefined) {
      const ca = Buffer.from(caBundle, 'base64').toString().trim();
      // Go trusts each certificate of the bundle by itself: envtest gives that of the server.
      const trust = ca === '' ? {} : { ca, allowPartialTrustChain: true };
      agent = new Agent({ keepAlive: true, ...trust });
      this.#agents.set(caBundle, agent);
    }
    return agent;
  }
}

function urlOf({ url, service }: WebhookClientConfig): URL {
  if (service === undefined && url === undefined) {
    throw new WebhookCallError('webhook configuration must have either service or URL');
  }
  const { name, namespace, port = DEFAULT_PORT } = service ?? {};
  const target = new URL(url ?? `https://${name}.${namespace}.svc:${port}`);
  target.pathname = joined(service?.path ?? target.pathname);
  return target;
}

/** client-go joins paths, so that `//a/` is `/a`: the former is what envtest writes. */
function joined(path: string): string {
  return posix.join('/', path).replace(/(?<=.)\/$/, '');
}

/** The host without the brackets that a URL has around an IPv6 address. */
function hostOf({ hostname }: URL): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

/** Go keeps a default port that was written, and the URL class drops it. */
function shown(url: URL, service: WebhookClientConfig['service']): string {
  const { port = DEFAULT_PORT } = service ?? {};
  const host = service === undefined ? url.host : `${url.hostname}:${port}`;
  return JSON.stringify(`https://${host}${url.pathname}${url.search}`);
}

function headersFor(url: URL, body: Buffer): Record<string, string> {
  return {
    host: url.host,
    accept: 'application/json, */*',
    'content-type': 'application/json',
    'content-length': String(body.length),
    'user-agent': 'kube-apiserver-admission',
  };
}

/** Sends a request; repeats it once if the server had closed the kept connection that it was sent on. */
async function exchange(options: RequestOptions, body: Buffer): Promise<WebhookResponse> {
  for (let attempt = 1; ; attempt++) {
    const sent = httpsRequest(options);
    try {
      sent.end(body);
      return await readResponse(await responseTo(sent));
    } catch (error) {
      sent.destroy();
      const isStale = sent.reusedSocket && (error as { code?: string }).code === 'ECONNRESET';
      if (attempt > 1 || !isStale) throw error;
    }
  }
}

/** Rejects if the connection ends without a response, also when the server switches to another protocol. */
async function responseTo(sent: ClientRequest): Promise<IncomingMessage> {
  const ended = new AbortController();
  const upgraded = (_response: IncomingMessage, socket: Duplex): void => {
    socket.destroy();
    ended.abort(new Error('unexpected switch of the protocol'));
  };
  sent.once('upgrade', upgraded);
  try {
    const [incoming] = await once(sent, 'response', { signal: ended.signal });
    return incoming as IncomingMessage;
  } catch (error) {
    throw ended.signal.aborted ? ended.signal.reason : error;
  }
}

async function readResponse(incoming: IncomingMessage): Promise<WebhookResponse> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of incoming) {
    const bytes = chunk as Buffer;
    length += bytes.length;
    if (length > MAX_RESPONSE_BYTES)
      throw new Error(`response exceeds ${MAX_RESPONSE_BYTES} bytes`);
    chunks.push(bytes);
  }
  return {
    code: incoming.statusCode ?? 0,
    contentType: incoming.headers['content-type'] ?? '',
    body: Buffer.concat(chunks).toString(),
  };
}
