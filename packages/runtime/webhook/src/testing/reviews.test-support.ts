import { Readable } from 'node:stream';
import { defineResource, type ApiResource, type KubernetesObject } from '@keelson/apimachinery';
import type { HandlerServices } from '../admission/admission-webhook.ts';
import type { WebhookLogger } from '../admission/webhook-logger.ts';
import {
  WebhookEndpoints,
  type WebhookEndpointsOptions,
  type WebhookHttpResponse,
} from '../http/webhook-endpoints.ts';
import type { WebhookHttpRequest } from '../http/review-body.ts';

export interface Job extends KubernetesObject {
  spec: { schedule: string; limit?: number; ids?: unknown[] };
}

export const Job: ApiResource<Job> = defineResource<Job>({
  group: 'batch.example.com',
  version: 'v1',
  kind: 'Job',
  plural: 'jobs',
});

/** A line of the logger of a test. */
export interface Line {
  readonly level: string;
  readonly message: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

/** A logger that records its lines. */
export function loggerOf(
  lines: Line[],
  known: Readonly<Record<string, unknown>> = {},
): WebhookLogger {
  const write =
    (level: string) =>
    (facts: Readonly<Record<string, unknown>>, message: string): void =>
      void lines.push({ level, message, facts: { ...known, ...facts } });
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: (facts) => loggerOf(lines, { ...known, ...facts }),
  };
}

/** The endpoints of a test, whose handlers send no request. */
export function endpointsOf(options: Partial<WebhookEndpointsOptions> = {}): {
  endpoints: WebhookEndpoints;
  lines: Line[];
} {
  const lines: Line[] = [];
  const services = { client: {}, cache: {}, log: loggerOf(lines) } as unknown as HandlerServices;
  return { endpoints: new WebhookEndpoints({ services, ...options }), lines };
}

/** An object of `Job` as the API server sends it. */
export function jobOf(spec: object = { schedule: '* * * * *' }, metadata: object = {}): object {
  return {
    apiVersion: 'batch.example.com/v1',
    kind: 'Job',
    metadata: { name: 'nightly', namespace: 'default', ...metadata },
    spec,
  };
}

/** The request of a review of a `Job`. */
export function requestOf(members: object = {}): object {
  return {
    uid: 'u1',
    kind: { group: 'batch.example.com', version: 'v1', kind: 'Job' },
    resource: { group: 'batch.example.com', version: 'v1', resource: 'jobs' },
    name: 'nightly',
    namespace: 'default',
    operation: 'CREATE',
    userInfo: { username: 'jane', groups: ['system:authenticated'] },
    object: jobOf(),
    oldObject: null,
    dryRun: false,
    options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
    ...members,
  };
}

/** A review with this request. */
export function reviewWith(members: object = {}): object {
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: requestOf(members),
  };
}

/** An HTTP request without a socket. */
export function httpRequest(
  body: string | Iterable<Uint8Array>,
  { url = '/validate/jobs?timeout=10s', method = 'POST', headers = {} }: Partial<Sent> = {},
): WebhookHttpRequest {
  const chunks = typeof body === 'string' ? [Buffer.from(body)] : body;
  const known = { 'content-type': 'application/json', ...headers };
  return Object.assign(Readable.from(chunks), { url, method, headers: known });
}

interface Sent {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends a review, and returns the response with its parsed body. */
export async function send(
  endpoints: WebhookEndpoints,
  review: unknown,
  sent: Partial<Sent> = {},
): Promise<WebhookHttpResponse & { response: Record<string, unknown> }> {
  const text = typeof review === 'string' ? review : JSON.stringify(review);
  const made = await endpoints.respond(httpRequest(text, sent));
  const { response = {} } =
    made.status === 200 ? (JSON.parse(made.body) as { response?: Record<string, unknown> }) : {};
  return { ...made, response };
}

/** The operations of the JSON patch of a response. */
export function patchOf(response: Readonly<Record<string, unknown>>): unknown {
  const { patch, patchType } = response;
  if (patchType !== 'JSONPatch' || typeof patch !== 'string') return undefined;
  return JSON.parse(Buffer.from(patch, 'base64').toString());
}
