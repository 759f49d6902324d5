import { grantedRules, type PolicyRule, type RbacSource } from './rbac-authorizer.ts';
import { mastersGroup, type User } from '../user.ts';

export interface RulesReview {
  spec?: { namespace?: string };
}

const everything: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

/** Lists the permissions of the caller in a namespace (`kubectl auth can-i --list`). */
export function reviewRules<R extends RulesReview>(
  review: R,
  caller: User,
  source: RbacSource | undefined,
): R & { status: object } {
  const rules = [...rulesFor(caller, review.spec?.namespace ?? '', source)];
  return {
    ...review,
    spec: {},
    status: {
      resourceRules: rules.filter((rule) => rule.nonResourceURLs === undefined),
      nonResourceRules: rules.filter((rule) => rule.nonResourceURLs !== undefined),
      incomplete: false,
    },
  };
}

/** Without RBAC (`undefined`) every user has every permission. */
function* rulesFor(
  caller: User,
  namespace: string,
  source: RbacSource | undefined,
): Generator<PolicyRule> {
  if (source === undefined || caller.groups.includes(mastersGroup)) yield* everything;
  if (source === undefined) return;
  for (const { rule } of grantedRules(source, caller, namespace)) yield rule;
}
