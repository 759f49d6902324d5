import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Collects garbage until the condition holds. Finalizers and weak references may need several
 * turns.
 */
export async function collectGarbage(holds: () => boolean): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let turn = 0; turn < 50 && !holds(); turn++) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    collect();
  }
}
