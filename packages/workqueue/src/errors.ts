/** Every code of this package with its message; `docs/errors.md` gives cause and cure. */
export const workqueueErrors = {
  QUEUE_SHUT_DOWN: 'the queue is shut down and accepts no more items',
  INVALID_OPTION: 'an option of the workqueue is not valid',
} as const;

/** The codes of {@link WorkQueueError}. */
export type WorkQueueErrorCode = keyof typeof workqueueErrors;

/** An error of this package: a stable `code`, a constant message, and the facts of the case. */
export class WorkQueueError extends Error {
  override readonly name: string = 'WorkQueueError';
  readonly code: WorkQueueErrorCode;
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(code: WorkQueueErrorCode, facts: Readonly<Record<string, unknown>> = {}) {
    super(withFacts(workqueueErrors[code], facts));
    this.code = code;
    this.facts = facts;
  }
}

function withFacts(message: string, facts: Readonly<Record<string, unknown>>): string {
  const parts = Object.entries(facts).map(([key, value]) => `${key}=${String(value)}`);
  return parts.length === 0 ? message : `${message} (${parts.join(', ')})`;
}
