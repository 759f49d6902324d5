/** Every error code of this package, with its constant message; `docs/errors.md` gives cause and cure. */
export const workqueueErrors = {
  QUEUE_SHUT_DOWN: 'the queue is shut down and accepts no more items',
  INVALID_OPTION: 'an option of the workqueue is not valid',
  REENTRANT_CALL: 'a function that the queue calls called the queue',
  USER_FUNCTION_FAILED: 'a function of the user threw or returned an invalid value',
} as const;

/** A code of {@link WorkQueueError}; user code may compare it. */
export type WorkQueueErrorCode = keyof typeof workqueueErrors;

/** The page that has cause and cure of each code. */
const ERRORS_PAGE = 'https://github.com/keelson/keelson/blob/main/docs/errors.md';

/**
 * An error of this package. Its `code` is stable, its message is constant per code, and `facts` contains the values
 * that differ.
 */
export class WorkQueueError extends Error {
  override readonly name: string = 'WorkQueueError';
  readonly code: WorkQueueErrorCode;
  readonly facts: Readonly<Record<string, unknown>>;
  /** The address of the entry of the code in the documentation, with cause and cure. */
  readonly docs: string;

  constructor(
    code: WorkQueueErrorCode,
    facts: Readonly<Record<string, unknown>> = {},
    options: ErrorOptions = {},
  ) {
    super(withFacts(workqueueErrors[code], facts), options);
    this.code = code;
    this.facts = facts;
    this.docs = `${ERRORS_PAGE}#${code.toLowerCase()}`;
  }
}

function withFacts(message: string, facts: Readonly<Record<string, unknown>>): string {
  const parts = Object.entries(facts).map(([key, value]) => `${key}=${String(value)}`);
  return parts.length === 0 ? message : `${message} (${parts.join(', ')})`;
}
