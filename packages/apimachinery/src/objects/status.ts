import { CodedError } from '../coded-error.ts';
import { apimachineryErrors } from '../errors.ts';

/** One cause inside a `Status`, usually a field that was refused. */
export interface StatusCause {
  reason?: string;
  message?: string;
  field?: string;
}

/** The object with which the API answers when there is nothing better to return, above all errors. */
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

/** An answer of the API that is an error: its HTTP code, and the `Status` where the server sent one. */
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

  /** The HTTP status code, 0 if the server told none. */
  get statusCode(): number {
    return this.status.code ?? 0;
  }

  /** The machine-readable reason: `NotFound`, `Conflict`, `Expired`, … */
  get reason(): string {
    return this.status.reason ?? '';
  }

  /** How long the server asked to wait before the next try, in milliseconds; `undefined` for an invalid time. */
  get retryAfter(): number | undefined {
    const seconds: unknown = this.status.details?.retryAfterSeconds;
    return typeof seconds === 'number' && seconds >= 0 && seconds < Infinity
      ? seconds * 1000
      : undefined;
  }
}
