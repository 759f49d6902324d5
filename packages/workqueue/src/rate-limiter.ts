/**
 * Says how long a retry of an item has to wait. Asking and charging are two steps, because an add
 * that collapses into an entry already queued is told its delay but never charged for it.
 * Limiters see the key of an item (see `keyOf`), never the item.
 */
export interface RateLimiter {
  /** The delay in ms that the next retry of this key would get. Changes nothing. */
  delay(key: unknown): number;
  /** Records that this key was given that delay. */
  charge(key: unknown): void;
  /** Forgets the failures of this key: its next delay is the base again. */
  forget(key: unknown): void;
  /** How often this key was charged since it was last forgotten; 0 for a limiter that does not count by key. */
  failures(key: unknown): number;
}
