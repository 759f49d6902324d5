import { grantedRules, missingRoles, type PolicyRule, type RbacSource } from './rbac-authorizer.ts';
import type { User } from '../user.ts';

export interface RulesReview {
  spec?: { namespace?: string };
}

const everything: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

/**
 * Lists the permissions of the caller in a namespace (`kubectl auth can-i --list`), as a new object: the metadata and
 * the spec of the request are not returned.
 */
export function reviewRules<R extends RulesReview>(
  review: R,
  caller: User,
  source: RbacSource | undefined,
): R & { status: object } {
  const namespace = review.spec?.namespace ?? '';
  const rules = [...rulesFor(caller, namespace, source)];
  const evaluationError = source === undefined ? '' : missingRoles(source, caller, namespace);
  return {
    ...review,
    metadata: {},
    spec: {},
    status: {
      resourceRules: rules.filter((rule) => rule.nonResourceURLs === undefined),
      nonResourceRules: rules.filter((rule) => rule.nonResourceURLs !== undefined),
      incomplete: false,
      ...(evaluationError !== '' && { evaluationError }),
    },
  };
}

/** Without RBAC (`undefined`) every user has every permission. */
function* rulesFor(
  caller: User,
  namespace: string,
  source: RbacSource | undefined,
): Generator<PolicyRule> {
  if (source === undefined) {
    yield* everything;
    return;
  }
  for (const { rule } of grantedRules(source, caller, namespace)) yield rule;
}
