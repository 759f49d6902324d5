import type { ApiResource } from '@keelson/apimachinery';
import type { RequestInfo } from '../http/request-info.ts';

/** Which requests a fault means; without a member, all of them. */
export interface FaultScope {
  /** A token of a kind, or anything with its group and plural; every version is meant. */
  readonly resource?: Pick<ApiResource, 'group' | 'plural'>;
  /** `get` `list` `watch` `create` `update` `patch` `delete` `deletecollection`. */
  readonly verb?: string | readonly string[];
  readonly namespace?: string;
}

/** Whether a request is meant. A fault with any scope at all spares requests to other paths. */
export function isInScope(scope: FaultScope, info: RequestInfo): boolean {
  const { resource, verb, namespace } = scope;
  if (resource === undefined && verb === undefined && namespace === undefined) return true;
  if (info.type !== 'resource') return false;
  return (
    (resource === undefined || isResource(resource, info.group, info.resource)) &&
    (verb === undefined || [verb].flat().includes(info.verb)) &&
    (namespace === undefined || namespace === info.namespace)
  );
}

export function isResource(
  resource: Pick<ApiResource, 'group' | 'plural'>,
  group: string,
  plural: string,
): boolean {
  return resource.group === group && resource.plural === plural;
}
