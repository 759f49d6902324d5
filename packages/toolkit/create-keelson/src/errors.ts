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

/** The names and values that the constant message omits. */
export type CreateErrorFacts = Readonly<Record<string, unknown>>;

/**
 * An error of `create-keelson`; `facts` names the choice, the folder or the file. It has the form of the errors of Keelson,
 * and not their class: `npm create` would have to download the packages of an operator.
 */
export class CreateError extends Error {
  override readonly name: string = 'CreateError';
  readonly code: CreateErrorCode;
  readonly facts: CreateErrorFacts;

  constructor(
    code: CreateErrorCode,
    facts: CreateErrorFacts = {},
    options: { cause?: unknown } = {},
  ) {
    const parts = Object.entries(facts).map(([key, value]) => `${key}=${String(value)}`);
    const message = createErrors[code];
    super(parts.length === 0 ? message : `${message} (${parts.join(', ')})`, options);
    this.code = code;
    this.facts = facts;
  }
}
