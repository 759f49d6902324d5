import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
/** Runs a full collection of garbage. */
export const collect: () => void = runInNewContext('gc') as () => void;

type Use = (copy: Buffer) => void;

/** Uses a copy of the bytes, and returns whether they are still in memory when the use has ended. */
export async function keeps(bytes: Buffer, use: Use): Promise<boolean> {
  return (await keptBy({ use: [bytes, use] })).length > 0;
}

/**
 * Makes all uses, each with a copy of its bytes, and returns the names of those whose copies are still in memory then.
 * They share the collections, which take longest.
 */
export async function keptBy(
  uses: Readonly<Record<string, readonly [bytes: Buffer, use: Use]>>,
): Promise<string[]> {
  const chunks = Object.entries(uses).map(
    ([name, [bytes, use]]) => [name, usedCopy(bytes, use)] as const,
  );
  const kept = (): string[] =>
    chunks.filter(([, chunk]) => chunk.deref() !== undefined).map(([name]) => name);
  for (let turns = 0; turns < 20 && kept().length > 0; turns++) {
    await new Promise((resolve) => setImmediate(resolve));
    collect();
  }
  return kept();
}

/** In a function of its own, so that no variable of the caller refers to the copy. */
function usedCopy(bytes: Buffer, use: Use): WeakRef<ArrayBufferLike> {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  try {
    use(copy);
  } catch {
    // Bytes that were refused must not be kept either.
  }
  return new WeakRef(copy.buffer);
}
