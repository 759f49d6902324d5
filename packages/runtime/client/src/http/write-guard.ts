import {
  ignoreRejection,
  invalidOption,
  isPromised,
  withLinkedSignal,
} from '@keelson/apimachinery';
import type { Dispatcher } from 'undici';
import type { TransportRequest, WriteGuard } from './transport-request.ts';
import type { UndiciPools } from '../undici/load-undici.ts';

/** Runs a request under a guard: refuses it if `check` throws, and aborts it with the signal of the guard. */
export function underGuard<Result>(
  guard: WriteGuard,
  request: TransportRequest,
  send: (request: TransportRequest) => Promise<Result>,
): Promise<Result> {
  return withLinkedSignal([request.signal, guard.signal], (signal) => {
    checkGuard(guard);
    return send({ ...request, signal, guard });
  });
}

/**
 * Returns a dispatcher that checks the guard when a connection takes the request. An earlier check does not suffice,
 * because the request may wait for a connection. undici sends no byte if the check throws.
 */
export function guardedDispatcher(
  { DecoratorHandler }: UndiciPools,
  dispatcher: Dispatcher,
  guard: WriteGuard,
): Dispatcher {
  return dispatcher.compose((dispatch) => (options, handler) => {
    const guarded: Dispatcher.DispatchHandler = new DecoratorHandler(handler);
    guarded.onRequestStart = (controller, context): void => {
      checkGuard(guard);
      handler.onRequestStart?.(controller, context);
    };
    return dispatch(options, guarded);
  });
}

/**
 * Throws the error of `check`. An async `check` cannot refuse a request in time, so with it every request is refused.
 */
function checkGuard(guard: WriteGuard): void {
  const result: unknown = guard.check();
  if (!isPromised(result)) return;
  ignoreRejection(result);
  throw invalidOption(
    'withWriteGuard.check',
    'must throw to refuse a request, and return no promise',
  );
}
