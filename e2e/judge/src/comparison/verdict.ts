import { jsonEquals } from '@keelson/structural-schema';
import type { Decision } from './decision.ts';

/**
 * How two decisions compare: `equal`; `words` if both refuse with the same code, for other causes; `different` if one
 * accepts, if the codes differ, or if they store other objects; `undecided` if Kubernetes' code panics;
 * `strict` if only Keelson refuses, where it is meant to find mistakes that Kubernetes accepts.
 */
export type Agreement = 'equal' | 'words' | 'different' | 'undecided' | 'strict';

/** The decisions about one case. */
export interface Verdict {
  readonly agreement: Agreement;
  readonly ours: Decision;
  readonly judge: Decision;
}

/** Compares two decisions about the same write. */
export function compareDecisions(ours: Decision, judge: Decision): Verdict {
  return { agreement: agreementOf(ours, judge), ours, judge };
}

function agreementOf(ours: Decision, judge: Decision): Agreement {
  if (ours.code !== judge.code || !jsonEquals(ours.object, judge.object)) return 'different';
  return jsonEquals(ours.causes, judge.causes) ? 'equal' : 'words';
}
