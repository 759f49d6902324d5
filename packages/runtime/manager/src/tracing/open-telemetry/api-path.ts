/** The parts of a path of the Kubernetes API that a span names. */
export interface ApiPath {
  /** The path with parameters, so that spans of one sort have one name; `undefined` for a path of no resource. */
  readonly template: string | undefined;
  readonly namespace: string | undefined;
}

/** The subresources of a Namespace, which else look like resources in it. */
const namespaceSubresources: ReadonlySet<string> = new Set(['status', 'finalize']);

/** Reads a path such as `/apis/apps/v1/namespaces/shop/deployments/web/scale`. */
export function apiPathOf(path: string): ApiPath {
  const [root, ...parts] = path.split('/').slice(1);
  const depth = root === 'api' ? 1 : root === 'apis' ? 2 : undefined;
  const rest = depth === undefined ? [] : parts.slice(depth);
  const [plural, name, ...more] = rest;
  if (depth === undefined || plural === undefined)
    return { template: undefined, namespace: undefined };
  const start = `/${[root, ...parts.slice(0, depth)].join('/')}`;
  if (plural !== 'namespaces' || name === undefined) {
    return { template: start + templateOf(rest), namespace: undefined };
  }
  const [first] = more;
  const namespace = decoded(name);
  if (first === undefined || namespaceSubresources.has(first)) {
    return { template: start + templateOf(rest), namespace };
  }
  return { template: `${start}/namespaces/{namespace}${templateOf(more)}`, namespace };
}

/** `['deployments', 'web', 'scale']` → `/deployments/{name}/scale` */
function templateOf([plural, name, ...subresource]: readonly string[]): string {
  const parts = [plural, ...(name === undefined ? [] : ['{name}']), ...subresource.slice(0, 1)];
  // The rest of the path of a proxy names no resource.
  return `/${parts.join('/')}`;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
