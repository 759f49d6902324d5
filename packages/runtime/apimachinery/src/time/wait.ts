import { systemClock, type Clock } from './clock.ts';

/** The abort signals of a wait. The first one that aborts ends it. */
export type Signals = readonly (AbortSignal | undefined)[];

/**
 * Waits for a promise whose work takes no signal. Rejects with the reason of the first signal that aborts; the
 * work continues, and its result is ignored.
 */
export async function abortable<Result>(work: Promise<Result>, signals: Signals): Promise<Result> {
  const aborted = Promise.withResolvers<never>();
  const dispose = onAbort(signals, aborted.reject);
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    dispose();
  }
}

/**
 * Runs work with one signal, which aborts with the reason of the first of these signals. No listener is left on them
 * when the work has ended.
 */
export async function withLinkedSignal<Result>(
  signals: Signals,
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const linked = new AbortController();
  const dispose = onAbort(signals, (reason) => linked.abort(reason));
  try {
    return await run(linked.signal);
  } finally {
    dispose();
  }
}

/**
 * Resolves with true if the work settles within the time, else with false. Clears the timer when the work
 * settles.
 */
export async function endsWithin(
  work: Promise<unknown>,
  milliseconds: number,
  clock: Clock = systemClock,
): Promise<boolean> {
  const over = Promise.withResolvers<boolean>();
  const stop = clock.startTimer(milliseconds, () => over.resolve(false));
  const ended = work.then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([ended, over.promise]);
  } finally {
    stop();
  }
}

/** Resolves after a time. Rejects with the reason of the first signal that aborts earlier. */
export async function pause(
  milliseconds: number,
  signals: Signals,
  clock: Clock = systemClock,
): Promise<void> {
  const over = Promise.withResolvers<void>();
  const stop = clock.startTimer(milliseconds, over.resolve);
  const dispose = onAbort(signals, over.reject);
  try {
    await (clock.activity?.wait(over.promise) ?? over.promise);
  } finally {
    stop();
    dispose();
  }
}

/** Returns a function that calls `load` once and keeps its value. After a failure the next call loads again. */
export function loadOnce<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let value: Promise<Value> | undefined;
  return () => {
    value ??= load().catch((error: unknown) => {
      value = undefined;
      throw error;
    });
    return value;
  };
}

/**
 * Calls `end` with the reason of the first signal that aborts, or at once if a signal has aborted. Returns a
 * function that removes the listeners.
 */
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
