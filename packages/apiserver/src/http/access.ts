import type { AccessAttributes } from '../auth/authorizer.ts';
import type { User } from '../auth/user.ts';
import type { RequestInfo } from './request-info.ts';

/** A request as an authorizer judges it. */
export function attributesOf(info: RequestInfo, user: User): AccessAttributes {
  if (info.type === 'path') return { kind: 'path', user, verb: info.verb, path: info.path };
  const { verb, group, resource, subresource, namespace, name } = info;
  return { kind: 'resource', user, verb, group, resource, subresource, namespace, name };
}
