import type { Dispatcher } from 'undici';
import type { ResponseBody } from './response-body.ts';

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
  readonly body: ResponseBody;
}
