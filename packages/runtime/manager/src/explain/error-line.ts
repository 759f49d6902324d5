import { briefError } from '../logging/error-text.ts';
import { oneLine } from '../logging/terminal-text.ts';

/**
 * The message of an error as the body of a response. It may name a part of the query, which must not reach a terminal
 * unescaped.
 */
export function errorLine(error: unknown): string {
  return `${oneLine(String(briefError(error)?.['message']))}\n`;
}
