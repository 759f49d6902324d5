import { ignoreRejections } from '@keelson/apimachinery';

/** The `user-agent` header of a client without one of its own. */
export const DEFAULT_USER_AGENT = 'keelson';

const HEADER_TEXT = /^[\t\u0020-\u007e\u0080-\u00ff]+$/;

/** The header of one request by a function of the user. One that fails must not fail the request. */
export function userAgentOf(given: () => string): string {
  try {
    const text: unknown = given();
    if (typeof text === 'string' && HEADER_TEXT.test(text)) return text;
    // The value may be the promise of an async function. Its rejection must not end the process.
    ignoreRejections(text);
    return DEFAULT_USER_AGENT;
  } catch {
    return DEFAULT_USER_AGENT;
  }
}
