import type { CheckedExpression } from '../checks/checked-expression.ts';
import { ProgramError } from '../values/evaluation-error.ts';
import type { CelLibrary } from './cel-library.ts';
import { checkSource } from './check-source.ts';
import { estimateCost } from '../cost/cost-estimator.ts';
import type { SizedType } from '../cost/sized-type.ts';
import { Program } from '../evaluation/program.ts';
import type { CelType } from '../types/cel-type.ts';

export interface CompiledExpression {
  readonly program: Program;
  readonly type: CelType;
  /** The largest possible cost of one evaluation. */
  readonly cost: number;
  /** The least cost of one evaluation that ends without an error. */
  readonly leastCost: number;
  /** The variables that the expression uses. */
  readonly variables: ReadonlySet<string>;
}

/** The variables and the result type that an expression is compiled for. */
export interface ExpressionScope {
  readonly variables: ReadonlyMap<string, CelType>;
  /** The type of `self`, whose sizes limit the estimated cost. */
  readonly self: SizedType;
  /** Returns the reason if the expression may not have a type. Default: it may have any type. */
  readonly refusal?: (type: CelType) => string | undefined;
}

/** A compiled expression without an estimate of its cost. */
export type CompiledProgram = Pick<CompiledExpression, 'program' | 'type' | 'variables'>;

/**
 * Compiles an expression of an admission policy or a match condition, whose cost only its evaluation limits. Returns the
 * reason if it does not compile, as kube-apiserver words it. Values are passed to the program in the order of `variables`.
 * `refusal`: returns the reason if the expression may not have a type.
 */
export function compileProgram(
  library: CelLibrary,
  source: string,
  variables: ReadonlyMap<string, CelType>,
  refusal: (type: CelType) => string | undefined,
): CompiledProgram | string {
  const checked = checkSource(library, source, variables);
  if (typeof checked === 'string') return `compilation failed: ${checked}`;
  const refused = refusal(checked.typeOf(checked.expression));
  if (refused !== undefined) return refused;
  const program = programOf(library, checked, [...variables.keys()]);
  if (typeof program === 'string') return `program instantiation failed: ${program}`;
  return { program, type: checked.typeOf(checked.expression), variables: checked.variables };
}

/** Returns the type of an expression, or its errors, without a program. */
export function checkTypes(
  library: CelLibrary,
  source: string,
  variables: ReadonlyMap<string, CelType>,
): CelType | string {
  const checked = checkSource(library, source, variables);
  return typeof checked === 'string' ? checked : checked.typeOf(checked.expression);
}

/** Returns the compiled expression, or the reason why it does not compile. */
export function compileExpression(
  library: CelLibrary,
  source: string,
  scope: ExpressionScope,
): CompiledExpression | string {
  const checked = checkSource(library, source, scope.variables);
  if (typeof checked === 'string') return `compilation failed: ${checked}`;
  const type = checked.typeOf(checked.expression);
  const refused = scope.refusal?.(type);
  if (refused !== undefined) return refused;
  const program = programOf(library, checked, [...scope.variables.keys()]);
  if (typeof program === 'string') return `program instantiation failed: ${program}`;
  const cost = estimateCost(checked, scope.self);
  return {
    type,
    program,
    cost: cost.most,
    leastCost: cost.least,
    variables: checked.variables,
  };
}

/** Plans a checked expression; returns the error of a constant part that cannot be evaluated. */
export function programOf(
  library: CelLibrary,
  checked: CheckedExpression,
  variables: readonly string[],
): Program | string {
  try {
    return new Program(checked, library, variables);
  } catch (error) {
    if (error instanceof ProgramError) return error.message;
    throw error;
  }
}
