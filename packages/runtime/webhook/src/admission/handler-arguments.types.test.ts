import { expect, test } from '@jest/globals';
import { builtin, type KubernetesObject, type ObjectOf } from '@keelson/apimachinery';
import { deny, type WebhookEndpoints } from '../index.ts';
import { Job } from '../testing/reviews.test-support.ts';

type Pod = ObjectOf<typeof builtin.Pod>;
const { ConfigMap, Pod } = builtin;

/** Never called. The test is that this function compiles and that the marked lines do not. */
export function declarations(endpoints: WebhookEndpoints): void {
  endpoints.add({
    name: 'create',
    resource: Job,
    operations: ['CREATE'],
    validate({ object, oldObject, operation }) {
      const text: string = object.spec.schedule;
      const only: 'CREATE' = operation;
      const none: undefined = oldObject;
      // @ts-expect-error the object of validate is read-only
      object.spec.schedule = 'x';
      return object.spec.limit === 0 ? deny(`${text} ${only} ${none}`) : undefined;
    },
  });
  endpoints.add({
    name: 'delete',
    resource: Job,
    operations: ['DELETE'],
    validate({ object, oldObject }) {
      const none: undefined = object;
      const uid: string = oldObject.metadata.uid;
      return deny(`${uid} ${none}`);
    },
  });
  endpoints.add({
    name: 'default-operations',
    resource: Job,
    validate(review) {
      const schedule: string = review.object.spec.schedule;
      // @ts-expect-error CREATE has no oldObject
      const before: string = review.oldObject.spec.schedule;
      if (review.operation === 'UPDATE') deny(review.oldObject.spec.schedule);
      // @ts-expect-error DELETE is not among the operations
      if (review.operation === 'DELETE') return undefined;
      return deny(schedule + before);
    },
  });
  endpoints.add({
    name: 'draft',
    resource: Job,
    mutate({ object, original, oldObject }) {
      object.spec.limit = 3;
      // @ts-expect-error the original is read-only
      original.spec.limit = 3;
      // @ts-expect-error the old object is read-only
      if (oldObject !== undefined) oldObject.spec.limit = 3;
    },
  });
  endpoints.add({
    name: 'returned',
    resource: Job,
    mutate: ({ original }) => ({ ...original, spec: { ...original.spec, limit: 3 } }),
  });
  endpoints.add({
    name: 'another-type',
    resource: Job,
    // @ts-expect-error the result has no schedule
    mutate: ({ original }) => ({ ...original, spec: { limit: 3 } }),
  });
  endpoints.add({
    name: 'several',
    resource: [Pod, ConfigMap],
    validate({ object }) {
      const either: Readonly<Record<string, unknown>> | undefined =
        'data' in object ? object.data : undefined;
      return deny(Object.keys(either ?? {}).join());
    },
  });
  endpoints.add({
    name: 'all',
    resource: '*',
    validate: ({ object }) => deny(object.kind ?? ''),
  });
  endpoints.add({
    name: 'status',
    resource: Job,
    subresource: 'status',
    validate: ({ object }) => deny(object.spec.schedule),
  });
  endpoints.add({
    name: 'eviction',
    resource: Pod,
    subresource: 'eviction',
    operations: ['CREATE'],
    validate({ object }) {
      const eviction: Readonly<Pick<KubernetesObject, 'kind'>> = object;
      // @ts-expect-error the object is an Eviction, not a Pod
      const { spec }: Pod = object;
      return deny(`${eviction.kind} ${spec === undefined}`);
    },
  });
  endpoints.add({
    name: 'kind',
    kind: { resource: Job, parse: (object) => object as Job },
    validate: ({ object }) => deny(object.spec.schedule),
  });
  endpoints.add({
    name: 'wrong-result',
    resource: Job,
    // @ts-expect-error a boolean is not a result
    validate: () => false,
  });
  endpoints.add({
    name: 'wrong-operation',
    resource: Job,
    // @ts-expect-error PATCH is an UPDATE
    operations: ['PATCH'],
    validate: () => undefined,
  });
}

test('the arguments of a handler have the objects of its operations', () => {
  expect(declarations).toBeInstanceOf(Function);
});
