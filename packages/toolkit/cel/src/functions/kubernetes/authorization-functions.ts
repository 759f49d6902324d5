import { type Overload, overload } from '../../types/function-declaration.ts';

/**
 * The functions of authorization checks. No variable and no function of a rule gives an authorizer, so a call compiles
 * only with a target of dynamic type, and fails when it is evaluated.
 */
export const authorizationFunctions: readonly Overload[] = [
  'Authorizer.path(string): PathCheck',
  'Authorizer.group(string): GroupCheck',
  'Authorizer.serviceAccount(string, string): Authorizer',
  'GroupCheck.resource(string): ResourceCheck',
  'ResourceCheck.subresource(string): ResourceCheck',
  'ResourceCheck.namespace(string): ResourceCheck',
  'ResourceCheck.name(string): ResourceCheck',
  'ResourceCheck.fieldSelector(string): ResourceCheck',
  'ResourceCheck.labelSelector(string): ResourceCheck',
  'PathCheck.check(string): Decision',
  'ResourceCheck.check(string): Decision',
  'Decision.errored(): bool',
  'Decision.error(): string',
  'Decision.allowed(): bool',
  'Decision.reason(): string',
].map((signature) => overload(signature, withoutAuthorizer));

function withoutAuthorizer(): never {
  throw new Error('an authorization function was called without an authorizer');
}
