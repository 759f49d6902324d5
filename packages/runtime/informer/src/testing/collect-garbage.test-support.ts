import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const MAX_COLLECTIONS = 50;
/**
 * Turns of the event loop after a collection: more than the registries of a Jest process, because V8 runs the
 * finalizers of one FinalizationRegistry in each turn.
 */
const TURNS_PER_COLLECTION = 1000;

/**
 * Collects garbage until the condition holds. Also waits for the finalizers of test files that ran before in this
 * process, which come first.
 */
export async function collectGarbage(holds: () => boolean): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let collection = 0; collection < MAX_COLLECTIONS && !holds(); collection++) {
    await turn();
    collect();
    for (let turns = 0; turns < TURNS_PER_COLLECTION && !holds(); turns++) await turn();
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
