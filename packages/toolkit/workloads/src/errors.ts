import { CodedError, type ErrorFacts } from '@keelson/apimachinery';

/** Every error code of this package, with its constant message; `docs/errors.md` gives cause and cure. */
export const workloadsErrors = {
  NODE_UNKNOWN: 'the node does not exist',
} as const;

/** The `code` of an error of this package; user code may compare it. */
export type WorkloadsErrorCode = keyof typeof workloadsErrors;

/** An error of this package: a code of `workloadsErrors`, and the facts of the case. */
export class WorkloadsError extends CodedError<WorkloadsErrorCode> {
  override readonly name: string = 'WorkloadsError';

  constructor(code: WorkloadsErrorCode, facts: ErrorFacts = {}) {
    super(code, workloadsErrors[code], facts);
  }
}
