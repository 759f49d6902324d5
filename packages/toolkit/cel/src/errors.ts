import { CodedError, type ErrorFacts } from '@keelson/apimachinery';

/** Every error code of this package, with its constant message; `docs/errors.md` gives cause and cure. */
export const celErrors = {
  COST_LIMIT_EXCEEDED: 'the evaluation exceeds its cost limit',
  EVALUATION_FAILED: 'the expression cannot be evaluated with these values',
  EXPRESSION_INVALID: 'the expression does not compile',
  VARIABLE_INVALID: 'the value of a variable does not fit its declaration',
} as const;

/** The `code` of an error of this package; user code may compare it. */
export type CelErrorCode = keyof typeof celErrors;

/** An invalid expression or a failed evaluation; `code` names the cause, `facts` has the details. */
export class CelError extends CodedError<CelErrorCode> {
  override readonly name: string = 'CelError';

  constructor(code: CelErrorCode, facts: ErrorFacts = {}, options: { cause?: unknown } = {}) {
    super(code, celErrors[code], facts, options);
  }
}
