import { CodedError, type ErrorFacts } from '@keelson/apimachinery';
import { celErrors, type CelErrorCode } from '../errors.ts';

/** Why an expression was refused, or why its evaluation ended without a value. */
export class CelError extends CodedError<CelErrorCode> {
  override readonly name: string = 'CelError';

  constructor(code: CelErrorCode, facts: ErrorFacts = {}, options: { cause?: unknown } = {}) {
    super(code, celErrors[code], facts, options);
  }
}
