import type { ApiResource } from '@keelson/apimachinery';
import type { RequestInfo } from '../http/request-info.ts';

/** Selects the requests that a fault affects. An absent member matches every request. */
export interface FaultScope {
  /** The token of a kind, or an object with its group and plural. Matches every version. */
  readonly resource?: Pick<ApiResource, 'group' | 'plural'>;
  /** `get` `list` `watch` `create` `update` `patch` `delete` `deletecollection`. */
  readonly verb?: string | readonly string[];
  readonly namespace?: string;
}

/** True if a scope includes a request. A scope with any member excludes requests to non-resource paths. */
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
