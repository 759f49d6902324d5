/** A failed evaluation, with the message of cel-go. `&&` and `||` may ignore it. */
export class EvaluationError extends Error {
  override readonly name = 'EvaluationError';
}

/** The cost of an evaluation exceeds its limit. No operator catches this error. */
export class CostLimitError extends Error {
  override readonly name = 'CostLimitError';
  /** The cost up to the operation that exceeded the limit. */
  readonly cost: number;

  constructor(cost: number) {
    super('operation cancelled: actual cost limit exceeded');
    this.cost = cost;
  }
}

/** A constant part of an expression cannot be evaluated, so the expression has no program. */
export class ProgramError extends Error {
  override readonly name = 'ProgramError';
}

/** Throws an `EvaluationError`. */
export function fail(message: string): never {
  throw new EvaluationError(message);
}

/** True if a function returns a value: it neither throws nor returns `undefined`. */
export function succeeds(compute: () => unknown): boolean {
  try {
    return compute() !== undefined;
  } catch (error) {
    if (error instanceof EvaluationError) return false;
    throw error;
  }
}
