import { expect, test } from '@jest/globals';
import { defineResource, type ApiResource, type ObjectOf } from './api-resource.ts';
import { builtin } from './builtin.ts';
import type { DeepReadonly } from './deep-readonly.ts';
import type { ClusterScoped, ClusterScopedObject, KubernetesObject } from './kubernetes-object.ts';
import { mutableCopy } from './mutable-copy.ts';
import type { Persisted } from './persisted.ts';

interface WebApp extends KubernetesObject {
  spec?: { ports: number[] };
}
interface Tenant extends ClusterScopedObject {
  spec?: { quota: number };
}

const names = { group: 'a.b', version: 'v1', kind: 'A', plural: 'as' };

/** Never executed: the test is that the compiler accepts or rejects each line. */
export function wiring(
  app: Persisted<WebApp>,
  tenant: DeepReadonly<Persisted<Tenant>>,
  unknownKind: Persisted,
  generated: Persisted<ClusterScoped<WebApp>>,
): void {
  const texts: string[] = [
    app.metadata.name,
    app.metadata.uid,
    app.metadata.resourceVersion,
    app.metadata.creationTimestamp,
    app.metadata.namespace,
    tenant.metadata.name,
    unknownKind.metadata.uid,
  ];
  const absent: undefined[] = [tenant.metadata.namespace, generated.metadata.namespace];
  const either: string | undefined = unknownKind.metadata.namespace;
  const plain: WebApp = app;
  const unscoped: KubernetesObject[] = [app, unknownKind];
  app.metadata.labels = { a: texts.join() };
  // @ts-expect-error -- a cluster-scoped object has no namespace
  void tenant.metadata.namespace.length;
  // @ts-expect-error -- the scope of the kind is unknown
  void unknownKind.metadata.namespace.length;
  // @ts-expect-error -- an object that was not read from the API may lack metadata
  void plain.metadata.name.length;
  // @ts-expect-error -- the generation is not set for every kind
  app.metadata.generation.toFixed();
  // @ts-expect-error -- a deeply read-only object
  tenant.spec!.quota = 3;

  const copy = mutableCopy(tenant);
  copy.spec = { quota: 3 };
  const persisted: Persisted<Tenant> = copy;
  // @ts-expect-error -- the kind has no such member
  copy.status = { absent, either, unscoped, persisted };

  const tenants: ApiResource<Tenant> = defineResource<Tenant>({ ...names, scope: 'Cluster' });
  const generic: ApiResource[] = [
    tenants,
    defineResource<WebApp>(names),
    builtin.Node,
    builtin.Pod,
  ];
  defineResource({ ...names, scope: generic.length > 0 ? 'Cluster' : 'Namespaced' });
  // @ts-expect-error -- the type of a cluster-scoped kind extends ClusterScopedObject
  defineResource<WebApp>({ ...names, scope: 'Cluster' });
  // @ts-expect-error -- the token of a cluster-scoped type has its scope
  defineResource<Tenant>(names);
  // @ts-expect-error -- a scope is a word of the API
  defineResource<WebApp>({ ...names, scope: 'Global' });
}

/** The built-in kinds whose type is cluster-scoped. The compiler refuses a missing and an additional name. */
const clusterScoped: {
  readonly [
    Name in keyof typeof builtin as ObjectOf<(typeof builtin)[Name]> extends ClusterScopedObject
      ? Name
      : never
  ]: true;
} = {
  CSIDriver: true,
  CSINode: true,
  ClusterRole: true,
  ClusterRoleBinding: true,
  ComponentStatus: true,
  CustomResourceDefinition: true,
  IPAddress: true,
  IngressClass: true,
  MutatingAdmissionPolicy: true,
  MutatingAdmissionPolicyBinding: true,
  MutatingWebhookConfiguration: true,
  Namespace: true,
  Node: true,
  PersistentVolume: true,
  SelfSubjectAccessReview: true,
  SelfSubjectReview: true,
  SelfSubjectRulesReview: true,
  ServiceCIDR: true,
  StorageClass: true,
  SubjectAccessReview: true,
  TokenReview: true,
  ValidatingAdmissionPolicy: true,
  ValidatingAdmissionPolicyBinding: true,
  ValidatingWebhookConfiguration: true,
  VolumeAttachment: true,
  VolumeAttributesClass: true,
};

test('the type of a built-in kind is cluster-scoped exactly if the kind is', () => {
  expect(wiring).toBeInstanceOf(Function);
  const tokens = Object.entries(builtin).filter(([, token]) => !token.namespaced);
  expect(Object.keys(clusterScoped).toSorted()).toEqual(tokens.map(([name]) => name).toSorted());
});
