/** How long what was aborted may take to notice. */
export const abortPatience = 5000;

/** How long what was aborted at the end of this grace period is waited for: without one, not at all. */
export function patienceAfter(gracePeriod: number): number {
  return gracePeriod === 0 ? 0 : abortPatience;
}
