import { randomBytes } from 'node:crypto';
import {
  defineResource,
  type ApiResource,
  type KubernetesObject,
  type ObjectOf,
  type builtin,
} from '@keelson/apimachinery';

/** An object of the custom kinds of the suite. */
export interface Widget extends KubernetesObject {
  spec?: { size?: number; colour?: string; [unknown: string]: unknown };
  status?: { ready?: number };
}

type Definition = ObjectOf<typeof builtin.CustomResourceDefinition>;

/** A custom kind in its own API group. */
export interface CustomKind {
  /** The `ApiResource` of a version; default `v1`. */
  resource(version?: string): ApiResource<Widget>;
  /** The CustomResourceDefinition with these versions served; the first is the storage version. */
  definition(...versions: string[]): Definition;
}

/** Creates a kind with a unique group. Does not install it. */
export function customKind(): CustomKind {
  const group = `e2e-${randomBytes(4).toString('hex')}.keelson.dev`;
  const names = { kind: 'Widget', plural: 'widgets', singular: 'widget' };
  return {
    resource: (version = 'v1') =>
      defineResource<Widget>({ group, version, kind: names.kind, plural: names.plural }),
    definition: (...versions) => ({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${names.plural}.${group}` },
      spec: { group, scope: 'Namespaced', names, versions: versions.map(versionOf) },
    }),
  };
}

function versionOf(name: string, index: number): Definition['spec']['versions'][number] {
  const colour = { type: 'string', enum: ['red', 'green'], default: 'green' };
  const size = { type: 'integer', minimum: 1 };
  const replicas = { specReplicasPath: '.spec.size', statusReplicasPath: '.status.ready' };
  return {
    name,
    served: true,
    storage: index === 0,
    subresources: { status: {}, scale: replicas },
    schema: {
      openAPIV3Schema: {
        type: 'object',
        properties: {
          spec: { type: 'object', properties: { size, colour } },
          status: { type: 'object', properties: { ready: { type: 'integer' } } },
        },
      },
    },
  };
}
