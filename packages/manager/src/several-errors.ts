import { managerErrors } from './errors.ts';

/** What `start` rejects with when more than one error ended a manager: `errors` has each, the first one first. */
export class SeveralErrors extends AggregateError {
  override readonly name: string = 'SeveralErrors';
  readonly code = 'SEVERAL_ERRORS';

  constructor(errors: Iterable<unknown>) {
    super(errors, managerErrors.SEVERAL_ERRORS);
  }
}
