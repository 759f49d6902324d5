import { parseFieldSelector, parseLabelSelector } from '@keelson/apimachinery';

/** What a URL names, as kube-apiserver's `RequestInfo` has it. */
export type RequestInfo = ResourceRequestInfo | PathRequestInfo;

/** A request to a resource: below `/api/VERSION/` or `/apis/GROUP/VERSION/`. */
export interface ResourceRequestInfo {
  readonly type: 'resource';
  readonly path: string;
  /** `get` `list` `watch` `create` `update` `patch` `delete` `deletecollection`, or the method in lower case. */
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  /** `""`: cluster-scoped, or all namespaces. */
  readonly namespace: string;
  readonly resource: string;
  readonly name: string;
  /** Of a list or watch: the only name that its field selector matches, or `""`. Authorizers take it for the name. */
  readonly selectedName: string;
  /** `status`, `scale`, …; `""` for the object itself. */
  readonly subresource: string;
}

/** A request to anything else: discovery, health, version, OpenAPI. */
export interface PathRequestInfo {
  readonly type: 'path';
  readonly path: string;
  /** The method in lower case. */
  readonly verb: string;
}

/** Subresources of a namespace; any other word behind its name is a resource inside it. */
const namespaceSubresources: ReadonlySet<string> = new Set(['status', 'finalize']);

/** Reads method, path and query. `undefined` for a path whose escapes do not decode. */
export function parseRequestInfo(
  method: string,
  path: string,
  query: URLSearchParams,
): RequestInfo | undefined {
  const parts = decodedParts(path);
  if (parts === undefined) return undefined;
  const target = targetOf(inAllNamespaces(method, parts));
  if (target === undefined) return { type: 'path', path, verb: method.toLowerCase() };
  const { watches, ...names } = target;
  const verb = watches ? 'watch' : verbOf(method, target.name, query);
  const isRead = method === 'GET' || method === 'HEAD';
  const selectedName = isRead && !watches && names.name === '' ? selectedNameOf(query) : '';
  return { type: 'resource', path, verb, selectedName, ...names };
}

type Target = Omit<ResourceRequestInfo, 'type' | 'path' | 'verb' | 'selectedName'> & {
  /** The path itself asks for a watch, as it did before there was a query parameter for it. */
  readonly watches: boolean;
};

/** The parts between the slashes: an escaped slash separates like any other, and only the last may be one too many. */
function decodedParts(path: string): string[] | undefined {
  try {
    const decoded = decodeURIComponent(path).replace(/^\//, '').replace(/\/$/, '');
    return decoded === '' ? [] : decoded.split('/');
  } catch {
    return undefined;
  }
}

/** A read of a collection whose namespace is empty means those of all namespaces. */
function inAllNamespaces(method: string, parts: readonly string[]): readonly string[] {
  const [scope, namespace] = parts.slice(-3);
  const isEmpty = method === 'GET' && scope === 'namespaces' && namespace === '';
  return isEmpty ? [...parts.slice(0, -3), ...parts.slice(-1)] : parts;
}

function targetOf(parts: readonly string[]): Target | undefined {
  if (parts.includes('')) return undefined;
  const legacy = parts[0] === 'api';
  if (!legacy && parts[0] !== 'apis') return undefined;
  const [group = '', version, ...below] = legacy ? ['', ...parts.slice(1)] : parts.slice(1);
  const watches = below[0] === 'watch';
  const rest = watches ? below.slice(1) : below;
  if (version === undefined || rest.length === 0) return undefined;
  return { group, version, watches, ...locationOf(rest) };
}

function locationOf(
  rest: readonly string[],
): Pick<Target, 'namespace' | 'resource' | 'name' | 'subresource'> {
  const [first = '', second = '', third = ''] = rest;
  const namespaced = first === 'namespaces' && third !== '' && !namespaceSubresources.has(third);
  const namespace = namespaced || (first === 'namespaces' && second !== '') ? second : '';
  const [resource = '', name = '', ...deeper] = namespaced ? rest.slice(2) : rest;
  return { namespace, resource, name, subresource: deeper.join('/') };
}

function verbOf(method: string, name: string, query: URLSearchParams): string {
  const collection = name === '';
  switch (method) {
    case 'GET':
    case 'HEAD':
      if (!collection) return 'get';
      return isTrue(query.get('watch')) ? 'watch' : 'list';
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return collection ? 'deletecollection' : 'delete';
    default:
      return method.toLowerCase();
  }
}

/** A query of which any part does not parse selects no name, as in kube-apiserver. */
function selectedNameOf(query: URLSearchParams): string {
  const numbers = ['limit', 'timeoutSeconds'].map((name) => query.get(name) ?? '');
  if (numbers.some((text) => !/^([+-]?\d+)?$/.test(text))) return '';
  try {
    parseLabelSelector(query.get('labelSelector') ?? '');
    const fields = parseFieldSelector(query.get('fieldSelector') ?? '');
    const exact = fields.find(({ path, operator }) => path === 'metadata.name' && operator === '=');
    const name = exact?.value ?? '';
    return name === '.' || name === '..' || /[/%]/.test(name) ? '' : name;
  } catch {
    return '';
  }
}

/** A boolean of a query: given without a value it is true, as in Go's conversion of query parameters. */
export function isTrue(value: string | null): boolean {
  return value !== null && value.toLowerCase() !== 'false' && value !== '0';
}
