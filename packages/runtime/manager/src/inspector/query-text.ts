import { resourceId } from '@keelson/apimachinery';
import type { NormalQuery } from '@keelson/informer';

/** A query in one line, such as `v1/pods in shop, labels app=web`. */
export function queryText(query: NormalQuery, transform?: string): string {
  const { resource, namespace, labelSelector, fieldSelector, projection } = query;
  const parts = [
    namespace === undefined ? resourceId(resource) : `${resourceId(resource)} in ${namespace}`,
    ...(labelSelector === undefined ? [] : [`labels ${labelSelector}`]),
    ...(fieldSelector === undefined ? [] : [`fields ${fieldSelector}`]),
    ...(projection === 'metadata' ? ['metadata only'] : []),
    ...(transform === undefined ? [] : [`transform ${transform}`]),
  ];
  return parts.join(', ');
}

/** The id of a watch on the page: its identity, after the name of a further cluster. */
export function watchIdOf(cluster: string | undefined, identity: string): string {
  return cluster === undefined ? identity : `${cluster}: ${identity}`;
}
