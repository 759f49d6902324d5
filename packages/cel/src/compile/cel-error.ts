import { CodedError, type ErrorFacts } from '@keelson/apimachinery';
import { celErrors, type CelErrorCode } from '../errors.ts';

/** An invalid expression or a failed evaluation; `code` names the cause, `facts` has the details. */
export class CelError extends CodedError<CelErrorCode> {
  override readonly name: string = 'CelError';

  constructor(code: CelErrorCode, facts: ErrorFacts = {}, options: { cause?: unknown } = {}) {
    super(code, celErrors[code], facts, options);
  }
}
