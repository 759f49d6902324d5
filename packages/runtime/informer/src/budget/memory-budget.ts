import {
  checkCount,
  checkOptions,
  invalidOption,
  resourceId,
  type ApiResource,
} from '@keelson/apimachinery';
import { checkChoice } from '../contract/check-arguments.ts';
import type { BudgetPolicy } from '../contract/informer-observer.ts';

/** A limit for the watches of one kind. */
export interface KindBudget {
  readonly resource: ApiResource;
  /** The limit in bytes. */
  readonly bytes: number;
  /** The effect of exceeding the limit. Default: the policy of the budget of all kinds. */
  readonly policy?: BudgetPolicy;
}

/**
 * Limits the memory of stored objects: their bytes, and about 300 bytes of heap for each. Objects that are kept parsed
 * count one and a half times the length of their text.
 */
export interface MemoryBudget {
  /** The limit for all kinds together, in bytes. Default: none. */
  readonly bytes?: number;
  /** The effect of exceeding a limit. Default `compress`. */
  readonly policy?: BudgetPolicy;
  /** Limits for single kinds. Default: none. */
  readonly kinds?: readonly KindBudget[];
}

const policies: readonly BudgetPolicy[] = ['compress', 'metadata', 'refuse'];

/** Throws `INVALID_OPTION` with the name of the first invalid member. */
export function checkMemoryBudget(budget: MemoryBudget, where: string): void {
  checkOptions(budget, ['bytes', 'policy', 'kinds'], where);
  const { bytes, policy, kinds = [] } = budget;
  checkChoice(policy, policies, `${where}.policy`);
  if (bytes !== undefined) checkCount(bytes, `${where}.bytes`);
  if (!Array.isArray(kinds)) throw invalidOption(`${where}.kinds`, 'must be a list of budgets');
  if (bytes === undefined && kinds.length === 0) {
    throw invalidOption(where, 'must have bytes or kinds');
  }
  const known = new Set<string>();
  for (const [at, kind] of (kinds as readonly KindBudget[]).entries()) {
    const id = checkKind(kind, `${where}.kinds[${at}]`);
    if (known.has(id)) {
      throw invalidOption(`${where}.kinds[${at}].resource`, 'has a budget already', {
        resource: id,
      });
    }
    known.add(id);
  }
}

function checkKind(budget: KindBudget, where: string): string {
  checkOptions(budget, ['resource', 'bytes', 'policy'], where);
  const { resource, bytes, policy } = budget;
  if (typeof resource?.plural !== 'string' || resource.plural === '') {
    throw invalidOption(`${where}.resource`, 'must be a resource token');
  }
  checkCount(bytes, `${where}.bytes`);
  checkChoice(policy, policies, `${where}.policy`);
  return resourceId(resource);
}
