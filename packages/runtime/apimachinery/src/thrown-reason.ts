/**
 * Returns the text of a thrown value for an error. Accepts any value, because user code may throw even a value that
 * throws when it is read.
 */
export function thrownReason(cause: unknown): string {
  try {
    const text: unknown = cause instanceof Error ? cause.message : cause;
    return String(text);
  } catch {
    return 'a value without a text was thrown';
  }
}
