import { nodeUtil } from '../../values/node-util.ts';
import { redacted } from '../../values/redacted.ts';

type Facts = Readonly<Record<string, unknown>>;

/**
 * The reason why credentials could not be obtained. The text is written by this package, so an error may show
 * it.
 */
export class CredentialError extends Error {
  readonly facts: Facts;

  constructor(reason: string, facts: Facts = {}) {
    super(reason);
    this.facts = facts;
  }
}

/**
 * Returns the facts of an error that was thrown while credentials were obtained. Messages of other packages are
 * redacted, because plugins and parsers quote the data that they could not use.
 */
export function factsOfFailure(error: unknown, secrets: readonly string[]): Facts {
  if (error instanceof CredentialError) return { reason: error.message, ...error.facts };
  if (!nodeUtil.types.isNativeError(error)) return { reason: 'unknown' };
  if (
    'code' in error &&
    typeof error.code === 'string' &&
    /^[A-Z][A-Z0-9_]{1,60}$/.test(error.code)
  )
    return { reason: error.code };
  return { reason: redacted(error.message, secrets) || 'it failed without a message' };
}
