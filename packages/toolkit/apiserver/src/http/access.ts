import type { AccessAttributes, ResourceAttributes } from '../auth/authorizer.ts';
import type { User } from '../auth/user.ts';
import type { RequestInfo, ResourceRequestInfo } from './request-info.ts';

/** The attributes of a request for an authorizer. */
export function attributesOf(info: RequestInfo, user: User): AccessAttributes {
  if (info.type === 'path') return { kind: 'path', user, verb: info.verb, path: info.path };
  return resourceAttributesOf(info, user);
}

/** The attributes of a request to a resource. */
export function resourceAttributesOf(info: ResourceRequestInfo, user: User): ResourceAttributes {
  const { verb, group, resource, subresource, namespace, selectedName } = info;
  const name = info.name === '' ? selectedName : info.name;
  return { kind: 'resource', user, verb, group, resource, subresource, namespace, name };
}
