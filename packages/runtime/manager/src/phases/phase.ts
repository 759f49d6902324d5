/**
 * The phases of a manager in the order of start; a stop goes through them in reverse.
 *
 * - `servers`: the metrics, health and debug servers listen.
 * - `caches`: watches open and deliver the initial state.
 * - `always`: controllers and runnables of every replica.
 * - `shards`: with sharding, the controllers of every replica, each for its own slots.
 * - `leader`: controllers and runnables of one replica at a time; their default. Without leader election it starts as
 *   soon as the earlier phases have started.
 */
export const phases = ['servers', 'caches', 'always', 'shards', 'leader'] as const;

/** A step of the start and the stop of a manager, such as `caches`. */
export type Phase = (typeof phases)[number];

/** Makes one value for each phase. */
export function forEachPhase<Value>(make: (phase: Phase) => Value): Readonly<Record<Phase, Value>> {
  const entries = phases.map((phase) => [phase, make(phase)] as const);
  return Object.fromEntries(entries) as Record<Phase, Value>;
}
