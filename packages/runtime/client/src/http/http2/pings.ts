/** Milliseconds between two PINGs. */
const PING_INTERVAL_MS = 6_000;
/** Intervals in a row without a received byte until the peer counts as lost: 12 to 18 s after its last byte. */
const SILENT_INTERVALS = 2;

/** The parts of an HTTP/2 connection that pings need. */
export interface PingedConnection {
  /** Sends a PING, which every peer must acknowledge at once (RFC 9113, 6.7). */
  ping(): void;
  /** The bytes received so far, acknowledgements included. */
  readonly bytesRead: number;
}

/**
 * Sends PINGs until it is disposed of, and calls `onLost` once if the peer sends nothing. It counts bytes instead of
 * acknowledgements, because an acknowledgement may be late behind much data.
 */
export function startPings(connection: PingedConnection, onLost: () => void): Disposable {
  let received = connection.bytesRead;
  let silent = 0;
  const timer = setInterval(() => {
    silent = connection.bytesRead === received ? silent + 1 : 0;
    received = connection.bytesRead;
    if (silent < SILENT_INTERVALS) return connection.ping();
    clearInterval(timer);
    return onLost();
  }, PING_INTERVAL_MS);
  // Open streams keep the process alive; the timer of the pings must not.
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
