import type { KubernetesObject } from '@keelson/apimachinery';
import type { ServerCluster } from '@keelson/apiserver';
import { createClient, type Client } from '@keelson/client';
import { loadAll, Schema, timestampTag, YAML11_SCHEMA } from 'js-yaml';
import type { Project } from '../project/project.ts';
import { readCustomKind } from '../types/definition/custom-kind.ts';
import type { OperatorSources } from './operator/operator-sources.ts';
import type { GeneratedFile } from '../output/output-folder.ts';

/** A project as `readProject` returns it. */
export function projectWith(changes: Partial<Project> = {}): Project {
  return {
    folder: '/project',
    name: '@me/website-operator',
    version: '1.2.0',
    kinds: ['src/website.ts'],
    policies: [],
    crds: 'config/crd',
    roles: 'config/role.yaml',
    dashboards: 'config/dashboards',
    main: 'src/main.ts',
    image: 'ghcr.io/me/website-operator:1.2.0',
    namespace: 'websites',
    watchNamespaces: [],
    metricsPort: 8443,
    healthPort: 8081,
    ...changes,
  };
}

/** The same project with a webhook. */
export const webhookProject: Project = projectWith({ webhook: { port: 9443, path: '/validate' } });

/** A definition of a namespaced kind that accepts every field. */
export function definitionOf(plural: string, group: string, kind: string): KubernetesObject {
  const schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: { group, scope: 'Namespaced', names: { plural, kind }, versions: [version] },
  } as KubernetesObject;
}

/** The definitions that objects of Prometheus Operator and of cert-manager need. */
export const foreignDefinitions: readonly KubernetesObject[] = [
  definitionOf('servicemonitors', 'monitoring.coreos.com', 'ServiceMonitor'),
  definitionOf('prometheusrules', 'monitoring.coreos.com', 'PrometheusRule'),
  definitionOf('issuers', 'cert-manager.io', 'Issuer'),
  definitionOf('certificates', 'cert-manager.io', 'Certificate'),
];

/** One definition and one ClusterRole, and what a test changes. */
export function sourcesWith(changes: Partial<OperatorSources['roles']> = {}): OperatorSources {
  const object = definitionOf('websites', 'web.example.com', 'Website') as Readonly<
    Record<string, unknown>
  >;
  const rules = [{ apiGroups: ['web.example.com'], resources: ['websites'], verbs: ['get'] }];
  const role = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'website-operator' },
    rules,
  };
  return {
    definitions: [{ object, kind: readCustomKind(object) }],
    roles: { clusterRoles: [role], roles: [], ...changes },
  };
}

/** Parses YAML as kubectl does. */
export function objectsIn(texts: Iterable<string>): readonly KubernetesObject[] {
  const schema = new Schema(YAML11_SCHEMA.tags.filter((tag) => tag !== timestampTag));
  return [...texts].flatMap((text) => loadAll(text, { schema })) as KubernetesObject[];
}

/** Returns the objects of the Kustomize base, and those of the folders with these endings. */
export function kustomizeObjects(
  files: readonly GeneratedFile[],
  ...folders: readonly string[]
): readonly KubernetesObject[] {
  const wanted = ['kustomize/base/', ...folders.map((folder) => `kustomize/${folder}/`)];
  const texts = files.filter(
    ({ path }) =>
      wanted.some((folder) => path.startsWith(folder)) && !path.endsWith('kustomization.yaml'),
  );
  return objectsIn(texts.map(({ text }) => text));
}

/** Returns the one object of a kind. */
export function objectOf(
  objects: readonly KubernetesObject[],
  kind: string,
  name?: string,
): KubernetesObject {
  const found = objects.filter(
    (one) => one.kind === kind && (name ?? one.metadata?.name) === one.metadata?.name,
  );
  const [object] = found;
  if (object === undefined || found.length > 1) throw new Error(`${found.length} of kind ${kind}`);
  return object;
}

/** Applies objects in their order, first as a dry run; unknown fields are errors. */
export async function applyAll(
  client: Client,
  objects: readonly KubernetesObject[],
): Promise<void> {
  for (const object of objects) {
    const { apiVersion = '', kind = '' } = object;
    const [version = '', group = ''] = apiVersion.split('/').toReversed();
    const resource = await client.discovery.find({ group, version, kind });
    if (resource === undefined) throw new Error(`the server does not serve ${apiVersion} ${kind}`);
    const options = { fieldValidation: 'Strict' } as const;
    await client.apply(resource, object, { ...options, dryRun: true });
    await client.apply(resource, object, options);
  }
}

/** Applies objects to a server in memory; the kinds of definitions are served before the next object. */
export async function applyTo(
  server: { readonly cluster: ServerCluster; idle(): Promise<void> },
  objects: readonly KubernetesObject[],
): Promise<void> {
  await using client = createClient({ cluster: server.cluster, fieldManager: 'test' });
  for (const object of objects) {
    await applyAll(client, [object]);
    if (object.kind !== 'CustomResourceDefinition') continue;
    await server.idle();
    client.discovery.invalidate();
  }
}
