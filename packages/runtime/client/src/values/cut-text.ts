/** Cuts a string to the limit, but never in the middle of a character. */
export function cut(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit - 1)}…`.toWellFormed();
}
