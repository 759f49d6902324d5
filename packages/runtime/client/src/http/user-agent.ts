/** The `user-agent` header of a client without one of its own. */
export const DEFAULT_USER_AGENT = 'keelson';

const HEADER_TEXT = /^[\t\u0020-\u007e\u0080-\u00ff]+$/;

/** The header of one request. A function of the user that fails must not fail the request. */
export function userAgentOf(given: string | (() => string)): string {
  if (typeof given === 'string') return given;
  try {
    const text: unknown = given();
    return typeof text === 'string' && HEADER_TEXT.test(text) ? text : DEFAULT_USER_AGENT;
  } catch {
    return DEFAULT_USER_AGENT;
  }
}
