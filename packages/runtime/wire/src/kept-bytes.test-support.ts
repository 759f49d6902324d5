import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
/** Runs a full collection of garbage. */
export const collect: () => void = runInNewContext('gc') as () => void;

/** Uses a copy of the bytes, and returns whether they are still in memory when the use has ended. */
export async function keeps(bytes: Buffer, use: (copy: Buffer) => void): Promise<boolean> {
  const chunk = usedCopy(bytes, use);
  for (let turns = 0; turns < 20 && chunk.deref() !== undefined; turns++) {
    await new Promise((resolve) => setImmediate(resolve));
    collect();
  }
  return chunk.deref() !== undefined;
}

/** In a function of its own, so that no variable of the caller refers to the copy. */
function usedCopy(bytes: Buffer, use: (copy: Buffer) => void): WeakRef<ArrayBufferLike> {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  try {
    use(copy);
  } catch {
    // Bytes that were refused must not be kept either.
  }
  return new WeakRef(copy.buffer);
}
