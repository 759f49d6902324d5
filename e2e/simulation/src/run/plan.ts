import { handleActions } from '../actions/handle-actions.ts';
import { timeActions } from '../actions/time-actions.ts';
import { controllerActions } from '../actions/controller-actions.ts';
import { readActions } from '../actions/read-actions.ts';
import { faultActions, otherFaultActions } from '../actions/fault-actions.ts';
import { electionActions } from '../actions/election-actions.ts';
import { namespaceActions } from '../actions/namespace-actions.ts';
import { ownWriteActions } from '../actions/own-write-actions.ts';
import { serverActions } from '../actions/server-actions.ts';
import { streamActions } from '../actions/stream-actions.ts';
import { waitActions } from '../actions/wait-actions.ts';
import type { Action, Step } from '../actions/action.ts';
import { seeded } from './seeded.ts';

/** One run: its settings and its actions. */
export interface Plan {
  /** The clock advances with every reading, so that all work runs in small slices. */
  readonly isSlow: boolean;
  /** The run has a manager with controllers beside the handles of the cache. */
  readonly hasManager: boolean;
  /** The manager has leader election. */
  readonly hasElection: boolean;
  /** After the faults much time passes, although everything has converged. */
  readonly settlesLong: boolean;
  readonly steps: readonly Step[];
}

/** All actions by name. */
export const actions: Readonly<Record<string, Action>> = {
  ...serverActions,
  ...ownWriteActions,
  ...handleActions,
  ...streamActions,
  ...waitActions,
  ...readActions,
  ...controllerActions,
  ...namespaceActions,
  ...electionActions,
  ...timeActions,
  ...faultActions,
  ...otherFaultActions,
};

/** How often an action of a group is chosen. An action that is named has its own weight. */
const weights: readonly {
  readonly of: Readonly<Record<string, unknown>>;
  readonly weight: number;
}[] = [
  { of: { write: 0 }, weight: 60 },
  { of: { acquire: 0 }, weight: 40 },
  { of: readActions, weight: 20 },
  { of: ownWriteActions, weight: 5 },
  { of: streamActions, weight: 8 },
  { of: waitActions, weight: 10 },
  { of: controllerActions, weight: 15 },
  { of: { 'watch often': 0 }, weight: 25 },
  { of: namespaceActions, weight: 20 },
  { of: electionActions, weight: 40 },
  { of: { turn: 0, wait: 0 }, weight: 30 },
  { of: serverActions, weight: 10 },
  { of: handleActions, weight: 10 },
  { of: timeActions, weight: 15 },
  { of: faultActions, weight: 3 },
  { of: otherFaultActions, weight: 2 },
];

const all: readonly string[] = weights.flatMap(({ of, weight }) =>
  Object.keys(of).flatMap((name) => Array.from({ length: weight }, () => name)),
);

const managerActions = { ...controllerActions, ...namespaceActions };
const choicesOfOneProcess = all.filter((name) => !Object.hasOwn(electionActions, name));
const choicesWithoutManager = choicesOfOneProcess.filter(
  (name) => !Object.hasOwn(managerActions, name),
);

/** The number by which actions choose is below this. */
export const MAX_NUMBER = 1_000;

const MIN_STEPS = 10;
/** The longest list of actions. */
export const MAX_STEPS = 60;

/** Returns the plan of a seed. */
export function planOf(seed: number): Plan {
  const random = seeded(seed);
  const upTo = (limit: number): number => Math.floor(random() * limit);
  const isSlow = random() < 0.3;
  const hasManager = random() < 0.5;
  const hasElection = hasManager && random() < 0.25;
  const settlesLong = random() < 0.15;
  const length = MIN_STEPS + upTo(MAX_STEPS - MIN_STEPS);
  const possible = hasElection ? all : hasManager ? choicesOfOneProcess : choicesWithoutManager;
  const steps = Array.from({ length }, () => ({
    does: possible[upTo(possible.length)] ?? 'write',
    n: upTo(MAX_NUMBER),
  }));
  return { isSlow, hasManager, hasElection, settlesLong, steps };
}
