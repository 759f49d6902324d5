import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { selfSignedCertificate } from '../http/self-signed-certificate.ts';
import type { Json } from '../server/raw-client.test-support.ts';

/** Answers a review: returns the response without its uid, or a whole body with a status code. */
export type ReviewHandler = (request: Json, path: string) => Json;

/** A body that replaces the review in a response. */
export class RawAnswer {
  readonly code: number;
  readonly body: string;
  readonly contentType: string;

  constructor(code: number, body: unknown, contentType = 'application/json') {
    this.code = code;
    this.body = typeof body === 'string' ? body : JSON.stringify(body);
    this.contentType = contentType;
  }
}

/** A received review. */
export interface ReceivedReview {
  readonly path: string;
  readonly review: Json;
  readonly request: Json;
}

/** An HTTPS server that responds to AdmissionReviews and ConversionReviews, and records them. */
export class WebhookServer implements AsyncDisposable {
  readonly received: ReceivedReview[] = [];
  /** The certificate in the form of `caBundle`. */
  readonly caBundle: string;
  readonly #server: Server;
  handler: ReviewHandler;

  private constructor(handler: ReviewHandler, certificate: { cert: string; key: string }) {
    this.handler = handler;
    this.caBundle = Buffer.from(certificate.cert).toString('base64');
    this.#server = createServer(certificate, async (incoming, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
      const review = JSON.parse(Buffer.concat(chunks).toString());
      const path = incoming.url ?? '';
      this.received.push({ path, review, request: review.request });
      const answer = await this.handler(review.request, path);
      if (answer === undefined) return;
      const raw =
        answer instanceof RawAnswer
          ? answer
          : new RawAnswer(200, {
              ...review,
              request: undefined,
              response: { uid: review.request.uid, ...answer },
            });
      response.writeHead(raw.code, { 'content-type': raw.contentType });
      response.end(raw.body);
    });
  }

  static async start(
    handler: ReviewHandler = () => ({ allowed: true }),
    hosts: readonly string[] = ['127.0.0.1', 'hooks.default.svc'],
    address = '127.0.0.1',
  ): Promise<WebhookServer> {
    const made = new WebhookServer(handler, await selfSignedCertificate(hosts));
    made.#server.listen(0, address);
    await once(made.#server, 'listening');
    return made;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** `clientConfig` for a path of this server. */
  config(path = '/'): { url: string; caBundle: string } {
    const { address, port } = this.#server.address() as AddressInfo;
    const host = address.includes(':') ? `[${address}]` : address;
    return { url: `https://${host}:${port}${path}`, caBundle: this.caBundle };
  }

  /** The received requests of a path, without its query. */
  requests(path?: string): Json[] {
    return this.received
      .filter((each) => path === undefined || each.path.split('?', 1)[0] === path)
      .map(({ request }) => request);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

/** A webhook of a configuration for the tests. */
export function webhook(name: string, clientConfig: object, more: object = {}): Json {
  return {
    name: `${name}.example.com`,
    clientConfig,
    rules: [
      {
        apiGroups: ['*'],
        apiVersions: ['*'],
        operations: ['*'],
        resources: ['configmaps'],
      },
    ],
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    ...more,
  };
}

/** The response with a JSON patch. */
export function patchAnswer(...operations: object[]): Json {
  const patch = Buffer.from(JSON.stringify(operations)).toString('base64');
  return { allowed: true, patchType: 'JSONPatch', patch };
}
