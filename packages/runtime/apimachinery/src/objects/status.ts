import { CodedError } from '../coded-error.ts';
import { apimachineryErrors } from '../errors.ts';

/** One cause in a `Status`, usually an invalid field. */
export interface StatusCause {
  reason?: string;
  message?: string;
  field?: string;
}

/** The response of the API for errors and for calls without an object to return. */
export interface Status {
  apiVersion?: 'v1';
  kind?: 'Status';
  metadata?: { continue?: string; resourceVersion?: string };
  status?: 'Success' | 'Failure';
  message?: string;
  reason?: string;
  details?: {
    name?: string;
    group?: string;
    kind?: string;
    uid?: string;
    causes?: StatusCause[];
    retryAfterSeconds?: number;
  };
  code?: number;
}

/** An error response of the API, with its HTTP code and the `Status` if the server sent one. */
export class StatusError extends CodedError<'API_STATUS'> {
  override readonly name: string = 'StatusError';
  readonly status: Status;

  constructor(
    status: Status,
    facts: Record<string, unknown> = {},
    options: { cause?: unknown } = {},
  ) {
    super(
      'API_STATUS',
      status.message ?? status.reason ?? apimachineryErrors.API_STATUS,
      facts,
      options,
    );
    this.status = status;
  }

  /** The HTTP status code, or 0 if it is unknown. */
  get statusCode(): number {
    return this.status.code ?? 0;
  }

  /** The machine-readable reason: `NotFound`, `Conflict`, `Expired`, … */
  get reason(): string {
    return this.status.reason ?? '';
  }

  /** Time to wait before the next attempt in milliseconds, or `undefined` if it is missing or invalid. */
  get retryAfter(): number | undefined {
    const seconds: unknown = this.status.details?.retryAfterSeconds;
    return typeof seconds === 'number' && seconds >= 0 && seconds < Infinity
      ? seconds * 1000
      : undefined;
  }
}
