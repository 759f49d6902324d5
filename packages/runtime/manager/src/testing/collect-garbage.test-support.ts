import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const MAX_COLLECTIONS = 50;
/** V8 calls finalizers in a later turn of the event loop. */
const TURNS_PER_COLLECTION = 20;

/** Collects garbage until the condition holds. Also waits for finalizers. */
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
