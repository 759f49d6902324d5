import type { ServerResponse } from 'node:http';

/** Waits, but not after the client has disconnected. */
export function pause(milliseconds: number, response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(end, milliseconds);
    response.once('close', end);
    function end(): void {
      clearTimeout(timer);
      response.off('close', end);
      resolve();
    }
  });
}
