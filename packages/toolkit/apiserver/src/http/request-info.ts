import { parseFieldSelector, parseLabelSelector } from '@keelson/apimachinery';

/** The parsed URL and verb of a request, like `RequestInfo` of kube-apiserver. */
export type RequestInfo = ResourceRequestInfo | PathRequestInfo;

/** A request to a resource: below `/api/VERSION/` or `/apis/GROUP/VERSION/`. */
export interface ResourceRequestInfo {
  readonly type: 'resource';
  readonly path: string;
  /** `get` `list` `watch` `create` `update` `patch` `delete` `deletecollection`, or the method in lower case. */
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  /** `""` for a cluster-scoped resource or all namespaces. */
  readonly namespace: string;
  readonly resource: string;
  readonly name: string;
  /** The only name that the field selector of a list or watch matches, or `""`. Authorizers use it as the name. */
  readonly selectedName: string;
  /** `status`, `scale`, …; `""` for the object itself. */
  readonly subresource: string;
}

/** A request to a non-resource path: discovery, health, version, OpenAPI. */
export interface PathRequestInfo {
  readonly type: 'path';
  readonly path: string;
  /** The method in lower case. */
  readonly verb: string;
}

/** Subresources of a namespace; any other word after its name is a resource in the namespace. */
const namespaceSubresources: ReadonlySet<string> = new Set(['status', 'finalize']);

/** Parses method, path and query. Returns `undefined` for a path with an invalid escape. */
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
  /** True if the path has the deprecated prefix `watch`. */
  readonly watches: boolean;
};

/** The decoded parts of a path. An escaped slash also separates; one trailing slash is ignored. */
function decodedParts(path: string): string[] | undefined {
  try {
    const decoded = path.includes('%') ? decodeURIComponent(path) : path;
    const start = decoded.startsWith('/') ? 1 : 0;
    const parts = decoded.slice(start, decoded.endsWith('/') ? -1 : undefined);
    return parts === '' ? [] : parts.split('/');
  } catch {
    return undefined;
  }
}

/** Treats a read with an empty namespace as a read in all namespaces. */
function inAllNamespaces(method: string, parts: readonly string[]): readonly string[] {
  const isEmpty = method === 'GET' && parts.at(-3) === 'namespaces' && parts.at(-2) === '';
  return isEmpty ? [...parts.slice(0, -3), ...parts.slice(-1)] : parts;
}

function targetOf(parts: readonly string[]): Target | undefined {
  if (parts.includes('')) return undefined;
  const legacy = parts[0] === 'api';
  if (!legacy && parts[0] !== 'apis') return undefined;
  const group = legacy ? '' : parts[1];
  const at = legacy ? 1 : 2;
  const version = parts[at];
  const watches = parts[at + 1] === 'watch';
  const rest = parts.slice(at + (watches ? 2 : 1));
  if (group === undefined || version === undefined || rest.length === 0) return undefined;
  return { group, version, watches, ...locationOf(rest) };
}

function locationOf(
  rest: readonly string[],
): Pick<Target, 'namespace' | 'resource' | 'name' | 'subresource'> {
  const [first = '', second = '', third = ''] = rest;
  const namespaced = first === 'namespaces' && third !== '' && !namespaceSubresources.has(third);
  const namespace = namespaced || (first === 'namespaces' && second !== '') ? second : '';
  const at = namespaced ? 2 : 0;
  // The rest of the URL of a proxy is a path of the process behind it.
  const subresource = rest[at + 2] === 'proxy' ? 'proxy' : rest.slice(at + 2).join('/');
  return { namespace, resource: rest[at] ?? '', name: rest[at + 1] ?? '', subresource };
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

/** The selected name. A query with an invalid part selects no name, as in kube-apiserver. */
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

/** Parses a boolean query parameter; it is true without a value, as in Go. */
export function isTrue(value: string | null): boolean {
  return value !== null && value.toLowerCase() !== 'false' && value !== '0';
}
