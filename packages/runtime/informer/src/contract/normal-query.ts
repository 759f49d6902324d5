import {
  checkCount,
  checkNamespace,
  checkOptions,
  invalidOption,
  normalFieldSelector,
  normalLabelSelector,
  resourceId,
  type KubernetesObject,
} from '@keelson/apimachinery';
import { checkChoice, checkText } from './check-arguments.ts';
import { checkIndexersOf } from './indexer.ts';
import { checkPart, type WatchPart } from './watch-part.ts';
import type { NamedTransform, NormalQuery, Projection, WatchQuery } from './watch-query.ts';

/** The largest page size, which is the most objects that kube-apiserver reads from etcd at once. */
const MAX_PAGE_SIZE = 10_000;

const members = [
  'resource',
  'namespace',
  'labelSelector',
  'fieldSelector',
  'projection',
  'transform',
  'indexers',
  'retain',
  'pageSize',
  'sharing',
  'part',
];

/** Returns the normal form of a query: equal queries have equal forms. Throws for an invalid query. */
export function normalQuery<T extends KubernetesObject>(query: WatchQuery<T>): NormalQuery {
  checkWatchQuery(query, 'acquire.query');
  const { resource, namespace, labelSelector, fieldSelector } = query;
  return {
    resource,
    namespace: namespace === '' ? undefined : namespace,
    labelSelector: orNone(labelSelector, normalLabelSelector),
    fieldSelector: orNone(fieldSelector, normalFieldSelector),
    projection: projectionOf(query),
  };
}

/** `retain: 'metadata'` is another way to request the projection of the metadata. */
export function projectionOf({
  projection,
  retain,
}: Pick<WatchQuery, 'projection' | 'retain'>): Projection {
  return retain === 'metadata' ? 'metadata' : (projection ?? 'full');
}

/** Returns the text that identifies a watch: two queries with the same text share one watch. */
export function identityOf(
  query: NormalQuery,
  transform: string | undefined,
  part?: Pick<WatchPart, 'name'>,
): string {
  return JSON.stringify([
    resourceId(query.resource),
    query.namespace,
    query.labelSelector,
    query.fieldSelector,
    query.projection,
    transform,
    ...(part === undefined ? [] : [part.name]),
  ]);
}

/**
 * Throws `INVALID_OPTION` with the name of the first invalid member of a query, and `INDEXER_CONFLICT`
 * for two indexers of one name. `where` names the argument in the error.
 */
export function checkWatchQuery<T extends KubernetesObject>(
  query: WatchQuery<T>,
  where: string,
): void {
  checkOptions(query, members, where);
  checkObjects(query, where);
  const { projection, retain, pageSize, sharing, transform, indexers = [] } = query;
  checkChoice(projection, ['full', 'metadata'], `${where}.projection`);
  checkChoice(retain, ['lazy', 'object', 'compressed', 'metadata'], `${where}.retain`);
  checkMetadata(query, where);
  checkPageSize(pageSize, `${where}.pageSize`);
  checkChoice(sharing, ['views', 'exact'], `${where}.sharing`);
  if (!Array.isArray(indexers)) {
    throw invalidOption(`${where}.indexers`, 'must be a list of indexers');
  }
  const indexed = { resource: query.resource, projection: projectionOf(query) };
  checkIndexersOf(indexed, indexers, `${where}.indexers`);
  if (transform !== undefined) checkTransform(transform, `${where}.transform`);
  if (query.part !== undefined) checkPart(query.part, `${where}.part`);
}

/** Checks the members that select objects. */
function checkObjects<T extends KubernetesObject>(query: WatchQuery<T>, where: string): void {
  const { resource, namespace, labelSelector, fieldSelector } = query;
  if (typeof resource?.plural !== 'string' || resource.plural === '') {
    throw invalidOption(`${where}.resource`, 'must be a resource token');
  }
  checkText(namespace, `${where}.namespace`);
  if (namespace !== undefined && namespace !== '') {
    if (!resource.namespaced) {
      throw invalidOption(`${where}.namespace`, 'the resource is cluster-scoped', {
        resource: resourceId(resource),
      });
    }
    checkNamespace(namespace);
  }
  checkText(fieldSelector, `${where}.fieldSelector`);
  // A selector may be an object, which a caller has read from the spec of another object.
  if (typeof labelSelector !== 'object' || labelSelector === null || Array.isArray(labelSelector))
    checkText(labelSelector, `${where}.labelSelector`);
}

/** Rejects a projection and a retention that contradict each other. */
function checkMetadata<T extends KubernetesObject>(query: WatchQuery<T>, where: string): void {
  if (query.retain === 'metadata' && query.projection === 'full') {
    throw invalidOption(`${where}.retain`, 'must not be metadata with the projection full');
  }
}

function checkPageSize(pageSize: number | undefined, where: string): void {
  if (pageSize === undefined) return;
  checkCount(pageSize, where);
  if (pageSize > MAX_PAGE_SIZE) throw invalidOption(where, `must be at most ${MAX_PAGE_SIZE}`);
}

function checkTransform<T extends KubernetesObject>(
  transform: NamedTransform<T>,
  where: string,
): void {
  const { name, apply } = (transform ?? {}) as { name?: unknown; apply?: unknown };
  if (typeof name !== 'string' || name === '' || typeof apply !== 'function') {
    throw invalidOption(where, 'must have a name and a function');
  }
}

function orNone(
  selector: string | undefined,
  normal: (text: string) => string,
): string | undefined {
  const text = selector === undefined ? '' : normal(selector);
  return text === '' ? undefined : text;
}

/** Returns the resource of a query and its namespace as a text for messages. */
export function subjectOf({ resource, namespace }: NormalQuery): string {
  const id = resourceId(resource);
  return namespace === undefined ? id : `${id} in namespace ${namespace}`;
}
