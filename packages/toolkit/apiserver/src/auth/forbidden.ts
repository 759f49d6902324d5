import type { Status } from '@keelson/apimachinery';
import type { AccessAttributes, AccessDecision, ResourceAttributes } from './authorizer.ts';

/** The 403 response to a request that the user may not make, with the message of kube-apiserver. */
export function forbiddenStatus(attributes: AccessAttributes, decision: AccessDecision): Status {
  const because = decision.reason === '' ? '' : `: ${decision.reason}`;
  const user = JSON.stringify(attributes.user.name);
  if (attributes.kind === 'path') {
    return failure(
      `forbidden: User ${user} cannot ${attributes.verb} path ${JSON.stringify(attributes.path)}${because}`,
      {},
    );
  }
  const { group, resource, name } = attributes;
  const subject = group === '' ? resource : `${resource}.${group}`;
  const named = name === '' ? subject : `${subject} ${JSON.stringify(name)}`;
  const message = `${named} is forbidden: User ${user} cannot ${attributes.verb} resource ${JSON.stringify(titleOf(attributes))} in API group ${JSON.stringify(group)} ${scopeOf(attributes)}${because}`;
  return failure(message, {
    ...(name !== '' && { name }),
    ...(group !== '' && { group }),
    kind: resource,
  });
}

function failure(message: string, details: NonNullable<Status['details']>): Status {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason: 'Forbidden',
    details,
    code: 403,
  };
}

function titleOf({ resource, subresource }: ResourceAttributes): string {
  return subresource === '' ? resource : `${resource}/${subresource}`;
}

function scopeOf({ namespace }: ResourceAttributes): string {
  return namespace === ''
    ? 'at the cluster scope'
    : `in the namespace ${JSON.stringify(namespace)}`;
}
