import type { World } from '../world/world.ts';

/** Acts on a world. The number chooses among what there is. Returns what it did; nothing if it had nothing to act on. */
export type Action = (world: World, n: number) => string | undefined | Promise<string | undefined>;

/** The actions of one part of the world, by name. */
export type Actions = Readonly<Record<string, Action>>;

/** One action of a plan. */
export interface Step {
  readonly does: string;
  readonly n: number;
}

/** Returns the element that a number chooses. */
export function pick<T>(list: readonly T[], n: number): T | undefined {
  return list[n % (list.length || 1)];
}
