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
