/**
 * The phases of a manager: start walks them forwards, stop backwards. This is the only list.
 *
 * - `servers`: metrics and health listen.
 * - `caches`: watches are opened and deliver the initial state.
 * - `always`: what every replica runs.
 * - `leader`: what at most one replica runs, controllers above all. Without leader election it
 *   starts as soon as the phases before it have started.
 */
export const phases = ['servers', 'caches', 'always', 'leader'] as const;

export type Phase = (typeof phases)[number];

/** One for each phase; the list of phases is the only one. */
export function forEachPhase<Value>(make: (phase: Phase) => Value): Readonly<Record<Phase, Value>> {
  const entries = phases.map((phase) => [phase, make(phase)] as const);
  return Object.fromEntries(entries) as Record<Phase, Value>;
}
