import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { json } from 'node:stream/consumers';
import type { ApiResource, Manager } from '@keelson/manager';

/** The response of a webhook. */
export interface Reviewed {
  readonly allowed: boolean;
  /** Why the webhook denied the request. */
  readonly status?: {
    readonly code: number;
    readonly reason?: string;
    readonly message: string;
    readonly details?: { readonly causes?: readonly { readonly field?: string }[] };
  };
  readonly warnings?: readonly string[];
  /** The operations of the JSON patch. */
  readonly patch?: readonly object[];
}

/** Sends a review to a webhook of a running manager, as the API server does. */
export async function reviewBy(
  manager: Manager,
  path: string,
  { group, version, kind, plural: resource }: ApiResource,
  members: object,
): Promise<Reviewed> {
  const { webhook: port } = manager.ports;
  const headers = { 'content-type': 'application/json' };
  // The certificate is self-signed.
  const tls = { rejectUnauthorized: false, agent: false } as const;
  const sent = httpsRequest({ host: '127.0.0.1', port, path, method: 'POST', headers, ...tls });
  const request = {
    uid: 'review',
    kind: { group, version, kind },
    resource: { group, version, resource },
    operation: 'CREATE',
    userInfo: { username: 'tester' },
    ...members,
  };
  const body = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request };
  sent.end(JSON.stringify(body));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) {
    response.resume();
    throw new Error(`the webhook responded with ${response.statusCode}`);
  }
  const { response: reviewed } = (await json(response)) as { response: ReviewResponse };
  const { patch, ...rest } = reviewed;
  if (patch === undefined) return rest;
  const operations = JSON.parse(Buffer.from(patch, 'base64').toString()) as object[];
  return { ...rest, patch: operations };
}

interface ReviewResponse extends Omit<Reviewed, 'patch'> {
  readonly patch?: string;
}
