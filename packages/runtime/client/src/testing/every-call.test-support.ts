import type { ServerResponse } from 'node:http';
import { builtin } from '@keelson/apimachinery';
import type { Client } from '../verbs/client.ts';
import { loadClientNode } from '../cluster/kubeconfig/client-node.ts';

/** A call of the client for the object `b` in a namespace. */
export type Run = (client: Client, namespace: string) => Promise<unknown>;

const { CoreV1Api } = await loadClientNode();

const operations = [{ op: 'add', path: '/data/a', value: '1' }] as const;
const data = { data: { a: '1' } };
const ConfigMap = builtin.ConfigMap;

function objectIn(namespace: string): { metadata: { namespace: string; name: string } } {
  return { metadata: nameIn(namespace) };
}

function nameIn(namespace: string): { namespace: string; name: string } {
  return { namespace, name: 'b' };
}

function rawPath(namespace: string): string {
  return `/api/v1/namespaces/${namespace}/configmaps/b`;
}

/** Every call that changes objects, by name. */
export const everyWrite: Readonly<Record<string, Run>> = {
  create: (client, namespace) => client.create(ConfigMap, objectIn(namespace)),
  'update without resourceVersion': (client, namespace) =>
    client.update(ConfigMap, objectIn(namespace)),
  'update with resourceVersion': (client, namespace) =>
    client.update(ConfigMap, { metadata: { ...nameIn(namespace), resourceVersion: '1' } }),
  'JSON patch': (client, namespace) =>
    client.patch(ConfigMap, nameIn(namespace), { type: 'json', body: operations }),
  'merge patch': (client, namespace) =>
    client.patch(ConfigMap, nameIn(namespace), { type: 'merge', body: data }),
  'strategic patch': (client, namespace) =>
    client.patch(ConfigMap, nameIn(namespace), { type: 'strategic', body: data }),
  apply: (client, namespace) => client.apply(ConfigMap, objectIn(namespace)),
  'status update': (client, namespace) => client.status(builtin.Pod).update(objectIn(namespace)),
  'subresource create': (client, namespace) =>
    client.subresource(builtin.Pod, 'eviction').create(nameIn(namespace), {}),
  delete: (client, namespace) => client.delete(ConfigMap, nameIn(namespace)),
  'delete of one uid': (client, namespace) =>
    client.delete(ConfigMap, nameIn(namespace), { preconditions: { uid: 'u' } }),
  deleteCollection: (client, namespace) => client.deleteCollection(ConfigMap, { namespace }),
  'raw POST': (client, namespace) =>
    client.request({ method: 'POST', path: rawPath(namespace), body: {} }),
  'raw PUT': (client, namespace) =>
    client.request({ method: 'PUT', path: rawPath(namespace), body: {} }),
  'raw DELETE': (client, namespace) =>
    client.request({ method: 'DELETE', path: rawPath(namespace) }),
  'typed create': async (client, namespace) =>
    (await client.apiClient(CoreV1Api)).createNamespacedConfigMap({
      namespace,
      body: objectIn(namespace),
    }),
  'typed delete': async (client, namespace) =>
    (await client.apiClient(CoreV1Api)).deleteNamespacedConfigMap(nameIn(namespace)),
  'typed deleteCollection': async (client, namespace) =>
    (await client.apiClient(CoreV1Api)).deleteCollectionNamespacedConfigMap({ namespace }),
};

/** Every call that reads objects, by name. */
export const everyRead: Readonly<Record<string, Run>> = {
  get: (client, namespace) => client.get(ConfigMap, nameIn(namespace)),
  list: (client, namespace) => client.list(ConfigMap, { namespace }),
  items: (client, namespace) => client.items(ConfigMap, { namespace }).next(),
  watch: (client, namespace) => client.watch(ConfigMap, { namespace }).next(),
  'raw GET': (client, namespace) => client.request({ path: rawPath(namespace) }),
  'typed get': async (client, namespace) =>
    (await client.apiClient(CoreV1Api)).readNamespacedConfigMap(nameIn(namespace)),
};

/** Responds to a call of `everyWrite` or `everyRead` as an API server does. */
export function succeed(
  { method, url }: { readonly method: string; readonly url: URL },
  response: ServerResponse,
): void {
  const { pathname } = url;
  const object = objectIn('a');
  const event = { type: 'ADDED', object };
  response.writeHead(200, { 'content-type': 'application/json' });
  if (url.searchParams.has('watch')) response.end(`${JSON.stringify(event)}\n`);
  else if (method === 'POST' || !pathname.endsWith('/configmaps'))
    response.end(JSON.stringify(object));
  else response.end(JSON.stringify({ kind: 'ConfigMapList', items: [object] }));
}
