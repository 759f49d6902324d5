/**
 * The Common Expression Language (CEL) of kube-apiserver 1.36, with the same functions, macros, types, costs and error
 * messages, apart from the differences in `docs/designs/cel.md`. A client can use it to validate an object before it sends the object.
 *
 * - An expression that does not compile is refused with every error, its line and its column.
 * - An expression of another type than the required one is refused before it is evaluated.
 * - An evaluation ends with an error as soon as it costs more than its limit.
 * - The same expression and the same values give the same value at the same cost.
 * - A regular expression takes time in proportion to the text, whatever the pattern.
 * - An int keeps all its 64 bits, and arithmetic that exceeds them fails.
 * - A value that does not fit the declared type of its variable is refused with its path.
 * - No evaluation changes the values that it is given.
 *
 * @packageDocumentation
 */

// Expressions
export {
  CelEnvironment,
  type CelEnvironmentOptions,
  type CompileOptions,
} from './compile/cel-environment.ts';
export type { CelEvaluation, CelExpression, EvaluateOptions } from './compile/cel-expression.ts';
export type { CelResult } from './compile/result-value.ts';

// Errors
export { CelError, type CelErrorCode } from './errors.ts';
