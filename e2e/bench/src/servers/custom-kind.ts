import { defineResource, type ApiResource, type KubernetesObject } from '@keelson/apimachinery';

const GROUP = 'bench.example.com';
const APPS = 20;

/** An object of 1.2 KB, of the custom kind with this number. */
export interface Thing extends KubernetesObject {
  readonly spec: { readonly filler: string; readonly revision: number };
}

/** Returns one of the custom kinds of a server. */
export function customKind(n: number): ApiResource<Thing> {
  return defineResource<Thing>({
    group: GROUP,
    version: 'v1',
    kind: `Thing${n}`,
    plural: `thing${n}s`,
  });
}

export function definitionOf(n: number): KubernetesObject {
  const { plural, kind } = customKind(n);
  const schema = {
    openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  };
  const spec = {
    group: GROUP,
    names: { plural, kind, singular: kind.toLowerCase(), listKind: `${kind}List` },
    scope: 'Namespaced',
    versions: [{ name: 'v1', served: true, storage: true, schema }],
  };
  const metadata = { name: `${plural}.${GROUP}` };
  const apiVersion = 'apiextensions.k8s.io/v1';
  return { apiVersion, kind: 'CustomResourceDefinition', metadata, spec } as KubernetesObject;
}

/** Returns an object of a kind. A selector `app=app-0` selects one object of twenty. */
export function thingOf(kind: number, n: number): Thing {
  return {
    apiVersion: `${GROUP}/v1`,
    kind: `Thing${kind}`,
    metadata: { name: `thing-${n}`, namespace: 'default', labels: { app: `app-${n % APPS}` } },
    spec: { filler: 'x'.repeat(800), revision: 0 },
  };
}

/** An object of the second kind with the name of its controller, an object of the first kind. */
export function childOf(owner: Thing, n: number): Thing {
  const child = thingOf(1, n);
  const { apiVersion, kind } = thingOf(0, n);
  const { name = '', uid = '' } = owner.metadata ?? {};
  const ownerReferences = [{ apiVersion, kind, name, uid, controller: true }];
  return { ...child, metadata: { ...child.metadata, name, ownerReferences } } as Thing;
}
