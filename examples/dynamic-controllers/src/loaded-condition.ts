import type { NewCondition, WatchHealth } from '@keelson/manager';

/** The reason of the condition for each state that is not `live`, the most severe first. */
const reasons = [
  ['forbidden', 'Forbidden'],
  ['parked', 'KindNotServed'],
  ['backing-off', 'ServerFails'],
  ['stale', 'ServerFails'],
  ['over-budget', 'MemoryBudget'],
  ['syncing', 'Syncing'],
] as const;

/** The condition of a Recipe from the health of its controller's watches; without watches it is not loaded. */
export function loadedCondition(watches: readonly WatchHealth[]): NewCondition {
  if (watches.length === 0) {
    return { type: 'Loaded', status: 'False', reason: 'Unloaded', message: '' };
  }
  for (const [state, reason] of reasons) {
    const health = watches.find((watch) => watch.state === state);
    if (health === undefined) continue;
    return { type: 'Loaded', status: 'False', reason, message: messageOf(health) };
  }
  return { type: 'Loaded', status: 'True', reason: 'Live', message: '' };
}

/** The permission to grant, or the cause of the state. */
function messageOf({ reason, lastError }: WatchHealth): string {
  return lastError === undefined ? reason : `${reason}: ${lastError.message}`.slice(0, 1024);
}
