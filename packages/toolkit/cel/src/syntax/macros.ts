import { ExpressionFactory } from './expression-factory.ts';
import { ExpressionSyntaxError } from './expression-issue.ts';
import type { Call, Comprehension, Expression } from './expression.ts';

/** The variable for the result of a comprehension. Sources cannot contain this name. */
export const accumulator = '@result';

type Macro = (call: MacroCall) => Expression;

interface MacroCall {
  readonly name: string;
  readonly make: ExpressionFactory;
  readonly target: Expression;
  readonly args: readonly Expression[];
}

/** The parts of a comprehension that differ between macros. */
type Fold = Pick<Comprehension, 'initial' | 'condition' | 'step' | 'result'>;

/** The macros by name and number of arguments. All except `has` are called on a value. */
const methods: Readonly<Record<string, Macro>> = {
  'all/2': over(1, all),
  'all/3': over(2, all),
  'exists/2': over(1, exists),
  'exists/3': over(2, exists),
  'exists_one/2': over(1, existsOne),
  'exists_one/3': over(2, existsOne),
  'existsOne/3': over(2, existsOne),
  'filter/2': over(1, filter),
  'map/2': over(1, collect(listItem)),
  'map/3': over(1, collect(listItem)),
  'transformList/3': over(2, collect(listItem)),
  'transformList/4': over(2, collect(listItem)),
  'transformMap/3': over(2, collect(mapEntry)),
  'transformMap/4': over(2, collect(mapEntry)),
  'transformMapEntry/3': over(2, collect(mapEntries)),
  'transformMapEntry/4': over(2, collect(mapEntries)),
  'optMap/2': optionalMap((make, body) => make.call('optional.of', body)),
  'optFlatMap/2': optionalMap((_make, body) => body),
  'sortBy/2': sortBy,
};

/** Expands the call of a macro; returns other calls without changes. `bindings`: whether `cel.bind` is a macro. */
export function expandMacro(call: Call, bindings = false): Expression {
  const { name, target, args, offset } = call;
  if (bindings && isBind(call)) return bindName(call);
  if (target === undefined) return name === 'has' && args.length === 1 ? presence(call) : call;
  const macro = methods[`${name}/${args.length}`];
  return macro === undefined
    ? call
    : macro({ make: new ExpressionFactory(offset), name, target, args });
}

function isBind({ name, target, args }: Call): boolean {
  if (name !== 'bind' || args.length !== 3) return false;
  return target?.kind === 'identifier' && target.name === 'cel';
}

function bindName({ args: [variable, value, body], offset }: Call): Expression {
  const make = new ExpressionFactory(offset);
  const words = 'cel.bind() variable names must be simple identifiers';
  const name = simpleName(variable, words);
  return make.bind(name, value ?? make.literal(null), body ?? make.literal(null));
}

function presence({ args: [argument], offset }: Call): Expression {
  if (argument?.kind === 'select') return { ...argument, testOnly: true, offset };
  throw new ExpressionSyntaxError(argument?.offset ?? offset, 'invalid argument to has() macro');
}

interface FoldCall {
  readonly make: ExpressionFactory;
  readonly variables: readonly string[];
  readonly args: readonly Expression[];
}

const NAME_EXPECTED = 'argument must be a simple name';
const collectingMacros: ReadonlySet<string> = new Set(['map', 'filter']);

/** Creates a macro that iterates over a range with one or two variables. */
function over(count: number, fold: (call: FoldCall) => Fold): Macro {
  return ({ make, name, target, args }) => {
    const words =
      count === 1 && collectingMacros.has(name) ? 'argument is not an identifier' : NAME_EXPECTED;
    const variables = args.slice(0, count).map((each) => simpleName(each, words));
    const [variable = '', secondVariable] = variables;
    if (secondVariable !== undefined && variable === secondVariable) {
      const place = args[1]?.offset ?? make.offset;
      throw new ExpressionSyntaxError(place, `duplicate variable name: ${variable}`);
    }
    requireFree(variables, args);
    const parts = fold({ make, variables, args: args.slice(count) });
    return make.fold({ variable, secondVariable, range: target, accumulator, ...parts });
  };
}

/** A former name of the accumulator, which cel-go still reserves. */
const formerAccumulator = '__result__';

