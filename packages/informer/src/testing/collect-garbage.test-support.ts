import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Turns of the event loop after each collection. V8 runs the finalizers of one registry per turn. */
const TURNS = 2000;
/** One more than finalizers of finalizers need. */
const COLLECTIONS = 10;

/**
 * Collects garbage until the condition holds. Where earlier tests of the process left many registries with finalizers,
 * those of this test need many turns.
 */
export async function collectGarbage(holds: () => boolean): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let turn = 0; turn < COLLECTIONS * TURNS && !holds(); turn++) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    if (turn % TURNS === 0) collect();
  }
}
