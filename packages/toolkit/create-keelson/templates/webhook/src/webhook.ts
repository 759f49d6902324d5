import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Runnable } from '@keelson/manager';
import { selfSignedCertificate } from '@keelson/manager/servers';
import type { Website } from './website.ts';

/** The part of an AdmissionReview v1 that the webhook reads. DELETE requests have no object. */
interface AdmissionReview {
  readonly request: { readonly uid: string; readonly object: Website | null };
}

export interface WebhookOptions {
  readonly port: number;
  /** The folder with `tls.crt` and `tls.key`. Without it the certificate is self-signed. */
  readonly certificates: string;
  readonly onListening?: (port: number) => void;
}

/** The API server sends an object and its former state, of at most 1.5 MiB each. */
const MAX_BYTES = 4 * 1024 * 1024;
/** cert-manager renews a certificate, and the kubelet then replaces its files. */
const READ_INTERVAL_MS = 60_000;

/** Returns why an object is refused; `undefined` accepts it. */
function refusal({ spec }: Website): string | undefined {
  return spec.message === spec.message.trim()
    ? undefined
    : 'spec.message must not begin or end with a space';
}

/** Serves the validating webhook in every replica, at POST /validate. */
export function webhookServer(options: WebhookOptions): Runnable {
  return {
    name: 'webhook',
    phase: 'servers',
    async run({ log, signal }) {
      const { certificates } = options;
      if (!existsSync(certificates))
        log.warn({ certificates }, 'self-signed: no certificate found');
      const server = createServer(await certificate(options), (request, response) => {
        respond(request, response).catch((error: unknown) => {
          log.error({ err: error }, 'admission review failed');
          response.writeHead(400, { connection: 'close' }).end();
        });
      });
      server.requestTimeout = 10_000;
      const reload = setInterval(() => {
        certificate(options).then(
          (pair) => server.setSecureContext(pair),
          (error: unknown) => log.error({ err: error }, 'certificate not reloaded'),
        );
      }, READ_INTERVAL_MS);
      try {
        await once(server.listen(options.port), 'listening', { signal });
        options.onListening?.((server.address() as AddressInfo).port);
        if (!signal.aborted) await once(signal, 'abort');
      } finally {
        clearInterval(reload);
        server.close();
        server.closeIdleConnections();
      }
    },
  };
}

async function certificate({ certificates }: WebhookOptions) {
  if (!existsSync(certificates)) return selfSignedCertificate();
  const [cert, key] = await Promise.all(
    ['tls.crt', 'tls.key'].map((name) => readFile(`${certificates}/${name}`, 'utf8')),
  );
  return { cert, key };
}

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== 'POST' || request.url?.split('?')[0] !== '/validate') {
    response.writeHead(404).end();
    return;
  }
  const { request: review } = JSON.parse(await textOf(request)) as AdmissionReview;
  const message = review.object === null ? undefined : refusal(review.object);
  const result =
    message === undefined ? { allowed: true } : { allowed: false, status: { code: 422, message } };
  const body = {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: { uid: review.uid, ...result },
  };
  response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new Error('the review is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
