import { CodedError } from './coded-error.ts';
import { apimachineryErrors } from './errors.ts';

/**
 * Returns the error for an invalid argument (code `INVALID_OPTION`). It names the option by its path from the
 * call, such as `createManager.servers.metrics`, and says which values are valid.
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

/** Throws `INVALID_OPTION` if the value is not a function. */
export function checkFunction(value: unknown, option: string): void {
  if (typeof value !== 'function') throw invalidOption(option, 'must be a function');
}

/** Throws `INVALID_OPTION` if the value is neither missing nor a boolean. */
export function checkFlag(value: unknown, option: string): void {
  if (value !== undefined && typeof value !== 'boolean') {
    throw invalidOption(option, 'must be true or false');
  }
}

/** Throws `INVALID_OPTION` if the value is not a whole number, or less than `least`. Default 1. */
export function checkCount(value: unknown, option: string, least = 1): void {
  if (!Number.isSafeInteger(value) || Number(value) < least) {
    throw invalidOption(option, `must be a whole number from ${least}`);
  }
}

/**
 * Throws `INVALID_OPTION` if the value lacks one of the methods. Otherwise the error would occur only when
 * the method is called.
 */
export function checkMethods(value: unknown, methods: readonly string[], option: string): void {
  const members = membersOf(value, option);
  for (const method of methods) {
    if (typeof members[method] !== 'function') {
      throw invalidOption(option, `has no method ${method}`);
    }
  }
}

/**
 * Throws `INVALID_OPTION` if the value is neither missing nor an object whose members of these names are
 * functions.
 */
export function checkObserver(value: unknown, methods: readonly string[], option: string): void {
  if (value === undefined) return;
  const members = membersOf(value, option);
  const given = methods.filter((method) => members[method] !== undefined);
  for (const method of given) checkFunction(members[method], `${option}.${method}`);
}

/** The first and the longest delay of a backoff, in milliseconds. */
export interface BackoffDelays {
  readonly base: number;
  readonly max: number;
}

/**
 * Completes the delays of a backoff. A default that contradicts a given delay is replaced by the given one.
 * Throws `INVALID_OPTION` if both are given and `base` is above `max`.
 */
export function backoffDelays(
  given: { readonly base?: number | undefined; readonly max?: number | undefined },
  defaults: BackoffDelays,
  option: string,
): BackoffDelays {
  const { base = Math.min(defaults.base, given.max ?? Infinity) } = given;
  const { max = Math.max(defaults.max, base) } = given;
  if (base > max) throw invalidOption(`${option}.base`, 'must not be above max', { base, max });
  return { base, max };
}

/** Throws `INVALID_OPTION` if the value is neither missing nor an AbortSignal. */
export function checkSignal(signal: unknown, option: string): void {
  if (signal === undefined) return;
  const { aborted } = (signal ?? {}) as { readonly aborted?: unknown };
  if (typeof aborted !== 'boolean') {
    throw invalidOption(option, 'must be an AbortSignal, not its controller');
  }
}

function membersOf(value: unknown, option: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidOption(option, 'must be an object');
  }
  return value as Readonly<Record<string, unknown>>;
}

/**
 * Throws `INVALID_OPTION` if the options are not an object or have a member outside `known`, because a
 * misspelt option would otherwise be ignored. `where` names the call, such as `createManager`. `cures` maps
 * option names of other libraries to the replacement that the error names.
 */
export function checkOptions(
  options: object,
  known: readonly string[],
  where: string,
  cures: Readonly<Record<string, string>> = {},
): void {
  membersOf(options, where);
  for (const name of Object.keys(options)) {
    if (!known.includes(name)) {
      const cure = Object.hasOwn(cures, name) ? { cure: cures[name] } : {};
      const facts = { ...cure, known: known.join(' ') };
      throw invalidOption(`${where}.${name}`, 'unknown option', facts);
    }
  }
}
