import {
  checkNamespace,
  checkOptions,
  invalidOption,
  normalFieldSelector,
  normalLabelSelector,
  resourceId,
  type KubernetesObject,
} from '@keelson/apimachinery';
import type { NormalQuery, WatchQuery } from './watch-query.ts';

const members = [
  'resource',
  'namespace',
  'labelSelector',
  'fieldSelector',
  'projection',
  'transform',
  'indexers',
  'retain',
];

/** Refuses a query that cannot be meant; equal queries give equal normal forms. */
export function normalQuery<T extends KubernetesObject>(query: WatchQuery<T>): NormalQuery {
  checkOptions(query, members, 'acquire.query');
  const { resource, namespace, labelSelector, fieldSelector, projection = 'full' } = query;
  checkMembers(query);
  return {
    resource,
    namespace: namespace === '' ? undefined : namespace,
    labelSelector: orNone(labelSelector, normalLabelSelector),
    fieldSelector: orNone(fieldSelector, normalFieldSelector),
    projection,
  };
}

/** One text per watch: two queries with the same text share one. */
export function identityOf(query: NormalQuery, transform: string | undefined): string {
  return JSON.stringify([
    resourceId(query.resource),
    query.namespace,
    query.labelSelector,
    query.fieldSelector,
    query.projection,
    transform,
  ]);
}

function checkMembers<T extends KubernetesObject>(query: WatchQuery<T>): void {
  const { resource, namespace, projection, retain, transform, indexers } = query;
  if (typeof resource?.plural !== 'string' || resource.plural === '') {
    throw invalidOption('acquire.query.resource', 'must be a resource token');
  }
  if (namespace !== undefined && namespace !== '') {
    if (!resource.namespaced) {
      throw invalidOption('acquire.query.namespace', 'the resource is cluster-scoped', {
        resource: resourceId(resource),
      });
    }
    checkNamespace(namespace);
  }
  checkChoice('projection', projection, ['full', 'metadata']);
  checkChoice('retain', retain, ['lazy', 'object']);
  if (indexers !== undefined && !Array.isArray(indexers)) {
    throw invalidOption('acquire.query.indexers', 'must be a list of indexers');
  }
  if (transform !== undefined && (transform.name === '' || typeof transform.apply !== 'function')) {
    throw invalidOption('acquire.query.transform', 'must have a name and a function');
  }
}

function checkChoice(name: string, value: string | undefined, choices: readonly string[]): void {
  if (value !== undefined && !choices.includes(value)) {
    throw invalidOption(`acquire.query.${name}`, `must be one of ${choices.join(', ')}`, { value });
  }
}

function orNone(
  selector: string | undefined,
  normal: (text: string) => string,
): string | undefined {
  const text = selector === undefined ? '' : normal(selector);
  return text === '' ? undefined : text;
}
