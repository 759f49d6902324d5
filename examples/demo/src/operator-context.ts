import type { Cause, Manager } from '@keelson/manager';

/** Receives every run and its causes. */
export type OnReconcile = (controller: string, causes: readonly Cause[]) => void;

/** What the controllers of the demo have in common. */
export interface OperatorContext {
  readonly manager: Manager;
  /** The one namespace the demo lives in. */
  readonly namespace: string;
  /** Counts a run of a controller. */
  readonly onReconcile: OnReconcile;
}
