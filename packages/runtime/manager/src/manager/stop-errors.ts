import { errorDocs } from '@keelson/apimachinery';
import { ManagerError, managerErrors } from '../errors.ts';
import type { StopReport } from '../phases/phase-sequence.ts';

/** The distinct errors that stop a manager or occur while it stops, in the order of time. */
export class StopErrors {
  readonly #errors = new Set<unknown>();

  get size(): number {
    return this.#errors.size;
  }

  has(error: unknown): boolean {
    return this.#errors.has(error);
  }

  add(error: unknown): void {
    this.#errors.add(error);
  }

  /** Adds the errors of a stop. A grace period of 0 does not wait, so components that still run are not an error. */
  addReport({ errors, stillRunning }: StopReport, gracePeriod: number): void {
    for (const error of errors) this.#errors.add(error);
    if (stillRunning.length === 0 || gracePeriod === 0) return;
    this.#errors.add(new ManagerError('STOP_DEADLINE_EXCEEDED', { stillRunning, gracePeriod }));
  }

  /** The first error, or `otherwise` if none was added. */
  first(otherwise: Error): unknown {
    const [first] = this.#errors.size > 0 ? this.#errors : [otherwise];
    return first;
  }

  /** Throws a single error as it is, and several as one `SeveralErrors`. */
  throwIfAny(): void {
    const [first] = this.#errors;
    if (this.#errors.size > 1) throw new SeveralErrors(this.#errors);
    if (this.#errors.size === 1) throw first;
  }
}

/** `start` rejects with this error when several errors ended a manager. `errors` has them in the order of time. */
export class SeveralErrors extends AggregateError {
  override readonly name: string = 'SeveralErrors';
  readonly code = 'SEVERAL_ERRORS';
  /** The address of the entry of the code in the documentation. */
  readonly docs: string = errorDocs(this.code);

  constructor(errors: Iterable<unknown>) {
    super(errors, managerErrors.SEVERAL_ERRORS);
  }
}
