/** The facts of an error: the names and numbers that its constant message omits. They never contain a secret. */
export type ErrorFacts = Readonly<Record<string, unknown>>;

/** The page that has cause and cure of each code. */
const ERRORS_PAGE = 'https://github.com/keelson/keelson/blob/main/docs/errors.md';

/** Returns the address of the entry of an error code in the documentation. `keelson why CODE` prints it offline. */
export function errorDocs(code: string): string {
  return `${ERRORS_PAGE}#${code.toLowerCase()}`;
}

/**
 * The base class of every error that Keelson throws. `code` is stable and listed in `docs/errors.md`. The
 * message is constant per code, and `facts` contains the values that differ.
 */
export class CodedError<Code extends string = string> extends Error {
  override readonly name: string = 'CodedError';
  readonly code: Code;
  readonly facts: ErrorFacts;
  /** The address of the entry of the code in the documentation, with cause and cure. */
  readonly docs: string;

  constructor(
    code: Code,
    message: string,
    facts: ErrorFacts = {},
    options: { cause?: unknown } = {},
  ) {
    super(withFacts(message, facts), options);
    this.code = code;
    this.facts = facts;
    this.docs = errorDocs(code);
  }
}

/**
 * True for an error with this code, also for one from another copy of the package. Never throws: an error that cannot be
 * read, which user code may throw, has no code.
 *
 * @example
 * ```ts
 * import { createManager, hasCode } from '@keelson/manager';
 *
 * const manager = createManager();
 * try {
 *   await manager.start();
 * } catch (error) {
 *   if (!hasCode(error, 'START_TIMEOUT')) throw error;
 *   console.error('the first lists took too long', error.facts);
 * }
 * ```
 */
export function hasCode<Code extends string>(
  error: unknown,
  code: Code,
): error is CodedError<Code> {
  try {
    return error instanceof Error && 'code' in error && error.code === code;
  } catch {
    return false;
  }
}

function withFacts(message: string, facts: ErrorFacts): string {
  const known = Object.entries(facts).filter(([, value]) => value !== undefined);
  const parts = known.map(([key, value]) => `${key}=${format(value)}`);
  return parts.length === 0 ? message : `${message} (${parts.join(', ')})`;
}

function format(value: unknown): string {
  if (typeof value === 'string') return value;
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    // An invalid argument may contain a cycle or a bigint. An error of `JSON.stringify` must not replace this one.
    return typeof value;
  }
}
