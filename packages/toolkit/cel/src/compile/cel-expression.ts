import { checkOptions, invalidOption } from '@keelson/apimachinery';
import type { CheckedExpression } from '../checks/checked-expression.ts';
import type { Program } from '../evaluation/program.ts';
import { COST_LIMIT } from '../evaluation/run.ts';
import { type CelType, showType } from '../types/cel-type.ts';
import { CostLimitError, EvaluationError } from '../values/evaluation-error.ts';
import { valueOf } from '../values/outcome.ts';
import type { Value } from '../values/value.ts';
import { CelError } from '../errors.ts';
import { givenValue } from './given-value.ts';
import { type CelResult, resultValue } from './result-value.ts';

/** Limits the cost of one evaluation. */
export interface EvaluateOptions {
  /** Cost limit of the evaluation, in the units of kube-apiserver. Default 1 000 000, the limit of kube-apiserver. */
  readonly costLimit?: number;
}

/** The result of an evaluation, and its cost. */
export interface CelEvaluation {
  readonly value: CelResult;
  /** The cost of the evaluation, in the units of kube-apiserver. */
  readonly cost: number;
}

/** A checked expression with its program. */
interface CompiledSource {
  readonly source: string;
  readonly checked: CheckedExpression;
  readonly program: Program;
}

/** A compiled expression, which can be evaluated any number of times. */
export class CelExpression {
  readonly source: string;
  /** The type of the result, as CEL writes it: `map(string, int)`. */
  readonly type: string;
  /** The declared variables that the expression uses. Only these need a value. */
  readonly variables: ReadonlySet<string>;
  readonly #declared: ReadonlyMap<string, CelType>;
  readonly #program: Program;

  /** @internal Created by `CelEnvironment.compile`. */
  constructor(
    { source, checked, program }: CompiledSource,
    declared: ReadonlyMap<string, CelType>,
  ) {
    this.source = source;
    this.type = showType(checked.typeOf(checked.expression));
    this.variables = checked.variables;
    this.#declared = declared;
    this.#program = program;
  }

  /**
   * Evaluates the expression with some values of its variables, which it does not change. Throws `CelError` with
   * code `VARIABLE_INVALID`, `EVALUATION_FAILED` or `COST_LIMIT_EXCEEDED`.
   */
  evaluate(
    values: Readonly<Record<string, unknown>> = {},
    options: EvaluateOptions = {},
  ): CelEvaluation {
    const costLimit = costLimitOf(options);
    const given = this.#given(values);
    try {
      const { value, cost } = this.#program.evaluate(given, costLimit);
      return { value: resultValue(valueOf(value)), cost };
    } catch (error) {
      throw this.#failure(error, costLimit);
    }
  }

  #given(values: Readonly<Record<string, unknown>>): Value[] {
    const unknown = Object.keys(values).find((name) => !this.#declared.has(name));
    if (unknown !== undefined) throw refusedVariable(unknown, 'is not declared');
    return Array.from(this.#declared, ([name, type]) => {
      if (!this.variables.has(name)) return null;
      if (!Object.hasOwn(values, name)) throw refusedVariable(name, 'has no value');
      return givenValue(type, values[name], name);
    });
  }

  #failure(error: unknown, limit: number): unknown {
    const { source: expression } = this;
    if (error instanceof CostLimitError) {
      return new CelError('COST_LIMIT_EXCEEDED', { limit, expression });
    }
    if (!(error instanceof EvaluationError)) return error;
    return new CelError('EVALUATION_FAILED', { reason: error.message, expression });
  }
}

function costLimitOf(options: EvaluateOptions): number {
  checkOptions(options, ['costLimit'], 'evaluate');
  const { costLimit = COST_LIMIT } = options;
  if (typeof costLimit === 'number' && costLimit >= 0) return costLimit;
  throw invalidOption('evaluate.costLimit', 'must be a number from 0 up');
}

function refusedVariable(variable: string, reason: string): CelError {
  return new CelError('VARIABLE_INVALID', { variable, reason });
}
