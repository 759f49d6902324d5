import type { WatchHandle, WatchHealth, WatchState } from '@keelson/informer';

/** Resolves with the health of a watch when it reachesState one of these states. */
export async function reachesState(
  handle: WatchHandle,
  ...states: readonly WatchState[]
): Promise<WatchHealth> {
  const { promise, resolve } = Promise.withResolvers<WatchHealth>();
  const check = (health: WatchHealth): void => {
    if (states.includes(health.state)) resolve(health);
  };
  using _ = handle.onHealthChange(check);
  check(handle.health);
  return await promise;
}
