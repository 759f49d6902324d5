/**
 * - `created`: controllers and runnables are added; none of them runs.
 * - `starting`: the phases start in order.
 * - `running`: every phase has started.
 * - `stopping`: the phases stop in reverse order, or have stopped. This state is final.
 */
export type ManagerState = 'created' | 'starting' | 'running' | 'stopping';
