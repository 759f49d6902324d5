import { withLinkedSignal, type Clock, type KubernetesObject } from '@keelson/apimachinery';
import { FieldOwnership } from './field-ownership.ts';

/** Yields the present state of an object and each later one, until the signal aborts. */
export type ObjectStates = (signal: AbortSignal) => AsyncIterable<KubernetesObject>;

const MAX_STATES = 10;
const MAX_MS = 10_000;

/** The owners that were found, and the error that ended the reading early. */
export interface OwnershipReading {
  readonly ownership: FieldOwnership;
  readonly error: unknown;
}

/**
 * Reads states of an object until two field managers contest a field, for ten states or ten seconds at most. It reads
 * every state, because periodic reads would often find only the manager that writes last. It does not read the stores
 * of informers, which have no managed fields.
 */
export async function readOwnership(
  states: ObjectStates,
  signal: AbortSignal,
  clock: Clock,
): Promise<OwnershipReading> {
  const ownership = new FieldOwnership();
  const over = new AbortController();
  const stopTimer = clock.startTimer(MAX_MS, () => over.abort());
  try {
    await withLinkedSignal([signal, over.signal], (either) => addAll(ownership, states(either)));
    return { ownership, error: undefined };
  } catch (error) {
    return { ownership, error: over.signal.aborted ? undefined : error };
  } finally {
    stopTimer();
  }
}

async function addAll(
  ownership: FieldOwnership,
  states: AsyncIterable<KubernetesObject>,
): Promise<void> {
  let count = 0;
  for await (const { metadata } of states) {
    ownership.add(metadata?.managedFields ?? []);
    count += 1;
    if (ownership.contest !== undefined || count === MAX_STATES) return;
  }
}
