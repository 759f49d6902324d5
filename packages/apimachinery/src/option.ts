import { CodedError } from './coded-error.ts';
import { apimachineryErrors } from './errors.ts';

/**
 * The error for a wrong argument: names the option by its path from the call
 * (`createManager.servers.metrics`) and says what would be right. Code `INVALID_OPTION`.
 */
export function invalidOption(
  option: string,
  reason: string,
  facts: Readonly<Record<string, unknown>> = {},
): CodedError<'INVALID_OPTION'> {
  return new CodedError('INVALID_OPTION', apimachineryErrors.INVALID_OPTION, {
    option,
    reason,
    ...facts,
  });
}

/** Refuses what is no function. Code `INVALID_OPTION`. */
export function checkFunction(value: unknown, option: string): void {
  if (typeof value !== 'function') throw invalidOption(option, 'must be a function');
}

/** Refuses what is neither left out nor a signal. Code `INVALID_OPTION`. */
export function checkSignal(signal: unknown, option: string): void {
  if (signal === undefined) return;
  const { aborted } = (signal ?? {}) as { readonly aborted?: unknown };
  if (typeof aborted !== 'boolean') {
    throw invalidOption(option, 'must be an AbortSignal, not its controller');
  }
}

/**
 * Refuses an options argument that is no object or has a member outside `known`, because a
 * misspelt option that is silently ignored is found in production. `where` names the call:
 * `createManager`. Code `INVALID_OPTION`.
 */
export function checkOptions(options: object, known: readonly string[], where: string): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw invalidOption(where, 'must be an object');
  }
  for (const name of Object.keys(options)) {
    if (!known.includes(name)) {
      throw invalidOption(`${where}.${name}`, 'unknown option', { known: known.join(' ') });
    }
  }
}
