import type { JsonObject } from '@keelson/structural-schema';
import type { AdmissionChain } from '../admission/admission-chain.ts';
import type { ResourceRequest } from '../http/api-request.ts';
import { isTrue } from '../http/request-info.ts';
import type { ResourceRegistry } from '../resources/resource-registry.ts';
import type { ServedResource } from '../resources/served-resource.ts';
import { badRequest, failure, notFound } from '../status-errors/status-errors.ts';
import type { ApiObject } from '../storage/api-object.ts';
import { keyOfMetadata } from '../storage/stored-object.ts';
import { admittedRequest } from '../verbs/writes/write-options.ts';
import type { SubresourceHandler } from './subresource-handler.ts';

export interface ConnectionContext {
  readonly registry: ResourceRegistry;
  readonly admission: AdmissionChain;
}

/** The object behind a connection, as far as the refusals depend on it. */
interface Target extends ApiObject {
  readonly spec?: {
    readonly nodeName?: string;
    readonly containers?: readonly { readonly name: string }[];
  };
  readonly status?: {
    readonly podIP?: string;
    readonly addresses?: readonly { readonly address: string }[];
  };
}

/** The port of a kubelet. */
const KUBELET_PORT = 10_250;

/**
 * Creates the handler of the connections `exec`, `attach`, `portforward` and `proxy`. Webhooks and policies review the
 * request with the operation CONNECT. Then it fails as in a kube-apiserver that reaches no kubelet and no pod.
 */
export function connectionHandler(context: ConnectionContext): SubresourceHandler {
  return async (request, resource) => {
    await admitConnection(context.admission, request, resource);
    const { name, namespace } = request.info;
    const key = keyOfMetadata({ ...(namespace !== '' && { namespace }), name: nameIn(name) });
    const stored = resource.store.get(key);
    if (stored === undefined) throw notFound(resource.subject(nameIn(name)));
    const target: Target = stored.parse();
    switch (resource.facts.plural) {
      case 'pods':
        throw podRefusal(context, request, resource, target);
      case 'services':
        throw failure(503, 'ServiceUnavailable', `no endpoints available for service "${name}"`);
      default:
        throw nodeRefusal(target);
    }
  };
}

/** The name in `SCHEME:NAME:PORT` or `NAME:PORT`, as the URL of a proxy may have it. */
function nameIn(text: string): string {
  const parts = text.split(':');
  return (parts.length === 3 ? parts[1] : parts[0]) ?? text;
}

async function admitConnection(
  admission: AdmissionChain,
  request: ResourceRequest,
  resource: ServedResource,
): Promise<void> {
  const options = optionsOf(request);
  if (!admission.isDynamic) return;
  const { subresource } = request.info;
  const { kind = '' } = resource.subresource(subresource) ?? {};
  const object: JsonObject = { kind, apiVersion: 'v1', ...options };
  await admission.admit({
    ...admittedRequest(request, {}),
    operation: 'CONNECT',
    resource,
    subresource,
    kind: { group: '', version: 'v1', kind },
    schema: undefined,
    object: object as ApiObject,
    oldObject: undefined,
    warnings: request.warnings,
  });
}

/** The options of a connection, which its URL has. Throws 400. */
function optionsOf({ info, query }: ResourceRequest): JsonObject {
  switch (info.subresource) {
    case 'portforward':
      return portOptions(query);
    case 'proxy':
      return proxyOptions(info);
    case 'exec':
      return { ...streamOptions(query), command: commandIn(query) };
    default:
      return streamOptions(query);
  }
}

function commandIn(query: URLSearchParams): string[] | null {
  const command = query.getAll('command');
  return command.length === 0 ? null : command;
}

function streamOptions(query: URLSearchParams): JsonObject {
  const streams = ['stdin', 'stdout', 'stderr', 'tty'].filter((name) => isTrue(query.get(name)));
  const container = query.get('container') ?? '';
  return {
    ...Object.fromEntries(streams.map((name) => [name, true])),
    ...(container !== '' && { container }),
  };
}

function portOptions(query: URLSearchParams): JsonObject {
  const ports = query.getAll('ports').flatMap((text) => text.split(','));
  const wrong = ports.find((port) => !/^\d+$/.test(port));
  if (wrong !== undefined) {
    const why = `strconv.ParseUint: parsing ${JSON.stringify(wrong)}: invalid syntax`;
    throw badRequest(`cannot convert to []int32: ${why}`);
  }
  return ports.length === 0 ? {} : { ports: ports.map(Number) };
}

/** The path of the process behind a proxy is what is below the URL of the proxy. */
function proxyOptions({ path, namespace }: ResourceRequest['info']): JsonObject {
  // Before it are the root, `api` and the version, the names of the object, and `proxy`.
  const below = decodeURIComponent(path)
    .split('/')
    .slice(namespace === '' ? 6 : 8);
  return below.length === 0 ? {} : { path: `/${below.join('/')}` };
}

function podRefusal(
  { registry }: ConnectionContext,
  { info, query, headers }: ResourceRequest,
  pods: ServedResource,
  { spec = {}, status = {} }: Target,
): Error {
  if (info.subresource === 'proxy') return addressRefusal(status.podIP);
  const { nodeName = '', containers = [] } = spec;
  const names = containers.map(({ name }) => name);
  const wrong =
    info.subresource === 'portforward' ? undefined : containerRefusal(query, info.name, names);
  if (wrong !== undefined) return badRequest(wrong);
  if (nodeName === '') return badRequest(`pod ${info.name} does not have a host assigned`);
  const nodes = registry.find({ group: '', version: 'v1', plural: 'nodes' });
  const node = nodes?.store.get(keyOfMetadata({ name: nodeName }));
  // As in kube-apiserver, the error names the kind of the request.
  if (node === undefined) return notFound(pods.subject(nodeName));
  const [first] = (node.parse() as Target).status?.addresses ?? [];
  if (first === undefined) return noAddress();
  if (headers.upgrade === undefined) return badRequest('Upgrade request required');
  return unreachable(500, '', `dialing backend: dial tcp ${first.address}:${KUBELET_PORT}`);
}

function containerRefusal(
  query: URLSearchParams,
  pod: string,
  names: readonly string[],
): string | undefined {
  const container = query.get('container') ?? '';
  if (container !== '') {
    return names.includes(container)
      ? undefined
      : `container ${container} is not valid for pod ${pod}`;
  }
  if (names.length < 2) return undefined;
  return `a container name must be specified for pod ${pod}, choose one of: [${names.join(' ')}]`;
}

/** The refusal of an address behind a proxy, which may not be one of this machine. */
function addressRefusal(address = ''): Error {
  if (address === '' || address.startsWith('127.')) return badRequest('address not allowed');
  return unreachable(503, 'ServiceUnavailable', `trying to reach service: dial tcp ${address}`);
}

function nodeRefusal({ status = {} }: Target): Error {
  const [first] = status.addresses ?? [];
  return first === undefined ? noAddress() : addressRefusal(first.address);
}

function noAddress(): Error {
  return failure(500, '', 'no preferred addresses found; known addresses: []');
}

function unreachable(code: number, reason: string, what: string): Error {
  return failure(code, reason, `error ${what}: connect: connection refused`);
}
