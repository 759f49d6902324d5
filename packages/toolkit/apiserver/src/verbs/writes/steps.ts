import { ApiServerError } from '../../status-errors/api-server-error.ts';

/**
 * A write as a generator. It yields the promises that it has to wait for, of webhooks for example, and gets their results.
 * A write that yields none takes place at once, so that no other write can intervene.
 */
export type Steps<T> = Generator<Promise<unknown>, T, unknown>;

/** Waits within a write for a value that may be a promise. */
export function* wait<T>(value: T | Promise<T>): Steps<T> {
  return value instanceof Promise ? ((yield value) as T) : value;
}

/** Carries out a write of a request. It takes place at once unless it waits for a promise. */
export async function carryOut<T>(steps: Steps<T>): Promise<T> {
  let next = steps.next();
  while (next.done !== true) {
    next = await next.value.then(
      (value) => steps.next(value),
      (error: unknown) => steps.throw(error),
    );
  }
  return next.value;
}

/** Carries out a write of the server itself. Throws `WEBHOOK_NEEDED` if a conversion webhook has to be called first. */
export function carryOutNow<T>(steps: Steps<T>): T {
  const { done, value } = steps.next();
  if (done === true) return value;
  value.catch(() => {});
  steps.return(undefined as never);
  throw new ApiServerError('WEBHOOK_NEEDED');
}
