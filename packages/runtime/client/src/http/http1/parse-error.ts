/** Returns the error of a response that does not follow HTTP/1.1. Its code is that of llhttp, which undici reports too. */
export function parseError(code: string, reason: string): Error {
  return Object.assign(new Error(`the response does not follow HTTP/1.1: ${reason}`), { code });
}
