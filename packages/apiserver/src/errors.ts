/** Every code that this package throws, with its constant message; `docs/errors.md` gives cause and cure. */
export const apiserverErrors = {
  LISTEN_FAILED: 'the server cannot listen on its address',
  PORT_IN_USE: 'another process listens on the port',
  RESOURCE_NOT_SERVED: 'the server serves no such resource',
  SERVER_CLOSED: 'the server has been closed',
  TOKEN_FILE_INVALID: 'a line of the token file is not token,user,uid[,"groups"]',
} as const;

export type ApiServerErrorCode = keyof typeof apiserverErrors;
