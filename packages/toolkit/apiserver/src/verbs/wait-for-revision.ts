import type { ServerResponse } from 'node:http';
import type { Clock } from '@keelson/apimachinery';
import { tooLargeResourceVersion } from '../status-errors/status-errors.ts';
import type { Storage } from '../storage/storage.ts';

/**
 * Waits until the storage has reached a revision. Throws 504 after the timeout, as kube-apiserver does after three
 * seconds. Ends early if the client disconnects.
 */
export async function waitForRevision(
  storage: Storage,
  resourceVersion: string,
  waiting: { readonly timeout: number; readonly response: ServerResponse; readonly clock: Clock },
): Promise<void> {
  const wanted = Number(resourceVersion);
  if (wanted <= storage.revision) return;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const stopListening = storage.onChange(() => {
    if (storage.revision >= wanted) resolve();
  });
  const { clock, timeout } = waiting;
  const stopTimer = clock.startTimer(timeout, () =>
    reject(tooLargeResourceVersion(resourceVersion, storage.revision)),
  );
  waiting.response.once('close', resolve);
  try {
    await (clock.activity?.wait(promise) ?? promise);
  } finally {
    stopTimer();
    stopListening();
    waiting.response.off('close', resolve);
  }
}
