import { checkOptions, invalidOption } from '@keelson/apimachinery';
import { compileAdmissionExpression } from '@keelson/structural-schema';
import { objectTypeOf } from './object-type-of.ts';
import type { PolicyResource } from './policy-options.ts';

/** The objects that a match condition reads. */
export interface MatchConditionScope {
  /** The resource, by whose schema the types are checked if it is a kind from `defineKind`. Default: any objects. */
  readonly resource?: PolicyResource;
  /** The subresource of the requests. */
  readonly subresource?: string;
}

const boolType = { kind: 'primitive', name: 'bool', parameters: [] } as const;

/**
 * Returns the reason why a CEL expression cannot be a match condition of a webhook, in the words of kube-apiserver;
 * `undefined` for a valid one. kube-apiserver does not know the types of the objects: `dyn(object)` is not checked here
 * either. Throws `INVALID_OPTION`.
 */
export function matchConditionProblem(
  expression: string,
  scope: MatchConditionScope = {},
): string | undefined {
  checkOptions(scope, ['resource', 'subresource'], 'matchConditionProblem');
  if (typeof expression !== 'string') {
    throw invalidOption('matchConditionProblem.expression', 'must be an expression in CEL');
  }
  const { resource, subresource } = scope;
  const object = resource && objectTypeOf(resource, subresource);
  const compiled = compileAdmissionExpression(
    expression.trim(),
    { params: false, authorizer: true, object },
    [boolType],
  );
  return typeof compiled === 'string' ? compiled : undefined;
}
