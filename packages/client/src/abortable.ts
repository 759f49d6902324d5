/** Signals of which the first to abort ends a wait. */
export type Signals = readonly (AbortSignal | undefined)[];

/**
 * Waits for what has no signal of its own; rejects with the reason of the first signal that aborts. What was
 * waited for goes on unheard.
 */
export async function abortable<Result>(
  awaited: Promise<Result>,
  signals: Signals,
): Promise<Result> {
  const aborted = Promise.withResolvers<never>();
  const dispose = onAbort(signals, aborted.reject);
  try {
    return await Promise.race([awaited, aborted.promise]);
  } finally {
    dispose();
  }
}

/** Waits so many milliseconds, unless a signal aborts first. */
export async function pause(milliseconds: number, signals: Signals): Promise<void> {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, milliseconds);
  const dispose = onAbort(signals, over.reject);
  try {
    await over.promise;
  } finally {
    clearTimeout(timer);
    dispose();
  }
}

/** Calls `end` with the reason of the first signal that aborts, at once if one has; returns how to stop listening. */
function onAbort(signals: Signals, end: (reason: unknown) => void): () => void {
  const listeners = signals.flatMap((signal) => {
    if (signal === undefined) return [];
    const listener = (): void => end(signal.reason);
    if (signal.aborted) listener();
    signal.addEventListener('abort', listener, { once: true });
    return [{ signal, listener }];
  });
  return () => {
    for (const { signal, listener } of listeners) signal.removeEventListener('abort', listener);
  };
}
