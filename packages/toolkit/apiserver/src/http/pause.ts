import type { ServerResponse } from 'node:http';
import type { Clock } from '@keelson/apimachinery';

/** Waits, but not after the client has disconnected. */
export async function pause(
  milliseconds: number,
  response: ServerResponse,
  clock: Clock,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stopTimer = clock.startTimer(milliseconds, resolve);
  response.once('close', resolve);
  try {
    await (clock.activity?.wait(promise) ?? promise);
  } finally {
    stopTimer();
    response.off('close', resolve);
  }
}
