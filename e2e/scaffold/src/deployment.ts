import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestEnvironment } from '@keelson/envtest';
import { builtin, createClient, type Client, type KubernetesObject } from '@keelson/manager';
import { loadAll } from 'js-yaml';

const foreignKinds: readonly (readonly [group: string, plural: string, kind: string])[] = [
  ['cert-manager.io', 'issuers', 'Issuer'],
  ['cert-manager.io', 'certificates', 'Certificate'],
];

interface TokenRequest extends KubernetesObject {
  spec: object;
  status?: { token: string };
}

/** Where a deployment limits the operator to namespaces. */
export interface DeployOptions {
  /** The namespaces of the component `watch-namespaces`. Default: the operator may work in all. */
  readonly namespaces?: readonly string[];
}

/**
 * Applies the Kustomize base of a project as an administrator, each object first as a server-side dry run. Resolves with
 * the text of a kubeconfig for the ServiceAccount of the operator, which has the permissions of the manifests only.
 */
export async function deploy(
  environment: TestEnvironment,
  folder: string,
  name: string,
  { namespaces = [] }: DeployOptions = {},
): Promise<string> {
  await environment.installCrds([join(folder, 'config/crd'), ...foreignKinds.map(definitionOf)]);
  await using client = createClient({ cluster: environment.admin.cluster });
  for (const namespace of namespaces) {
    await client.create(builtin.Namespace, { metadata: { name: namespace } });
  }
  const limited = namespaces.length > 0 ? objectsIn(join(folder, COMPONENT)) : [];
  for (const object of [...objectsOf(folder, namespaces), ...limited]) {
    await apply(client, object, { dryRun: true });
    await apply(client, object, {});
  }
  await removeWebhooks(client);
  return kubeconfigOf(environment, await tokenOf(client, name), name);
}

/** The component of Kustomize for a set of namespaces. */
const COMPONENT = 'deploy/kustomize/components/watch-namespaces';

function objectsIn(folder: string): readonly KubernetesObject[] {
  const files = globSync('**/*.yaml', { cwd: folder, exclude: ['kustomization.yaml'] });
  return files
    .toSorted()
    .flatMap((file) => loadAll(readFileSync(join(folder, file), 'utf8')) as KubernetesObject[]);
}

/** The objects of the base; those of a namespace come after it. The component removes the bindings in the cluster. */
function objectsOf(folder: string, namespaces: readonly string[]): readonly KubernetesObject[] {
  const base = objectsIn(join(folder, 'deploy/kustomize/base'));
  const component = join(folder, COMPONENT, 'kustomization.yaml');
  const removed = namespaces.length > 0 ? removedBindings(component) : new Set();
  const objects = base.filter(
    ({ kind, metadata }) => kind !== 'ClusterRoleBinding' || !removed.has(metadata?.name),
  );
  return [...objects.filter(isNamespace), ...objects.filter((object) => !isNamespace(object))];
}

interface Kustomization {
  readonly patches: readonly { readonly patch: string }[];
}

/** The names of the ClusterRoleBindings that a component deletes. */
function removedBindings(file: string): ReadonlySet<string | undefined> {
  const [{ patches }] = loadAll(readFileSync(file, 'utf8')) as [Kustomization];
  const objects = patches.flatMap(({ patch }) => loadAll(patch) as KubernetesObject[]);
  const removed = objects.filter((object) => '$patch' in object);
  return new Set(removed.map(({ metadata }) => metadata?.name));
}

function isNamespace({ kind }: KubernetesObject): boolean {
  return kind === 'Namespace';
}

async function apply(client: Client, object: KubernetesObject, options: object): Promise<void> {
  const { apiVersion = '', kind = '' } = object;
  const [version = '', group = ''] = apiVersion.split('/').toReversed();
  const resource = await client.discovery.find({ group, version, kind });
  if (resource === undefined) throw new Error(`the server does not serve ${apiVersion} ${kind}`);
  await client.apply(resource, object, {
    fieldManager: 'test',
    fieldValidation: 'Strict',
    ...options,
  });
}

/** No Pod serves the webhook of a project here, so that the API server would refuse every object of its kind. */
async function removeWebhooks(client: Client): Promise<void> {
  const { items } = await client.list(builtin.ValidatingWebhookConfiguration);
  for (const { metadata } of items) {
    await client.delete(builtin.ValidatingWebhookConfiguration, { name: metadata?.name ?? '' });
  }
}

async function tokenOf(client: Client, name: string): Promise<string> {
  const accounts = client.subresource<TokenRequest>(builtin.ServiceAccount, 'token');
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
  const { status } = await accounts.create({ name, namespace: name }, request);
  return status?.token ?? '';
}

function kubeconfigOf({ admin }: TestEnvironment, token: string, namespace: string): string {
  const { clusters } = JSON.parse(admin.kubeconfig) as { clusters: [{ name: string }] };
  const context = { cluster: clusters[0].name, user: 'operator', namespace };
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters,
    users: [{ name: 'operator', user: { token } }],
    contexts: [{ name: 'operator', context }],
    'current-context': 'operator',
  });
}

/** A definition that accepts every field, in place of the one of another project. */
function definitionOf([group, plural, kind]: (typeof foreignKinds)[number]): KubernetesObject {
  const schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: { group, scope: 'Namespaced', names: { plural, kind }, versions: [version] },
  } as KubernetesObject;
}
