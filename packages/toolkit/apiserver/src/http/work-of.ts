import type { IncomingMessage } from 'node:http';
import type { Clock, StreamActivity } from '@keelson/apimachinery';
import type { ApiRequest } from './api-request.ts';

/** The header with the id of the work of a client of this process, whose clock is that of the server. */
const WORK_HEADER = 'keelson-work';

/** The id of the client's work that a request is a part of; `undefined` for a client with another clock. */
export function workOf({ headers }: IncomingMessage): string | undefined {
  const id = headers[WORK_HEADER];
  return typeof id === 'string' ? id : undefined;
}

/** Counts the bytes of the response to a watch until its client has processed them. */
export function streamOf(
  { incoming }: Pick<ApiRequest, 'incoming'>,
  { activity }: Clock,
): StreamActivity | undefined {
  const id = workOf(incoming);
  return id === undefined ? undefined : activity?.stream(id);
}
