import { WorkQueueError } from './errors.ts';

/** Refuses an unknown option, so that a misspelt name never silently means the default. */
export function checkOptionNames(options: object, known: readonly string[]): void {
  for (const option of Object.keys(options)) {
    if (!known.includes(option)) {
      throw new WorkQueueError('INVALID_OPTION', { option, known: known.join(' ') });
    }
  }
}

/** Refuses a number that is not finite or lies below `least`. */
export function checkNumber(option: string, value: number, least: number = -Infinity): void {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < least) {
    throw new WorkQueueError('INVALID_OPTION', { option, value });
  }
}

/** Refuses anything but a function; an absent option is fine. */
export function checkFunction(option: string, value: unknown): void {
  if (value !== undefined && typeof value !== 'function') {
    throw new WorkQueueError('INVALID_OPTION', { option, value: typeof value });
  }
}
