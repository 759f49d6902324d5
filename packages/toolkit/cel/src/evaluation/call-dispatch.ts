import type { CelType } from '../types/cel-type.ts';
import type { Overload } from '../types/function-declaration.ts';
import type { Dispatch, FunctionTable } from '../functions/function-table.ts';
import { Duration } from '../values/duration.ts';
import { EvaluationError } from '../values/evaluation-error.ts';
import { isList, outcomesOf } from '../values/list-value.ts';
import { MapValue } from '../values/map-value.ts';
import { isFailed, type Outcome, outcomeOf } from '../values/outcome.ts';
import { Timestamp } from '../values/timestamp.ts';
import { typeOfValue } from '../values/type-of-value.ts';
import type { Value } from '../values/value.ts';

/** Calls a function with values that are no errors. */
export type Invoke = (args: readonly Value[]) => Outcome;

/** The implementation of a call. */
export interface Callee {
  readonly invoke: Invoke;
  /**
   * True if the call evaluates its arguments one after the other and ends at the first error; otherwise it evaluates all
   * of them first.
   */
  readonly stopsAtErrors: boolean;
}

/** Functions that cel-go binds as functions of any number of arguments, although they have one or two. */
const variadic: ReadonlySet<string> = new Set(['format']);

/** Returns the implementation for the overloads that the checker found, as the planner of cel-go does. */
export function calleeOf(
  functions: FunctionTable,
  name: string,
  matching: readonly Overload[],
): Callee {
  const all = functions.overloadsOf(name) ?? [];
  const dispatch = functions.dispatchOf(name);
  const count = matching[0]?.parameters.length ?? 0;
  if (dispatch.accepts !== undefined) {
    const { accepts, hidden } = dispatch;
    const implementations = hidden === undefined ? all : [...all, hidden];
    return { invoke: singleton(name, implementations, accepts), stopsAtErrors: count > 2 };
  }
  const [only] = matching;
  if (matching.length === 1 && only !== undefined) {
    const stopsAtErrors = count > 2 || variadic.has(name);
    return { invoke: guarded(name, only, dispatch), stopsAtErrors };
  }
  return { invoke: dispatched(name, all, dispatch), stopsAtErrors: true };
}

/** Calls one implementation, whatever the overloads; it chooses by the kinds of the values. */
function singleton(
  name: string,
  all: readonly Overload[],
  accepts: (value: Value) => boolean,
): Invoke {
  const find = overloadFinder(all, acceptsKind);
  return (args) => {
    const [first = null] = args;
    if (!accepts(first)) return withoutTrait(name, first);
    const found = find(args);
    return found === undefined ? new EvaluationError('no such overload') : call(found, args);
  };
}

/** Returns the error for a first argument that has no such function. Strings and times look for one of their own. */
function withoutTrait(name: string, first: Value): EvaluationError {
  const receives =
    typeof first === 'string' || first instanceof Timestamp || first instanceof Duration;
  return new EvaluationError(receives ? 'no such overload' : `no such overload: ${name}`);
}

function guarded(name: string, overload: Overload, { unguarded }: Dispatch): Invoke {
  if (unguarded === true) return (args) => call(overload, args);
  return (args) => (accepted(overload, args) ? call(overload, args) : noSuchOverload(name, args));
}

function dispatched(name: string, all: readonly Overload[], { unguarded }: Dispatch): Invoke {
  const find = overloadFinder(all, unguarded === true ? () => true : acceptsValue);
  return (args) => {
    const found = find(args);
    return found === undefined ? noSuchOverload(name, args) : call(found, args);
  };
}

function call({ implementation }: Overload, args: readonly Value[]): Outcome {
  const compute = implementation as (...args: readonly Value[]) => Outcome;
  return outcomeOf(() => compute(...args));
}

type Accepts = (type: CelType, value: Value) => boolean;

function overloadFinder(
  all: readonly Overload[],
  accepts: Accepts,
): (args: readonly Value[]) => Overload | undefined {
  return (args) =>
    all.find(
      ({ parameters }) =>
        parameters.length === args.length &&
        parameters.every((type, index) => accepts(type, args[index] ?? null)),
    );
}

function accepted({ parameters }: Overload, args: readonly Value[]): boolean {
  return parameters.every((type, index) => acceptsValue(type, args[index] ?? null));
}

function acceptsKind({ kind, name }: CelType, value: Value): boolean {
  if (kind === 'dyn' || kind === 'parameter') return true;
  return typeOfValue(value).name === name;
}

/** True if a type accepts a value; of a list or map the first entry decides, as in cel-go. */
function acceptsValue(type: CelType, value: Value): boolean {
  if (!acceptsKind(type, value)) return false;
  const [first, second] = type.parameters;
  if (first === undefined) return true;
  if (type.kind === 'list' && isList(value)) {
    const [item] = outcomesOf(value);
    return item === undefined || (!isFailed(item) && acceptsValue(first, item));
  }
  if (type.kind !== 'map' || second === undefined || !(value instanceof MapValue)) return true;
  const [key] = value.keys();
  if (key === undefined) return true;
  const entry = value.find(key);
  return (
    acceptsValue(first, key) &&
    entry !== undefined &&
    !isFailed(entry) &&
    acceptsValue(second, entry)
  );
}

function noSuchOverload(name: string, args: readonly Value[]): EvaluationError {
  const types = args.map((value) => runtimeName(value)).join(', ');
  return new EvaluationError(`no such overload: ${name}(${types})`);
}

function runtimeName(value: Value): string {
  return value === null ? 'null_type' : typeOfValue(value).name;
}
