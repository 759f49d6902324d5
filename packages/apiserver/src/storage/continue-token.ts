import type { ObjectKey } from '@keelson/apimachinery';

/** Where a list in pages goes on. */
export interface ContinueToken {
  /** The revision of the first page; -1: go on in the newest state. */
  readonly revision: number;
  /** The last key of the page before. */
  readonly after: ObjectKey;
}

interface EncodedToken {
  v: string;
  rv: number;
  start: string;
}

/** Behind a key: the first key that sorts after it. */
const nul = '\u0000';

/** The text of a token, in the form of kube-apiserver. */
export function encodeContinueToken({ revision, after }: ContinueToken): string {
  const token: EncodedToken = { v: 'meta.k8s.io/v1', rv: revision, start: `${after}${nul}` };
  return Buffer.from(JSON.stringify(token)).toString('base64url');
}

/** `undefined` for what is no token. */
export function decodeContinueToken(text: string): ContinueToken | undefined {
  const token = parsed(Buffer.from(text, 'base64url').toString());
  if (token?.v !== 'meta.k8s.io/v1') return undefined;
  if (!Number.isSafeInteger(token.rv) || token.rv === 0 || typeof token.start !== 'string') {
    return undefined;
  }
  return {
    revision: token.rv,
    after: token.start.endsWith(nul) ? token.start.slice(0, -1) : token.start,
  };
}

function parsed(text: string): (Partial<EncodedToken> & { rv: number }) | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as EncodedToken) : undefined;
  } catch {
    return undefined;
  }
}
