import type { Cause, Manager } from '@keelson/manager';

/** Told of every run and what had asked for it. */
export type OnReconcile = (controller: string, causes: readonly Cause[]) => void;

/** What the controllers of the demo have in common. */
export interface OperatorContext {
  readonly manager: Manager;
  /** The one namespace the demo lives in. */
  readonly namespace: string;
  /** Counts a run of a controller. */
  readonly onReconcile: OnReconcile;
}
