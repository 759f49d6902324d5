import { types } from 'node:util';
import { redacted } from '../../values/redacted.ts';

type Facts = Readonly<Record<string, unknown>>;

/** Why credentials could not be obtained, in words of this package: safe to show as they are. */
export class CredentialFailure extends Error {
  readonly facts: Facts;

  constructor(reason: string, facts: Facts = {}) {
    super(reason);
    this.facts = facts;
  }
}

/**
 * The facts of an error that say what went wrong. The message of an error of another package is redacted,
 * because plugins and parsers print what they could not use.
 */
export function factsOfFailure(error: unknown, secrets: readonly string[]): Facts {
  if (error instanceof CredentialFailure) return { reason: error.message, ...error.facts };
  if (!types.isNativeError(error)) return { reason: 'unknown' };
  if (
    'code' in error &&
    typeof error.code === 'string' &&
    /^[A-Z][A-Z0-9_]{1,60}$/.test(error.code)
  )
    return { reason: error.code };
  return { reason: redacted(error.message, secrets) || 'it failed without a message' };
}
