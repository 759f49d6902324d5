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

/** Refuses what is neither left out, nor `true` or `false`. Code `INVALID_OPTION`. */
export function checkFlag(value: unknown, option: string): void {
  if (value !== undefined && typeof value !== 'boolean') {
    throw invalidOption(option, 'must be true or false');
  }
}

/** Refuses what is not a whole number from 1. Code `INVALID_OPTION`. */
export function checkCount(value: unknown, option: string): void {
  if (!Number.isSafeInteger(value) || Number(value) < 1) {
    throw invalidOption(option, 'must be a whole number from 1');
  }
}

/**
 * Refuses what lacks one of the methods, so that an object of another kind is not found out when the first of them
 * is called. Code `INVALID_OPTION`.
 */
export function checkMethods(value: unknown, methods: readonly string[], option: string): void {
  const members = membersOf(value, option);
  for (const method of methods) {
    if (typeof members[method] !== 'function') {
      throw invalidOption(option, `has no method ${method}`);
    }
  }
}

/** Refuses what is neither left out nor an object whose members of these names are functions. Code `INVALID_OPTION`. */
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
 * Completes the delays of a backoff. A default never contradicts what is given: it is then the same as the given
 * one. Refuses a `base` above a `max` that is given too. Code `INVALID_OPTION`.
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

/** Refuses what is neither left out nor a signal. Code `INVALID_OPTION`. */
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
 * Refuses an options argument that is no object or has a member outside `known`, because a
 * misspelt option that is silently ignored is found in production. `where` names the call:
 * `createManager`. `cures` says what to use in place of names that other libraries have. Code `INVALID_OPTION`.
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
