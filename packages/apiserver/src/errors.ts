/** Every code that this package throws, with its constant message; `docs/errors.md` gives cause and cure. */
export const apiserverErrors = {
  TOKEN_FILE_INVALID: 'a line of the token file is not token,user,uid[,"groups"]',
} as const;

export type ApiServerErrorCode = keyof typeof apiserverErrors;
