import type { CredentialRequest } from '../cluster.ts';
import { CredentialError } from './credential-error.ts';
import { isToken, type PresentedCredentials, type TokenSource } from './token-source.ts';

/**
 * Reads a token from a file that another process rotates, at each call. While the file is missing, empty or
 * half written, the last token stays in use (client-go's `cachingTokenSource`).
 */
export class TokenFile implements TokenSource {
  readonly #file: string;
  #token: string | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  async present({ signal }: CredentialRequest): Promise<PresentedCredentials> {
    try {
      this.#token = await readToken(this.#file, signal);
    } catch (error) {
      if (this.#token === undefined || signal?.aborted === true) throw error;
    }
    return { token: this.#token };
  }
}

async function readToken(file: string, signal: AbortSignal | undefined): Promise<string> {
  const { readFile } = process.getBuiltinModule('node:fs/promises');
  const text = await readFile(file, { encoding: 'utf8', ...(signal && { signal }) });
  const token = text.trim();
  if (token === '') throw new CredentialError('the token file is empty', { file });
  if (!isToken(token)) throw new CredentialError('the token file is not one line', { file });
  return token;
}
