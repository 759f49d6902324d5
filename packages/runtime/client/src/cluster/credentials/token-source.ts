import type { CredentialRequest } from '../cluster.ts';

/** The token or client certificate that one user presents to the API server. */
export interface PresentedCredentials {
  readonly token?: string | undefined;
  /** The client certificate and its key, as PEM. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/**
 * Obtains credentials that change. After a failed call the previous credentials stay valid: the next call
 * that is not forced returns them until they expire.
 */
export interface TokenSource {
  present(request: CredentialRequest): Promise<PresentedCredentials>;
}

/** True for a token that the `authorization` header can contain after `Bearer`. */
export function isToken(text: unknown): text is string {
  return typeof text === 'string' && /^[\x21-\x7e]+$/.test(text);
}
