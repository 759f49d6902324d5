import type {
  V1ControllerRevision,
  V1CustomResourceDefinition,
  V1Deployment,
  V1JSONSchemaProps,
  V1Lease,
  V1NetworkPolicy,
  V1ObjectMeta,
  V1Pod,
  V1ResourceRequirements,
  V1Secret,
  V1ServicePort,
} from '@kubernetes/client-node';
import { describe, expect, test } from '@jest/globals';

import type { ApiResource, ObjectOf } from './api-resource.ts';
import type { builtin } from './builtin.ts';
import type { DeepReadonly } from './deep-readonly.ts';
import type { KubernetesObject, ObjectMeta } from './kubernetes-object.ts';
import type { Wire } from './wire.ts';

type Equal<A, B> = IsAny<A> extends IsAny<B> ? ([A, B] extends [B, A] ? true : false) : false;
type IsAny<T> = 0 extends 1 & T ? true : false;
type Extends<A, B> = [A] extends [B] ? true : false;
type Not<Claim extends boolean> = Claim extends true ? false : true;

/** The type-checker checks the claim; at run time the call only separates the claims. */
function holds(claim: true): void {
  expect(claim).toBe(true);
}

type Spec<T extends { spec?: unknown }> = NonNullable<T['spec']>;
type Ingress = NonNullable<Spec<Wire<V1NetworkPolicy>>['ingress']>[number];
type Schema = Wire<V1JSONSchemaProps>;

describe('Wire', () => {
  test('dates are strings, required and optional ones', () => {
    holds(true satisfies Equal<Spec<Wire<V1Lease>>['renewTime'], string | undefined>);
    holds(true satisfies Equal<Wire<{ at: Date; list: Date[] }>, { at: string; list: string[] }>);
  });

  test('metadata is ObjectMeta', () => {
    holds(true satisfies Equal<Wire<V1ObjectMeta>, ObjectMeta>);
    holds(true satisfies Equal<Wire<V1Pod>['metadata'], ObjectMeta | undefined>);
    holds(
      true satisfies Equal<
        Spec<Wire<V1Deployment>>['template']['metadata'],
        ObjectMeta | undefined
      >,
    );
  });

  test('optional members stay optional and do not accept undefined', () => {
    holds(true satisfies Extends<{ apiVersion: 'v1' }, Wire<V1Pod>>);
    holds(true satisfies Not<Extends<{ apiVersion: undefined }, Wire<V1Pod>>>);
  });

  test('IntOrString, maps and enumerations keep their types', () => {
    holds(true satisfies Equal<Wire<V1ServicePort>['targetPort'], string | number | undefined>);
    holds(true satisfies Equal<Wire<V1Secret>['data'], { [key: string]: string } | undefined>);
    holds(true satisfies Equal<Wire<{ [_name: string]: Date }>, { [_name: string]: string }>);
  });

  test('quantities stay strings', () => {
    type Limits = NonNullable<Wire<V1ResourceRequirements>['limits']>;
    holds(true satisfies Equal<Limits, { [key: string]: string }>);
  });

  test('members that the generator types any are unknown', () => {
    holds(true satisfies Equal<Wire<V1ControllerRevision>['data'], unknown>);
    holds(true satisfies Equal<Wire<any>, unknown>);
  });

  test('renamed members have their original names', () => {
    holds(true satisfies Extends<'from', keyof Ingress>);
    holds(true satisfies Not<Extends<'_from', keyof Ingress>>);
    holds(
      true satisfies Extends<
        'default' | 'enum' | '$ref' | '$schema' | 'x-kubernetes-preserve-unknown-fields',
        keyof Schema
      >,
    );
    holds(true satisfies Not<Extends<'ref' | 'schema', keyof Schema>>);
    type Version = Spec<Wire<V1CustomResourceDefinition>>['versions'][number];
    holds(true satisfies Extends<'schema', keyof Version>);
  });

  test('every built-in kind is an object of the API', () => {
    type Objects = ObjectOf<(typeof builtin)[keyof typeof builtin]>;
    holds(true satisfies Extends<Objects, KubernetesObject>);
    holds(true satisfies Equal<ObjectOf<typeof builtin.Pod>, Wire<V1Pod>>);
    holds(true satisfies Extends<ApiResource<Wire<V1Pod>>, ApiResource>);
  });
});

describe('DeepReadonly', () => {
  test('applies to every level, also in lists and maps', () => {
    interface App {
      metadata: { labels?: Record<string, string>; finalizers?: string[] };
      spec: { ports: { port: number }[]; data: unknown };
    }
    function write(app: DeepReadonly<App>): void {
      // @ts-expect-error a member of a member is read-only
      app.metadata.labels = {};
      // @ts-expect-error an entry of a map is read-only
      if (app.metadata.labels !== undefined) app.metadata.labels['a'] = 'b';
      // @ts-expect-error a list has no push
      app.spec.ports.push({ port: 1 });
      // @ts-expect-error a member of an item is read-only
      for (const port of app.spec.ports) port.port = 1;
    }
    const app = { metadata: { labels: {} }, spec: { ports: [{ port: 2 }], data: null } };
    write(app);
    expect(app.spec.ports).toEqual([{ port: 1 }, { port: 1 }]);
  });

  test('accepts the object itself and read-only objects', () => {
    holds(true satisfies Extends<Wire<V1Pod>, DeepReadonly<Wire<V1Pod>>>);
    holds(true satisfies Equal<DeepReadonly<DeepReadonly<ObjectMeta>>, DeepReadonly<ObjectMeta>>);
    holds(true satisfies Equal<DeepReadonly<{ data: unknown }>, { readonly data: unknown }>);
  });

  test('cannot be passed to a function that modifies it', () => {
    holds(true satisfies Not<Extends<DeepReadonly<ObjectMeta>, ObjectMeta>>);
  });
});
