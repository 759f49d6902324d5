/**
 * The Common Expression Language as kube-apiserver 1.36 has it: its functions and macros, its types, its costs and
 * its messages. Usable alone, also to check in a client what a server would refuse.
 *
 * - An expression that does not compile is refused with every error, its line and its column.
 * - An expression of another type than the one asked for is refused before it is evaluated.
 * - An evaluation ends with an error as soon as it costs more than its limit.
 * - The same expression and the same values give the same value at the same cost.
 * - A regular expression takes time in proportion to the text, whatever the pattern.
 * - An int keeps all its 64 bits, and arithmetic that leaves them fails.
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
export { CelError } from './compile/cel-error.ts';
export type { CelErrorCode } from './errors.ts';
