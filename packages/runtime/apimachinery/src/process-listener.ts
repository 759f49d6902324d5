type Listener = (...values: never[]) => unknown;

/**
 * Adds a listener to the process and returns a function that removes it. Node.js does not count the listener for its
 * warning about leaks, because every manager and every running credential plugin adds one of its own.
 */
export function listenToProcess(event: string, listener: Listener): () => void {
  const target: NodeJS.EventEmitter = process;
  allow(target, 1);
  target.on(event, listener as (...values: unknown[]) => void);
  let isAdded = true;
  return () => {
    if (!isAdded) return;
    isAdded = false;
    target.off(event, listener as (...values: unknown[]) => void);
    allow(target, -1);
  };
}

/**
 * Changes the number of listeners above which Node.js warns of a leak. A limit of 0 stays, because Node.js then never
 * warns.
 */
function allow(target: NodeJS.EventEmitter, more: number): void {
  const limit = target.getMaxListeners();
  if (limit !== 0) target.setMaxListeners(limit + more);
}
