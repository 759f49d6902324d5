import type { IdentifiedRequest } from './request.ts';

/** A request in the queue. The queue keeps the item of the first add of each key. */
export interface QueuedRequest<Q extends object> extends IdentifiedRequest<Q> {
  readonly receivedAt: number | undefined;
}

/** The request for its next run, without the arrival time of the event that first queued it. */
export function again<Q extends object>({ key, request }: QueuedRequest<Q>): QueuedRequest<Q> {
  return { key, request, receivedAt: undefined };
}
