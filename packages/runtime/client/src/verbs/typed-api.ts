import type {
  BaseServerConfiguration,
  RequestContext,
  ResponseContext,
} from '@kubernetes/client-node';
// The type comes from an inner module, because the declarations of the main module import `ws`, whose types client-node
// does not install.
import type { Configuration } from '@kubernetes/client-node/dist/gen/configuration.js';
import { StatusError } from '@keelson/apimachinery';
import type { Caller } from './calls/caller.ts';
import { checkEndpoint } from './check-path.ts';
import { ClientError } from '../errors.ts';
import { loadClientNode } from '../cluster/kubeconfig/client-node.ts';
import { verbOfMethod } from '../http/observer.ts';
import type { TransportRequest } from '../http/transport-request.ts';

/** One of client-node's API classes: `CoreV1Api`, `AppsV1Api`, `CustomObjectsApi`, … */
export type ApiConstructor<Api> = new (configuration: Configuration) => Api;

/**
 * Creates an API of client-node that uses the client's pools, credentials, retries, write guard and
 * observer.
 */
export async function createTypedApi<Api>(
  caller: Caller,
  constructor: ApiConstructor<Api>,
): Promise<Api> {
  const { createConfiguration, RequestContext, ResponseContext, wrapHttpLibrary } =
    await loadClientNode();
  // A placeholder: the transport adds the server's address and prefix, and the cluster may not be loaded yet.
  const baseServer: BaseServerConfiguration = {
    makeRequestContext(endpoint, method) {
      checkEndpoint(endpoint);
      return new RequestContext(placeholder + endpoint, method);
    },
  };
  const httpApi = wrapHttpLibrary({
    send: (request) => send(caller, request, ResponseContext),
  });
  return new constructor(createConfiguration({ baseServer, httpApi }));
}

const placeholder = 'http://cluster';

async function send(
  caller: Caller,
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
    return await caller.send(request, async (response) =>
      responseOf(Response, response.statusCode, flat(response.headers), await response.bytes()),
    );
  } catch (error) {
    // For error responses, client-node throws an error class of its own, which its users expect.
    const failure = error instanceof ClientError ? error.cause : error;
    if (!(failure instanceof StatusError)) throw error;
    const { status, statusCode } = failure;
    const body = Buffer.from(JSON.stringify(status));
    return responseOf(Response, statusCode, { 'content-type': 'application/json' }, body);
  }
}

function responseOf(
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
  throw new ClientError('UNSUPPORTED_BODY', { expected: 'JSON or a string' });
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
