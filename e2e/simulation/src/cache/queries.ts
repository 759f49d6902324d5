import type { DeepReadonly, Persisted } from '@keelson/apimachinery';
import type { Indexer, NamedTransform, ObjectView, WatchQuery } from '@keelson/informer';
import { Part, Setting, Thing, type Item } from '../server/kind.ts';

/** Returns the value of the label `app`. */
export const appOf = ({ metadata }: ObjectView<Item>): readonly string[] =>
  metadata.labels?.['app'] === undefined ? [] : [metadata.labels['app']];

/** An index of the label `app`. */
export const byApp: Indexer<Item> = { name: 'app', head: appOf };

const byValue: Indexer<Item> = {
  name: 'value',
  body: ({ spec }) => [String((spec?.value ?? 0) % 3)],
};

/** A transform that changes the body and leaves the metadata. */
export const plus: NamedTransform<Item> = { name: 'plus', apply: transformed };

/** Returns an object as the transform changes it. */
export function transformed<T extends DeepReadonly<Persisted<Item>>>(object: T): T {
  const { spec } = object;
  return spec === undefined ? object : { ...object, spec: { ...spec, value: spec.value + 1_000 } };
}

/** Queries of which many cover others. */
export const queries: readonly WatchQuery<Item>[] = [
  { resource: Thing },
  { resource: Thing, namespace: 'n1' },
  { resource: Thing, namespace: 'n2' },
  { resource: Thing, labelSelector: 'app=x' },
  { resource: Thing, labelSelector: 'app in (x,y)' },
  { resource: Thing, labelSelector: 'app in (x)' },
  { resource: Thing, labelSelector: 'app' },
  { resource: Thing, labelSelector: '!app' },
  { resource: Thing, labelSelector: 'app!=x' },
  { resource: Thing, labelSelector: 'app=x', namespace: 'n1' },
  { resource: Thing, fieldSelector: 'metadata.name=a' },
  { resource: Thing, fieldSelector: 'metadata.name=a', namespace: 'n1' },
  { resource: Thing, fieldSelector: 'metadata.namespace=n1' },
  { resource: Thing, projection: 'metadata' },
  { resource: Thing, projection: 'metadata', labelSelector: 'app=x' },
  { resource: Thing, projection: 'metadata', namespace: 'n1' },
  { resource: Thing, sharing: 'exact', namespace: 'n1' },
  { resource: Thing, sharing: 'exact' },
  { resource: Thing, indexers: [byApp] },
  { resource: Thing, namespace: 'n1', indexers: [byApp, byValue] },
  { resource: Thing, retain: 'object', labelSelector: 'app' },
  { resource: Thing, retain: 'compressed', namespace: 'n1' },
  { resource: Thing, retain: 'object' },
  { resource: Thing, retain: 'compressed' },
  { resource: Thing, retain: 'metadata' },
  { resource: Thing, retain: 'metadata', namespace: 'n1' },
  { resource: Thing, transform: plus },
  { resource: Thing, transform: plus, namespace: 'n1', retain: 'object' },
  { resource: Thing, transform: plus, labelSelector: 'app=x' },
  { resource: Thing, pageSize: 1, labelSelector: 'app=x' },
  { resource: Part },
  { resource: Part, labelSelector: 'app=y' },
  { resource: Setting, namespace: 'n2' },
];

/** Returns the query in words. */
export function queryText(query: WatchQuery<Item>): string {
  const { resource, namespace, labelSelector, fieldSelector, projection, sharing, retain } = query;
  const { transform } = query;
  const indexers = query.indexers?.map(({ name }) => `index ${name}`) ?? [];
  return [
    resource.plural,
    ...(namespace === undefined ? [] : [`in ${namespace}`]),
    ...(labelSelector === undefined ? [] : [`with ${labelSelector}`]),
    ...(fieldSelector === undefined ? [] : [`with ${fieldSelector}`]),
    ...(projection === 'metadata' ? ['(metadata)'] : []),
    ...(sharing === 'exact' ? ['(exact)'] : []),
    ...(transform === undefined ? [] : [`(transform ${transform.name})`]),
    ...(retain === undefined ? [] : [`(retain ${retain})`]),
    ...indexers.map((text) => `(${text})`),
  ].join(' ');
}
