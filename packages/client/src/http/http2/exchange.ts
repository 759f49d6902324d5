import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';

/** A request as a connection sends it, with all its headers and its path from the root of the server. */
export interface SentRequest {
  readonly origin: string;
  readonly path: string;
  readonly method: Dispatcher.HttpMethod;
  readonly headers: Record<string, string | string[]>;
  readonly body: string | null;
  readonly signal: AbortSignal | null;
  /** Milliseconds within which the response must start. */
  readonly headersTimeout: number;
  /** Milliseconds without data until the body fails; 0 for no limit. */
  readonly bodyTimeout: number;
}

/** A response whose body has not been read. */
export interface OpenResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Readable;
  /** Returns the error of a body that ended early, if the body itself does not emit it. */
  readonly cutOff?: () => Error | undefined;
}
