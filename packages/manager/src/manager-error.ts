import { CodedError, type ErrorFacts } from '@keelson/apimachinery';
import { managerErrors, type ManagerErrorCode } from './errors.ts';

/** An error of this package: a code out of `managerErrors` and the facts of the case. */
export class ManagerError extends CodedError<ManagerErrorCode> {
  override readonly name: string = 'ManagerError';

  constructor(code: ManagerErrorCode, facts: ErrorFacts = {}, options: { cause?: unknown } = {}) {
    super(code, managerErrors[code], facts, options);
  }
}
