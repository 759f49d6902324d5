import { CodedError, type ErrorFacts } from '@keelson/apimachinery';

/** Every error code of this package, with its constant message; `docs/errors.md` gives cause and cure. */
export const createErrors = {
  CHOICE_INVALID: 'the choice is invalid',
  CHOICES_MISSING: 'choices are missing, and there is no terminal for questions',
  CANCELLED: 'the questions were cancelled; no file was written',
  FOLDER_NOT_EMPTY: 'the folder is not empty',
  RECORD_INVALID: 'the record of the template is missing or invalid',
  WRITE_FAILED: 'the project could not be read or written',
} as const;

/** The `code` of an error of this package; user code may compare it. */
export type CreateErrorCode = keyof typeof createErrors;

/** An error of `create-keelson`; `facts` names the choice, the folder or the file. */
export class CreateError extends CodedError<CreateErrorCode> {
  override readonly name: string = 'CreateError';

  constructor(code: CreateErrorCode, facts: ErrorFacts = {}, options: { cause?: unknown } = {}) {
    super(code, createErrors[code], facts, options);
  }
}
