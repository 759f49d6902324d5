import { WorkQueueError } from '../errors.ts';

/** Rejects unknown options: a misspelt name would silently mean the default. */
export function checkOptionNames(options: object, known: readonly string[]): void {
  checkObject('options', options);
  for (const option of Object.keys(options)) {
    if (!known.includes(option)) {
      throw new WorkQueueError('INVALID_OPTION', { option, known: known.join(' ') });
    }
  }
}

/** Throws `INVALID_OPTION` for a value that is not an object. */
export function checkObject(option: string, value: unknown): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new WorkQueueError('INVALID_OPTION', { option, value: typeof value });
  }
}

/** Throws `INVALID_OPTION` for a number that is not finite or is below `least`. */
export function checkNumber(option: string, value: number, least: number = -Infinity): void {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < least) {
    throw new WorkQueueError('INVALID_OPTION', { option, value });
  }
}

/** Throws `INVALID_OPTION` for a value that is neither a function nor `undefined`. */
export function checkFunction(option: string, value: unknown): void {
  if (value !== undefined && typeof value !== 'function') {
    throw new WorkQueueError('INVALID_OPTION', { option, value: typeof value });
  }
}

/** Throws `INVALID_OPTION` for an object that lacks a required function, or has another member than these functions. */
export function checkFunctions(
  option: string,
  value: unknown,
  names: { readonly required: readonly string[]; readonly optional: readonly string[] },
): void {
  checkObject(option, value);
  const members = value as Readonly<Record<string, unknown>>;
  const known = [...names.required, ...names.optional];
  const unknown = Object.keys(members).find((member) => !known.includes(member));
  if (unknown !== undefined) {
    const facts = { option: `${option}.${unknown}`, known: known.join(' ') };
    throw new WorkQueueError('INVALID_OPTION', facts);
  }
  for (const name of names.required) requireFunction(`${option}.${name}`, members[name]);
  for (const name of names.optional) checkFunction(`${option}.${name}`, members[name]);
}

/** Throws `INVALID_OPTION` for a value that is not a function. */
export function requireFunction(option: string, value: unknown): void {
  if (typeof value === 'function') return;
  throw new WorkQueueError('INVALID_OPTION', { option, value: typeof value });
}

/** Throws `INVALID_OPTION` for a value that is neither an `AbortSignal` nor `undefined`. */
export function checkSignal(signal: unknown): void {
  if (signal === undefined) return;
  const { aborted } = (signal ?? {}) as { readonly aborted?: unknown };
  if (typeof aborted !== 'boolean')
    throw new WorkQueueError('INVALID_OPTION', { option: 'signal' });
}

/** Throws `INVALID_OPTION` for an observer with a member that is not a function. */
export function checkObserver(option: string, observer: unknown, methods: readonly string[]): void {
  checkObject(option, observer);
  for (const method of methods) {
    checkFunction(`${option}.${method}`, (observer as Readonly<Record<string, unknown>>)[method]);
  }
}

/** Throws `INVALID_OPTION` for a value that lacks a method of a limiter. */
export function checkLimiter(option: string, limiter: unknown): void {
  checkObject(option, limiter);
  for (const method of ['delay', 'charge', 'forget', 'failures']) {
    if (typeof (limiter as Readonly<Record<string, unknown>>)[method] !== 'function') {
      throw new WorkQueueError('INVALID_OPTION', { option, missing: method });
    }
  }
}
