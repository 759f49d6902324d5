import { checkOptions, invalidOption, type KubernetesObject } from '@keelson/apimachinery';
import { ExpressionInput } from '@keelson/structural-schema';
import { type PolicyTarget, tokenOf } from './policy-options.ts';

/** A request for the functions of a policy. */
export interface PolicyRequest {
  /** Default: `CREATE`, `UPDATE` or `DELETE`, depending on which objects are given. */
  readonly operation?: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  /** The new object; absent for a delete. */
  readonly object?: object;
  /** The old object; absent for a create. */
  readonly oldObject?: object;
  /** One object of the parameters. Default: none, so that `params` is null. */
  readonly params?: object;
  /** The user. Default: `test`, without groups. */
  readonly user?: { readonly name: string; readonly groups?: readonly string[] };
  /** The namespace object of the request. Default: one with the name of the object's namespace, and the label of its name. */
  readonly namespace?: object;
  readonly dryRun?: boolean;
  /** Decides about `authorizer` checks by verb and resource or path. Default: everything is allowed. */
  readonly allows?: (verb: string, target: string) => boolean;
}

const names = [
  'operation',
  'object',
  'oldObject',
  'params',
  'user',
  'namespace',
  'dryRun',
  'allows',
];

/** The members that are objects of the cluster. */
const objects = ['object', 'oldObject', 'params', 'namespace'] as const;
const operations = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'];

function checkRequest(request: PolicyRequest, at: string): void {
  for (const member of objects) {
    const value: unknown = request[member];
    if (value !== undefined && !isRecord(value)) {
      throw invalidOption(`${at}.${member}`, 'must be an object');
    }
  }
  const { operation = 'CREATE', user = { name: 'test' } } = request;
  if (!operations.includes(operation)) {
    throw invalidOption(`${at}.operation`, `must be one of ${operations.join(', ')}`);
  }
  checkOptions(user, ['name', 'groups'], `${at}.user`);
  const { name, groups = [] } = user;
  if (typeof name !== 'string') throw invalidOption(`${at}.user.name`, 'must be a text');
  if (!Array.isArray(groups)) throw invalidOption(`${at}.user.groups`, 'must be a list of texts');
}

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the operation of a request, and the values of the variables. `at`: the function. Throws `INVALID_OPTION`. */
export function requestInput(
  request: PolicyRequest,
  options: PolicyTarget,
  at: string,
): { readonly operation: string; readonly values: ExpressionInput } {
  checkOptions(request, names, at);
  checkRequest(request, at);
  const { object, oldObject, params } = request;
  const known = object ?? oldObject;
  if (known === undefined) throw invalidOption(at, 'needs object or oldObject');
  const operation = request.operation ?? operationOf(request);
  const { metadata = {} } = known as KubernetesObject;
  const { namespace = '', generateName = '' } = metadata;
  // The API server has generated the name before it evaluates policies.
  const { name = generateName && `${generateName}xxxxx` } = metadata;
  const { group, plural } = tokenOf(options.resource);
  const { allows = () => true } = request;
  const values = new ExpressionInput(
    {
      object,
      oldObject,
      params,
      request: requestOf(request, options, { operation, name, namespace }),
      namespaceObject: namespace === '' ? null : (request.namespace ?? namespaceOf(namespace)),
    },
    {
      authorizer: authorizerBy(allows),
      requestResource: { group, resource: plural, namespace, name },
    },
  );
  return { operation, values };
}

/** The namespace as the API server has it, which labels each one with its name. */
function namespaceOf(name: string): object {
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, labels: { 'kubernetes.io/metadata.name': name } },
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Active' },
  };
}

function operationOf({ object, oldObject }: PolicyRequest): string {
  if (object === undefined) return 'DELETE';
  return oldObject === undefined ? 'CREATE' : 'UPDATE';
}

/** As in a review of the API server, what is empty is missing. */
function requestOf(
  { user = { name: 'test' }, dryRun = false }: PolicyRequest,
  { resource, subresource = '' }: PolicyTarget,
  { operation, name, namespace }: Identity,
): object {
  const { group, version, kind, plural } = tokenOf(resource);
  const sub = subresource === '*' ? '' : subresource;
  const own = { kind: { group, version, kind }, resource: { group, version, resource: plural } };
  const { groups = [] } = user;
  return {
    ...own,
    requestKind: own.kind,
    requestResource: own.resource,
    ...(sub !== '' && { subResource: sub, requestSubResource: sub }),
    ...(name !== '' && { name }),
    ...(namespace !== '' && { namespace }),
    operation,
    userInfo: { username: user.name, ...(groups.length > 0 && { groups: [...groups] }) },
    dryRun,
    options: operation === 'CONNECT' ? null : optionsOf(operation),
  };
}

function optionsOf(operation: string): object {
  const kind = `${operation.slice(0, 1)}${operation.slice(1).toLowerCase()}Options`;
  return { kind, apiVersion: 'meta.k8s.io/v1' };
}

interface Identity {
  readonly operation: string;
  readonly name: string;
  readonly namespace: string;
}

type Authorizer = ExpressionInput['authorizer'];

function authorizerBy(allows: NonNullable<PolicyRequest['allows']>): Authorizer {
  const authorizer: Authorizer = {
    decide(verb, asked) {
      const target = 'path' in asked ? asked.path : targetOf(asked);
      return { allowed: allows(verb, target), reason: '' };
    },
    of: () => authorizer,
  };
  return authorizer;
}

/** `deployments.apps` or `deployments.apps/scale`. */
function targetOf(asked: {
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
}): string {
  const { group, resource, subresource = '' } = asked;
  return `${resource}${group === '' ? '' : `.${group}`}${subresource === '' ? '' : `/${subresource}`}`;
}
