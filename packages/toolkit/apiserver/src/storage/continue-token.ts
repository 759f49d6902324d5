import type { ObjectKey } from '@keelson/apimachinery';
import { jsonSyntaxError } from '../json/json-syntax-error.ts';

/** The position at which the next page of a list starts. */
export interface ContinueToken {
  /** The revision of the first page; -1 continues at the newest revision. */
  readonly revision: number;
  /** The last key of the previous page. */
  readonly after: ObjectKey;
}

interface EncodedToken {
  v: string;
  rv: number;
  start: string;
}

/** Appended to a key, it forms the first key that sorts after it. */
const nul = '\u0000';

/** Encodes a token in the format of kube-apiserver. */
export function encodeContinueToken({ revision, after }: ContinueToken): string {
  const token: EncodedToken = { v: 'meta.k8s.io/v1', rv: revision, start: `${after}${nul}` };
  return Buffer.from(JSON.stringify(token)).toString('base64url');
}

/** Decodes a token. Throws a `SyntaxError` with kube-apiserver's message. */
export function decodeContinueToken(text: string): ContinueToken {
  const { v = '', rv = 0, start = '' } = parsed(Buffer.from(text, 'base64url'));
  if (v !== 'meta.k8s.io/v1') {
    throw invalid(`server does not recognize this encoded version ${JSON.stringify(v)}`);
  }
  if (!Number.isSafeInteger(rv) || rv === 0) {
    throw invalid(`incorrect encoded start resourceVersion (version ${v})`);
  }
  if (typeof start !== 'string' || start === '') {
    throw invalid(`incorrect encoded start key (version ${v})`);
  }
  return { revision: rv, after: start.endsWith(nul) ? start.slice(0, -1) : start };
}

function parsed(bytes: Buffer): Partial<EncodedToken> {
  try {
    const value: unknown = JSON.parse(bytes.toString());
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    throw invalid(jsonSyntaxError(bytes));
  }
}

function invalid(why: string): SyntaxError {
  return new SyntaxError(`continue key is not valid: ${why}`);
}
