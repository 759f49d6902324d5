import { isConflict, isForbidden, isNotFound, statusOf, type Clock } from '@keelson/apimachinery';
import type { Manager, Outcome, ReconcileContext, Request } from '@keelson/manager';
import type { EventLog } from './event-log.ts';

/** The parts with which every controller of this package is built. */
export interface Control {
  readonly manager: Manager;
  readonly clock: Clock;
  readonly events: EventLog;
}

/** The part of a run's context that the controllers use. */
export type Run = Pick<ReconcileContext, 'cache' | 'client' | 'clock'>;

/** The reconciles of one controller that may run at the same time, as in kube-controller-manager. */
export const CONCURRENCY = 5;

/**
 * A reconcile whose conflicts are no errors: another client was faster, and the run is repeated with the newer object.
 * An object that no longer exists needs no further run, because its deletion is an event.
 */
export function retried(
  reconcile: (request: Request, run: Run) => Promise<Outcome | void>,
): (request: Request, run: Run) => Promise<Outcome | void> {
  return async (request, run) => {
    try {
      return await reconcile(request, run);
    } catch (error) {
      if (isConflict(error) || isNotFound(error)) return { retry: true };
      if (isOfEndingNamespace(error)) return undefined;
      throw error;
    }
  };
}

/** True if the server refused an object because its namespace is being deleted, and with it the workload. */
function isOfEndingNamespace(error: unknown): boolean {
  const causes = isForbidden(error) ? (statusOf(error)?.details?.causes ?? []) : [];
  return causes.some(({ reason }) => reason === 'NamespaceTerminating');
}

/** Calls a function that deletes, and ignores that the object is gone. */
export async function ignoreMissing(deletion: Promise<unknown>): Promise<void> {
  try {
    await deletion;
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** A run again after some milliseconds, or no further run. */
export function after(milliseconds: number | undefined): Outcome | undefined {
  return milliseconds === undefined
    ? undefined
    : { requeueAfter: Math.max(1, Math.ceil(milliseconds)) };
}
