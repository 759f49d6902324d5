import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { issueCertificate } from '@keelson/x509';

type Json = Record<string, unknown>;

/** A review that a server sent. */
interface Review extends Json {
  readonly request: {
    readonly uid: string;
    readonly objects?: readonly Json[];
    readonly desiredAPIVersion?: string;
    readonly object?: Json | null;
    readonly oldObject?: Json | null;
  } & Json;
}

/** The responses of the webhooks by the first part of the path; the second part is an argument. */
const responses: Readonly<Record<string, (review: Review, argument: string) => Json>> = {
  allow: () => ({ allowed: true }),
  warn: () => ({ allowed: true, warnings: ['careful', 'very careful'] }),
  deny: () => ({
    allowed: false,
    status: { code: 403, reason: 'Forbidden', message: 'not today' },
  }),
  bare: () => ({ allowed: false }),
  reason: () => ({ allowed: false, status: { reason: 'NotToday', code: 200, status: 'Success' } }),
  details: () => ({
    allowed: false,
    status: {
      message: 'invalid',
      code: 422,
      details: { causes: [{ reason: 'FieldValueInvalid', message: 'too small', field: 'data.a' }] },
    },
  }),
  /** Denies with the argument, by which a session recognizes a change of the configuration. */
  revision: (_review, argument) => ({ allowed: false, status: { code: 403, message: argument } }),
  /** Denies with the whole request as the message, so that the reviews of two servers are compared. */
  echo: ({ request: { uid: _uid, ...request } }) => ({
    allowed: false,
    status: { message: JSON.stringify(sorted(request)) },
  }),
  patch: (_review, argument) => patch(JSON.parse(Buffer.from(argument, 'base64url').toString())),
  count: ({ request }) => {
    const { data = {} } = (request.object ?? {}) as { data?: { count?: string } };
    return patch([{ op: 'add', path: '/data/count', value: `${data.count ?? ''}x` }]);
  },
  uid: () => ({ uid: 'other', allowed: true }),
  untyped: () => ({ allowed: true, patch: 'W10=' }),
  unpatched: () => ({ allowed: true, patchType: 'JSONPatch' }),
  wrong: () => ({ allowed: 'yes' }),
  convert: ({ request }) => ({
    result: { status: 'Success' },
    convertedObjects: (request.objects ?? []).map((each) =>
      converted(each, request.desiredAPIVersion),
    ),
  }),
  unconverted: () => ({ result: { status: 'Failed', message: 'no idea' } }),
  fewer: () => ({ result: { status: 'Success' }, convertedObjects: [] }),
  renamed: ({ request }) => ({
    result: { status: 'Success' },
    convertedObjects: (request.objects ?? []).map((each) => ({
      ...converted(each, request.desiredAPIVersion),
      metadata: { name: 'other' },
    })),
  }),
  same: ({ request }) => ({
    result: { status: 'Success' },
    convertedObjects: request.objects ?? [],
  }),
};

/** Bodies that replace the review, with their status codes. */
const bodies: Readonly<Record<string, readonly [number, string, string]>> = {
  broken: [500, 'oops', 'text/plain'],
  missing: [404, '', 'text/plain'],
  empty: [200, '', 'application/json'],
  html: [200, '<html>', 'application/json'],
  absent: [
    200,
    '{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"}',
    'application/json',
  ],
  status: [
    503,
    '{"kind":"Status","apiVersion":"v1","status":"Failure","message":"later","code":503}',
    'application/json',
  ],
};

function patch(operations: unknown): Json {
  const text = Buffer.from(JSON.stringify(operations)).toString('base64');
  return { allowed: true, patchType: 'JSONPatch', patch: text };
}

/** `size` of v1 is `dimensions.size` of v2. */
function converted(object: Json, apiVersion = ''): Json {
  const spec = (object['spec'] ?? {}) as { size?: number; dimensions?: { size?: number } };
  const { size = spec.dimensions?.size } = spec;
  return {
    ...object,
    apiVersion,
    spec: apiVersion.endsWith('v2') ? { dimensions: { size } } : { size },
  };
}

/** A copy with the members in alphabetical order, without the owners of fields and the credentials of users. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(
    ([name]) => name !== 'managedFields' && name !== 'extra',
  );
  return Object.fromEntries(
    entries
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, inner]) => [name, sorted(inner)]),
  );
}

/** The webhooks of the conversation: an HTTPS server that both API servers call. */
export class WebhookEndpoint implements AsyncDisposable {
  readonly #server: Server;
  readonly #certificate: string;

  private constructor(server: Server, certificate: string) {
    this.#server = server;
    this.#certificate = certificate;
  }

  static async start(): Promise<WebhookEndpoint> {
    const now = Date.now();
    const { cert, key } = await issueCertificate({
      commonName: 'webhooks',
      hosts: ['127.0.0.1'],
      notBefore: now - 3_600_000,
      notAfter: now + 86_400_000,
    });
    const server = createServer({ cert, key }, (incoming, response) => {
      void respond(incoming, response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new WebhookEndpoint(server, cert);
  }

  /** The variables of the steps. */
  get variables(): Readonly<Record<string, string>> {
    const { port } = this.#server.address() as AddressInfo;
    return {
      hooks: `https://127.0.0.1:${port}`,
      ca: Buffer.from(this.#certificate).toString('base64'),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

async function respond(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const [code, body, type] = await answer(incoming);
  response.writeHead(code, { 'content-type': type });
  response.end(body);
}

async function answer(incoming: IncomingMessage): Promise<readonly [number, string, string]> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const [, name = '', argument = ''] = (incoming.url ?? '').split(/[/?]/);
  const fixed = bodies[name];
  if (fixed !== undefined) return fixed;
  const review = JSON.parse(Buffer.concat(chunks).toString()) as Review;
  const { request, ...head } = review;
  const response = { uid: request.uid, ...responses[name]?.(review, argument) };
  return [200, JSON.stringify({ ...head, response }), 'application/json'];
}