function requireFree(variables: readonly string[], args: readonly Expression[]): void {
  const at = variables.indexOf(formerAccumulator);
  if (at < 0) return;
  const words = 'iteration variable overwrites accumulator variable';
  throw new ExpressionSyntaxError(args[at]?.offset ?? 0, words);
}

function simpleName(expression: Expression | undefined, words: string): string {
  if (expression?.kind === 'identifier') return expression.name;
  throw new ExpressionSyntaxError(expression?.offset ?? 0, words);
}

function all({ make, args: [predicate = make.literal(true)] }: FoldCall): Fold {
  const accu = make.name(accumulator);
  return {
    initial: make.literal(true),
    condition: make.call('@not_strictly_false', accu),
    step: make.call('_&&_', accu, predicate),
    result: accu,
  };
}

function exists({ make, args: [predicate = make.literal(true)] }: FoldCall): Fold {
  const accu = make.name(accumulator);
  return {
    initial: make.literal(false),
    condition: make.call('@not_strictly_false', make.call('!_', accu)),
    step: make.call('_||_', accu, predicate),
    result: accu,
  };
}

function existsOne({ make, args: [predicate = make.literal(true)] }: FoldCall): Fold {
  const accu = make.name(accumulator);
  const more = make.call('_+_', accu, make.literal(1n));
  return {
    initial: make.literal(0n),
    condition: make.literal(true),
    step: make.call('_?_:_', predicate, more, accu),
    result: make.call('_==_', accu, make.literal(1n)),
  };
}

function filter({ make, variables: [variable = ''], args }: FoldCall): Fold {
  const [predicate = make.literal(true)] = args;
  return collected(make, make.list(), listItem(make, [], make.name(variable)), predicate);
}

type Addition = (
  make: ExpressionFactory,
  variables: readonly string[],
  item: Expression,
) => Expression;

/** Creates `map`, `transformList` and similar macros: an optional predicate, then the value to collect. */
function collect(add: Addition): (call: FoldCall) => Fold {
  return ({ make, variables, args }) => {
    const [first = make.literal(null), second] = args;
    const empty = add === listItem ? make.list() : emptyMap(make);
    if (second === undefined) return collected(make, empty, add(make, variables, first));
    return collected(make, empty, add(make, variables, second), first);
  };
}

function collected(
  make: ExpressionFactory,
  initial: Expression,
  more: Expression,
  predicate?: Expression,
): Fold {
  const accu = make.name(accumulator);
  const step = predicate === undefined ? more : make.call('_?_:_', predicate, more, accu);
  return { initial, condition: make.literal(true), step, result: accu };
}

function listItem(make: ExpressionFactory, _: readonly string[], item: Expression): Expression {
  return make.call('_+_', make.name(accumulator), make.list(item));
}

function mapEntry(
  make: ExpressionFactory,
  [key = '']: readonly string[],
  item: Expression,
): Expression {
  return make.call('cel.@mapInsert', make.name(accumulator), make.name(key), item);
}

function mapEntries(make: ExpressionFactory, _: readonly string[], item: Expression): Expression {
  return make.call('cel.@mapInsert', make.name(accumulator), item);
}

function emptyMap({ offset }: ExpressionFactory): Expression {
  return { kind: 'map', entries: [], offset };
}

function optionalMap(wrap: (make: ExpressionFactory, body: Expression) => Expression): Macro {
  return ({ make, target, args: [variable, body = make.literal(null)] }) => {
    const name = simpleName(variable, 'optMap() variable name must be a simple identifier');
    const bound = make.bind(name, make.method('value', target), body);
    return make.call(
      '_?_:_',
      make.method('hasValue', target),
      wrap(make, bound),
      make.call('optional.none'),
    );
  };
}

const sortInput = '@__sortBy_input__';

const sortable: ReadonlySet<Expression['kind']> = new Set([
  'list',
  'select',
  'identifier',
  'comprehension',
  'call',
]);

function sortBy({ make, target, args }: MacroCall): Expression {
  if (!sortable.has(target.kind)) {
    const words =
      'sortBy can only be applied to a list, identifier, comprehension, call or select expression';
    throw new ExpressionSyntaxError(target.offset, words);
  }
  const input = make.name(sortInput);
  const keys = over(1, collect(listItem))({ make, name: 'map', target: input, args });
  return make.bind(sortInput, target, make.method('@sortByAssociatedKeys', input, keys));
}
