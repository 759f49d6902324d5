/** Why the evaluation of an expression failed, in the words of cel-go. `&&` and `||` may overrule it. */
export class EvaluationError extends Error {
  override readonly name = 'EvaluationError';
}

/** Thrown past everything when an expression has cost more than it may. */
export class CostLimitError extends Error {
  override readonly name = 'CostLimitError';

  constructor() {
    super('operation cancelled: actual cost limit exceeded');
  }
}

export function fail(message: string): never {
  throw new EvaluationError(message);
}

/** Whether a value can be computed: neither fails nor is missing. */
export function succeeds(compute: () => unknown): boolean {
  try {
    return compute() !== undefined;
  } catch (error) {
    if (error instanceof EvaluationError) return false;
    throw error;
  }
}
