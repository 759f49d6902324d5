import type { CredentialRequest } from '../cluster.ts';

/** What one user presents to the API server. */
export interface PresentedCredentials {
  readonly token?: string | undefined;
  /** The client certificate and its key, as PEM. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/**
 * Obtains credentials that change. A call that fails leaves what an earlier one obtained: the next call that is
 * not forced returns that again until it expires.
 */
export interface TokenSource {
  present(request: CredentialRequest): Promise<PresentedCredentials>;
}

/** What fits into the `authorization` header after `Bearer`. */
export function isToken(text: unknown): text is string {
  return typeof text === 'string' && /^[\x21-\x7e]+$/.test(text);
}
