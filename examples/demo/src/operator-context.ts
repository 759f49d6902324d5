import type { Cause, Manager } from '@keelson/manager';

/** Receives every run and its causes. */
export type OnReconcile = (controller: string, causes: readonly Cause[]) => void;

/** The manager and the namespace that the controllers of the demo share. */
export interface OperatorContext {
  readonly manager: Manager;
  /** The namespace of the demo. */
  readonly namespace: string;
  /** Counts a run of a controller. */
  readonly onReconcile: OnReconcile;
}
