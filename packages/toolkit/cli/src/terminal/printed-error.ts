/** Returns the line that a command prints for an error: its code, if it has one, and its message. */
export function printedError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error ? `${String(error.code)}: ${error.message}` : error.message;
}
