import type {
  BaseServerConfiguration,
  Configuration,
  RequestContext,
  ResponseContext,
} from '@kubernetes/client-node';
import { StatusError } from '@keelson/apimachinery';
import { checkEndpoint } from './endpoint.ts';
import { ClientError } from '../errors.ts';
import { loadClientNode } from '../cluster/kubeconfig/kubeconfig.ts';
import { verbOfMethod } from '../http/observer.ts';
import type { TransportRequest } from '../http/transport-request.ts';
import type { Transport } from '../http/transport.ts';

/** One of client-node's API classes: `CoreV1Api`, `AppsV1Api`, `CustomObjectsApi`, … */
export type ApiConstructor<Api> = new (configuration: Configuration) => Api;

/** An API of client-node that sends through our transport: its pools, credentials, retries and observer. */
export async function createTypedApi<Api>(
  transport: Transport,
  constructor: ApiConstructor<Api>,
): Promise<Api> {
  const { createConfiguration, RequestContext, ResponseContext, wrapHttpLibrary } =
    await loadClientNode();
  // The server's address is the transport's business: it knows the prefix, and the cluster may not be loaded yet.
  const baseServer: BaseServerConfiguration = {
    makeRequestContext(endpoint, method) {
      checkEndpoint(endpoint);
      return new RequestContext(placeholder + endpoint, method);
    },
  };
  const httpApi = wrapHttpLibrary({
    send: (request) => send(transport, request, ResponseContext),
  });
  return new constructor(createConfiguration({ baseServer, httpApi }));
}

const placeholder = 'http://cluster';

async function send(
  transport: Transport,
  context: RequestContext,
  Response: typeof ResponseContext,
): Promise<ResponseContext> {
  const { pathname, search } = new URL(context.getUrl());
  const method = context.getHttpMethod() as TransportRequest['method'];
  const request: TransportRequest = {
    verb: verbOfMethod[method],
    method,
    path: pathname,
    query: search,
    headers: context.getHeaders(),
    body: textOf(context.getBody()),
    signal: context.getSignal(),
  };
  try {
    return await transport.exchange(request, async (response) =>
      answer(Response, response.statusCode, flat(response.headers), await response.bytes()),
    );
  } catch (error) {
    // client-node has an error of its own for answers of the API; its users look for that.
    const refusal = error instanceof ClientError ? error.cause : error;
    if (!(refusal instanceof StatusError)) throw error;
    const { status, statusCode } = refusal;
    const body = Buffer.from(JSON.stringify(status));
    return answer(Response, statusCode, { 'content-type': 'application/json' }, body);
  }
}

function answer(
  Response: typeof ResponseContext,
  statusCode: number,
  headers: Record<string, string>,
  body: Buffer,
): ResponseContext {
  return new Response(statusCode, headers, {
    text: async () => body.toString('utf8'),
    binary: async () => body,
    stream: () => null,
  });
}

function textOf(body: ReturnType<RequestContext['getBody']>): string | undefined {
  if (body === undefined || typeof body === 'string') return body;
  if (body instanceof URLSearchParams) return body.toString();
  throw new ClientError('UNSUPPORTED_BODY', { expected: 'JSON or a text' });
}

function flat(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)]],
    ),
  );
}
