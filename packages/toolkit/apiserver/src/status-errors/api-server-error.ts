import { CodedError, type ErrorFacts } from '@keelson/apimachinery';
import { apiserverErrors, type ApiServerErrorCode } from '../errors.ts';

/** An error of the embedded server itself. Errors in responses are `StatusError`s. */
export class ApiServerError extends CodedError<ApiServerErrorCode> {
  override readonly name: string = 'ApiServerError';

  constructor(code: ApiServerErrorCode, facts: ErrorFacts = {}, options: { cause?: unknown } = {}) {
    super(code, apiserverErrors[code], facts, options);
  }
}
