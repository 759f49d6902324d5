import { CodedError, type ErrorFacts } from '@keelson/apimachinery';

/** Every error code of this package, with its constant message; `docs/errors.md` gives cause and cure. */
export const intentErrors = {
  EXECUTION_NESTED: 'an execution of the object started another one and would wait for itself',
  EXECUTION_SUPERSEDED: 'a later generation of the object superseded the execution',
  INTENT_NOT_STORED: 'the API server dropped the record of the applied spec',
  INTENT_TOO_LARGE: 'the record of the applied spec exceeds the limit of its place',
} as const;

/** The `code` of an error of this package; user code may compare it. */
export type IntentErrorCode = keyof typeof intentErrors;

/** An error of this package: `code` is a key of `intentErrors`, and `facts` describe the case. */
export class IntentError extends CodedError<IntentErrorCode> {
  override readonly name: string = 'IntentError';

  constructor(code: IntentErrorCode, facts: ErrorFacts = {}, options: { cause?: unknown } = {}) {
    super(code, intentErrors[code], facts, options);
  }
}
