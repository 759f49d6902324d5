import { goTrim } from '../../values/go/go-strings.ts';
import { checkDnsLabel, checkSubdomain } from '../../schema-formats/name-syntax.ts';
import { type Overload, overload } from '../../types/function-declaration.ts';
import { fail } from '../../values/evaluation-error.ts';
import {
  type AuthorizationDecision,
  type AuthorizerValue,
  GroupCheck,
  PathCheck,
  ResourceCheck,
} from '../../values/authorization.ts';

/**
 * The functions of authorization checks. Only expressions of admission have a variable with an authorizer. In a rule of a
 * custom resource, a call compiles only with a target of dynamic type.
 */
export const authorizationFunctions: readonly Overload[] = [
  overload('Authorizer.path(string): PathCheck', (authorizer: AuthorizerValue, path: string) =>
    goTrim(path) === '' ? fail('path must not be empty') : new PathCheck(authorizer, path),
  ),
  overload(
    'Authorizer.group(string): GroupCheck',
    (authorizer: AuthorizerValue, group: string) => new GroupCheck(authorizer, group),
  ),
  overload('Authorizer.serviceAccount(string, string): Authorizer', serviceAccount),
  overload('GroupCheck.resource(string): ResourceCheck', (check: GroupCheck, resource: string) =>
    goTrim(resource) === ''
      ? fail('resource must not be empty')
      : new ResourceCheck(check.authorizer, { group: check.group, resource }),
  ),
  ...(['subresource', 'namespace', 'name', 'fieldSelector', 'labelSelector'] as const).map((part) =>
    overload(
      `ResourceCheck.${part}(string): ResourceCheck`,
      (check: ResourceCheck, value: string) => check.with({ [part]: value }),
    ),
  ),
  overload('PathCheck.check(string): Decision', (check: PathCheck, verb: string) =>
    check.decide(verb),
  ),
  overload('ResourceCheck.check(string): Decision', (check: ResourceCheck, verb: string) =>
    check.decide(verb),
  ),
  // An authorizer of the server never fails.
  overload('Decision.errored(): bool', () => false),
  overload('Decision.error(): string', () => ''),
  overload('Decision.allowed(): bool', ({ allowed }: AuthorizationDecision) => allowed),
  overload('Decision.reason(): string', ({ reason }: AuthorizationDecision) => reason),
];

function serviceAccount(
  authorizer: AuthorizerValue,
  namespace: string,
  name: string,
): AuthorizerValue {
  if (checkSubdomain(name).length > 0) fail('Invalid service account name');
  if (checkDnsLabel(namespace).length > 0) fail('Invalid service account namespace');
  return authorizer.of({ namespace, name });
}
