import type { ObservedRequest, RequestOutcome } from '@keelson/client';
import type { QueuedCause } from '../reconcile/cause.ts';
import { briefError } from '../logging/error-text.ts';
import { Printable } from '../logging/printable.ts';

/** One attempt of a request to the API server that a run sent. */
export interface RecordedCall {
  readonly verb: ObservedRequest['verb'];
  readonly path: string;
  readonly code: RequestOutcome['code'];
  /** Milliseconds until the headers of the response. */
  readonly ms: number;
}

/** The decision that followed a run. */
export type RunDecision =
  /** No run follows until the next event. */
  | 'done'
  /** The run returned `requeueAfter`. */
  | 'requeue'
  /** The run failed or returned `retry`: it runs again after its backoff. */
  | 'retry'
  /** The loop over `controller.work()` was left: the request runs again at once. */
  | 'released'
  /** No retries are left, or the error is terminal. The next event queues the request again. */
  | 'dead-letter'
  /** The error policy ignored the error. */
  | 'ignored'
  /** The run is not retried: its object does not exist, and its sources were removed. */
  | 'dropped'
  /** The controller stopped during the run. */
  | 'stopped';

/** The error of a run, without its stack. */
export interface RecordedError {
  readonly name: string;
  readonly message: string;
  readonly code: string | undefined;
}

/** The most requests of a run that are kept with their paths. */
const MAX_CALLS = 16;
/** The longest message of an error, in characters. */
const MAX_MESSAGE_LENGTH = 500;
/** Estimates of the bytes of a run, and of one request of it. */
export const RUN_BYTES = 700;
export const CALL_BYTES = 160;

/** One run of a request, as the history keeps it. The loop of the controller completes it while the run lasts. */
export interface RecordedRun {
  /** A reading of the controller's clock. */
  readonly startedAt: number;
  readonly attempt: number;
  readonly priority: number;
  /** Milliseconds for which the request was ready before a worker took it. */
  readonly queuedMs: number;
  readonly causes: readonly QueuedCause[];
  /** The first requests to the API server that the run sent; `undefined` without any. */
  calls: RecordedCall[] | undefined;
  /** The number of all requests, also of those that are not kept. */
  callCount: number;
  /** `undefined` while the run has no result. */
  decision: RunDecision | undefined;
  error: RecordedError | undefined;
  /** Milliseconds; `undefined` while the run lasts. */
  duration: number | undefined;
  /** The id of the run, if its log or its reconcile used it. */
  reconcileId: string | undefined;
  /** A reading of the controller's clock: when `requeueAfter` or the backoff of the run ends. `undefined` without one. */
  nextAt: number | undefined;
  /** The number of the first event that queued the run, counted over all events of its request. */
  readonly firstEvent: number;
  /** The number of the first event after the start of the run. */
  readonly endEvent: number;
  /** The bytes of a run that has ended, estimated. */
  bytes: number;
  /** The run of the request before this one; `undefined` if it is not kept. */
  earlier: RecordedRun | undefined;
}

/** Adds a request that a run sent. */
export function addCall(
  run: RecordedRun,
  { verb, path }: ObservedRequest,
  { code, duration }: RequestOutcome,
): void {
  run.callCount += 1;
  run.calls ??= [];
  if (run.calls.length < MAX_CALLS) run.calls.push({ verb, path, code, ms: duration });
}

/** The text of a thrown value without its stack, bounded as in a log line. */
export function errorOf(thrown: unknown): RecordedError {
  const printed = new Printable().of(briefError(thrown) ?? thrown);
  if (typeof printed !== 'object' || printed === null) {
    return { name: 'thrown value', message: cut(String(printed)), code: undefined };
  }
  const { name, message, code } = printed as Readonly<Record<string, unknown>>;
  const text = typeof message === 'string' ? message : JSON.stringify(printed);
  return {
    name: typeof name === 'string' ? cut(name) : 'thrown value',
    message: cut(text),
    code: typeof code === 'string' ? cut(code) : undefined,
  };
}

function cut(text: string): string {
  return text.length > MAX_MESSAGE_LENGTH ? `${text.slice(0, MAX_MESSAGE_LENGTH)}…` : text;
}
