import {
  CostLimitError,
  Duration,
  EvaluationError,
  MapValue,
  Optional,
  Program,
  SchemaList,
  Timestamp,
  accumulator,
  addQuantities,
  allocation,
  boolType,
  bytesType,
  canonicalQuantity,
  checkConfigKey,
  checkCronJobName,
  checkDns1035Label,
  checkDnsLabel,
  checkLabelValue,
  checkNameWithoutDots,
  checkPathSegment,
  checkPortName,
  checkQualifiedName,
  checkSource,
  checkStatefulSetName,
  checkSubdomain,
  checkWildcardSubdomain,
  compareQuantities,
  doubleType,
  durationType,
  dynType,
  fail,
  hasFormat,
  intType,
  isBinding,
  isKnownFormat,
  isOptional,
  lengthOf,
  listCost,
  listType,
  makeCelLibrary,
  mapCost,
  mapType,
  nanosOfQuantity,
  objectType,
  optionalType,
  parameterOf,
  patternIssue,
  patternProblem,
  perCharacter,
  perPatternCharacter,
  quantitySyntaxMessage,
  showValue,
  stringType,
  subtractQuantities,
  timestampType,
} from '../chunk-RSIKH3VJ.js';

// packages/cel/src/cost/cost-range.ts
var MAX_COST = 2 ** 64;
var zeroCost = { least: 0, most: 0 };
var unknownCost = { least: 0, most: MAX_COST };
function exactCost(amount) {
  return { least: amount, most: amount };
}
function sum(...ranges) {
  return ranges.reduce(
    (one, other) => bounded(one.least + other.least, one.most + other.most),
    zeroCost,
  );
}
function product(one, other) {
  return bounded(one.least * other.least, one.most * other.most);
}
function scaled({ least, most }, factor) {
  return bounded(Math.ceil(least * factor), Math.ceil(most * factor));
}
function union(one, other) {
  return bounded(Math.min(one.least, other.least), Math.max(one.most, other.most));
}
function bounded(least, most) {
  return { least: Math.min(least, MAX_COST), most: Math.min(most, MAX_COST) };
}

// packages/cel/src/cost/list-call-estimate.ts
function estimateListCall(call) {
  const { overload, target, args, sizeOf } = call;
  if (overload.name === 'lists.range') return makes(1, exactCost(numberOf(args[0], MAX_COST)));
  if (target === void 0) return void 0;
  const size = sizeOf(target);
  switch (overload.name) {
    case 'slice': {
      const count = numberOf(args[1], size.most) - numberOf(args[0], 0);
      return makes(1, exactCost(count < 0 ? MAX_COST : count));
    }
    case 'reverse':
      return makes(1, size);
    case 'flatten':
      return makes(args.length === 0 ? 1 : numberOf(args[0], MAX_COST), size);
    case 'distinct':
      return makes(2, product(size, size));
    case 'sort':
      return sorts(call, size);
    case '@sortByAssociatedKeys':
      return args[0] && sorts(call, sizeOf(args[0]));
    default:
      return void 0;
  }
}
function sorts({ overload }, size) {
  const keys = overload.parameters.at(-1)?.parameters[0]?.name ?? '';
  const factor = keys === 'string' || keys === 'bytes' ? 2 + perCharacter : 2;
  return makes(factor, product(size, size));
}
function makes(factor, size) {
  return { cost: sum(scaled(size, factor), exactCost(allocation)), size };
}
function numberOf(expression, otherwise) {
  if (expression?.kind !== 'literal' || typeof expression.value !== 'bigint') return otherwise;
  return Math.max(0, Number(expression.value));
}

// packages/cel/src/cost/call-estimate.ts
function estimateCall(call, argCosts) {
  const estimate = estimateListCall(call) ?? estimators[call.overload.name]?.(call);
  if (estimate !== void 0) {
    return { cost: sum(estimate.cost, ...argCosts), size: estimate.size };
  }
  return estimateOperator(call, argCosts) ?? { cost: sum(exactCost(1), ...argCosts) };
}
function estimateOperator(
  { overload: { name }, args, sizeOf },
  [first = zeroCost, second = zeroCost, third = zeroCost],
) {
  if (name === '_&&_' || name === '_||_') {
    return { cost: { least: first.least, most: sum(first, second).most } };
  }
  const [, yes, no] = args;
  if (name !== '_?_:_' || yes === void 0 || no === void 0) return void 0;
  return { cost: sum(first, union(second, third)), size: union(sizeOf(yes), sizeOf(no)) };
}
var once = () => ({ cost: exactCost(1) });
function reading(factor, of, sized = false) {
  return ({ target, args, sizeOf }) => {
    const text = of === 'target' ? target : args[0];
    if (text === void 0) return void 0;
    const size = sizeOf(text);
    return { cost: scaled(size, factor * perCharacter), size: sized ? size : void 0 };
  };
}
var estimators = {
  isSorted: goThrough,
  sum: goThrough,
  max: goThrough,
  min: goThrough,
  indexOf: goThrough,
  lastIndexOf: goThrough,
  url: reading(1, 'first', true),
  lowerAscii: reading(1, 'target', true),
  upperAscii: reading(1, 'target', true),
  substring: reading(1, 'target', true),
  trim: reading(1, 'target', true),
  replace,
  split,
  join,
  find: searching,
  findAll: searching,
  cidr: reading(1, 'first'),
  isIP: reading(1, 'first'),
  isCIDR: reading(1, 'first'),
  ip: (call) => (call.target === void 0 ? reading(1, 'first')(call) : once(call)),
  'ip.isCanonical': reading(2, 'first'),
  containsIP: (call) => within(call, 2),
  containsCIDR: (call) => within(call, 3),
  quantity: reading(1, 'first'),
  isQuantity: reading(1, 'first'),
  semver: reading(1, 'first'),
  isSemver: reading(1, 'first'),
  validate: ({ args: [text], sizeOf }) =>
    text && { cost: scaled(scaled(sizeOf(text), perCharacter), 128 * perPatternCharacter) },
  'sets.contains': sets(1),
  'sets.intersects': sets(1),
  'sets.equivalent': sets(2),
  format: reading(1, 'target'),
  startsWith: reading(1, 'first'),
  endsWith: reading(1, 'first'),
  '@in': ({ args: [, list], overload, sizeOf }) =>
    overload.parameters[1]?.kind === 'list' && list ? { cost: sizeOf(list) } : void 0,
  matches,
  contains: ({ target, args: [part], sizeOf }) =>
    target &&
    part && {
      cost: product(scaled(sizeOf(target), perCharacter), scaled(sizeOf(part), perCharacter)),
    },
  '_+_': concatenate,
  '_<_': ordering,
  '_<=_': ordering,
  '_>_': ordering,
  '_>=_': ordering,
  '_==_': equality,
  '_!=_': compare,
  bytes: ({ args: [text], overload, sizeOf }) => {
    if (overload.parameters[0]?.name !== 'string' || text === void 0) return void 0;
    const size = sizeOf(text);
    const most = Math.min(size.most * 4, MAX_COST);
    return { cost: scaled(size, perCharacter), size: { least: size.least, most } };
  },
  string: ({ args: [bytes], overload, sizeOf }) => {
    if (overload.parameters[0]?.name !== 'bytes' || bytes === void 0) return void 0;
    const { least, most } = sizeOf(bytes);
    const size = { least: Math.floor(least / 4), most };
    return { cost: scaled({ least, most }, perCharacter), size };
  },
  'strings.quote': ({ args: [text], sizeOf }) => {
    if (text === void 0) return void 0;
    const { least, most } = sizeOf(text);
    const size = { least: least + 2, most: Math.min(most * 2 + 2, MAX_COST) };
    return { cost: scaled({ least, most }, perCharacter), size };
  },
};
function goThrough({ target, typeOf, sizeOf, sizeOfItems }) {
  if (target === void 0) return void 0;
  const [item] = typeOf(target).parameters;
  if (item === void 0) return { cost: scaled(sizeOf(target), perCharacter) };
  if (item.name !== 'string' && item.name !== 'bytes') {
    return { cost: product(sizeOf(target), exactCost(1)) };
  }
  const each = sum(exactCost(1), scaled(sizeOfItems(target), perCharacter));
  return { cost: product(sizeOf(target), each) };
}
function replace({ target, args: [old, next], sizeOf }) {
  if (target === void 0 || old === void 0 || next === void 0) return void 0;
  const text = sizeOf(target);
  const size = replacedSize(text, sizeOf(old), sizeOf(next));
  return { cost: scaled(text, 2 * perCharacter), size };
}
function replacedSize(text, old, next) {
  const most = replacedMost(text.most, old.least, next.most);
  const least = replacedLeast(text.least, old.most, next.least);
  return { least: Math.min(least, MAX_COST), most: Math.min(most, MAX_COST) };
}
function replacedMost(text, old, next) {
  if (old === 0) return (text + 1) * next + text;
  return next <= old ? text : Math.ceil(text / old) * next;
}
function replacedLeast(text, old, next) {
  if (old === 0) return (text + 1) * next + text;
  return old <= next ? text : Math.ceil(text / old) * next;
}
function split({ target, args: [, limit], sizeOf }) {
  if (target === void 0) return void 0;
  const text = sizeOf(target);
  const count = limit?.kind === 'literal' ? Number(limit.value) : void 0;
  const most = count === void 0 || count < 0 ? (count === void 0 ? text.most : MAX_COST) : count;
  return { cost: scaled(text, 2 * perCharacter), size: { least: 0, most } };
}
function join({ target, args: [separator], typeOf, sizeOf, sizeOfItems }) {
  if (target === void 0) return void 0;
  const list = sizeOf(target);
  const known = typeOf(target).parameters.length > 0;
  const items = known ? product(list, sizeOfItems(target)) : zeroCost;
  const gaps = { least: Math.max(0, list.least - 1), most: Math.max(0, list.most - 1) };
  const size = separator === void 0 ? items : sum(items, product(sizeOf(separator), gaps));
  return { cost: scaled(size, perCharacter), size };
}
function searching({ target, args: [source], sizeOf }) {
  if (target === void 0 || source === void 0) return void 0;
  const text = sizeOf(target);
  const cost = product(
    scaled(sum(text, exactCost(1)), perCharacter),
    scaled(sizeOf(source), perPatternCharacter),
  );
  return { cost, size: { least: 0, most: text.most } };
}
function matches(call) {
  const estimate = searching(call);
  return estimate && { cost: estimate.cost };
}
function within({ args: [other], overload, sizeOf }, factor) {
  const address = { least: 4, most: 16 };
  let cost = scaled(sum(address, address), perCharacter);
  if (factor === 3) cost = sum(cost, scaled(address, perCharacter), exactCost(1));
  const text = overload.parameters[1]?.name === 'string' && other !== void 0;
  return { cost: text ? sum(cost, scaled(sizeOf(other), perCharacter)) : cost };
}
function sets(factor) {
  return ({ args: [one, other], sizeOf }) =>
    one &&
    other && { cost: sum(scaled(product(sizeOf(one), sizeOf(other)), factor), exactCost(1)) };
}
function concatenate({ args: [one, other], overload, sizeOf }) {
  const kind = overload.parameters[0]?.name ?? '';
  if (!['string', 'bytes', 'list'].includes(kind) || !one || !other) return void 0;
  const size = sum(sizeOf(one), sizeOf(other));
  return { cost: kind === 'list' ? exactCost(1) : scaled(size, perCharacter), size };
}
function ordering(call) {
  const kind = call.overload.parameters[0]?.name;
  return kind === 'string' || kind === 'bytes' ? compare(call) : void 0;
}
var unitEquality = /* @__PURE__ */ new Set([
  'net.IP',
  'net.CIDR',
  'kubernetes.Quantity',
  'kubernetes.Semver',
]);
function equality(call) {
  const [one, other] = call.args;
  if (one === void 0 || other === void 0) return void 0;
  const { name } = call.typeOf(one);
  if (name !== call.typeOf(other).name) return compare(call);
  if (unitEquality.has(name)) return once(call);
  if (name === 'kubernetes.NamedFormat') return { cost: { least: 1, most: 7 } };
  return compare(call);
}
function compare({ args: [one, other], sizeOf }) {
  if (one === void 0 || other === void 0) return void 0;
  const most = Math.min(sizeOf(one).most, sizeOf(other).most);
  return { cost: scaled({ least: most > 0 ? 1 : 0, most }, perCharacter) };
}

// packages/cel/src/cost/expression-sizes.ts
var ExpressionSizes = class {
  #checked;
  #self;
  #paths = /* @__PURE__ */ new Map();
  #sizes = /* @__PURE__ */ new Map();
  #entrySizes = /* @__PURE__ */ new Map();
  #locals = [];
  constructor(checked, self) {
    this.#checked = checked;
    this.#self = self;
  }
  /** Records the path in the resource that an expression selects. */
  place(expression, path) {
    this.#paths.set(expression, path);
  }
  set(expression, size) {
    this.#sizes.set(expression, size);
  }
  setEntries(expression, size) {
    this.#entrySizes.set(expression, size);
  }
  /** Runs `estimate` with some variables in scope. */
  within(locals, estimate) {
    const outer = this.#locals;
    this.#locals = [...outer, ...locals];
    const estimated = estimate();
    this.#locals = outer;
    return estimated;
  }
  localOf(name, expression) {
    const path = this.pathOf(expression);
    const size = this.sizeOf(expression);
    return { name, path, size, entrySize: this.entriesOf(expression) };
  }
  local(expression) {
    if (expression.kind !== 'identifier') return void 0;
    return this.#locals.findLast(({ name }) => name === expression.name);
  }
  pathOf(expression) {
    const path = this.local(expression)?.path ?? this.#paths.get(expression) ?? [];
    return path[0] === accumulator ? [] : path;
  }
  copy(to, from) {
    const size = this.sizeOf(from);
    const entrySize = this.entriesOf(from);
    if (size !== void 0) this.#sizes.set(to, size);
    if (entrySize !== void 0) this.#entrySizes.set(to, entrySize);
  }
  entriesOf(expression) {
    return this.#entrySizes.get(expression) ?? this.local(expression)?.entrySize;
  }
  sizeOrUnknown(expression) {
    return this.sizeOf(expression) ?? unknownCost;
  }
  /** Returns the size of the items of a list of the resource. */
  sizeOfItems(expression) {
    const path = this.pathOf(expression);
    return this.#declared(path.length === 0 ? [] : [...path, '@items']) ?? unknownCost;
  }
  sizeOf(expression) {
    return (
      this.#sizes.get(expression) ??
      literalSize(expression) ??
      this.#declared(this.pathOf(expression)) ??
      scalarSize(this.#checked.typeOf(expression)) ??
      this.local(expression)?.size
    );
  }
  /** Returns the size that the schema declares for the values at a path. */
  #declared(path) {
    if (path.length === 0) return void 0;
    let at = this.#self;
    for (const step of path.slice(1)) {
      if (step === '@keys') at = at?.key;
      else at = step === '@items' || step === '@values' ? at?.element : at?.fields?.get(step);
    }
    return at === void 0 ? void 0 : { least: 0, most: at.most };
  }
};
function literalSize(expression) {
  switch (expression.kind) {
    case 'list':
      return exactCost(expression.elements.length);
    case 'map':
      return exactCost(expression.entries.length);
    case 'literal': {
      const { value } = expression;
      if (typeof value === 'string') return exactCost(lengthOf(value));
      return exactCost(value instanceof Uint8Array ? value.length : 1);
    }
    default:
      return void 0;
  }
}
var scalars = /* @__PURE__ */ new Set([
  'bool',
  'double',
  'int',
  'uint',
  'google.protobuf.Duration',
  'google.protobuf.Timestamp',
]);
function scalarSize(type) {
  if (isOptional(type)) return scalarSize(parameterOf(type));
  return scalars.has(type.name) ? exactCost(1) : void 0;
}

// packages/cel/src/cost/cost-estimator.ts
function estimateCost(checked, self) {
  return new CostEstimator(checked, self).estimate(checked.expression);
}
var CostEstimator = class {
  #checked;
  #sizes;
  constructor(checked, self) {
    this.#checked = checked;
    this.#sizes = new ExpressionSizes(checked, self);
  }
  estimate(expression) {
    switch (expression.kind) {
      case 'literal':
      case 'message':
        return zeroCost;
      case 'identifier':
        return this.#identifier(expression);
      case 'select':
        return this.#select(expression);
      case 'call':
        return this.#call(expression);
      case 'list':
        return this.#list(expression);
      case 'map':
        return this.#map(expression);
      case 'comprehension':
        return isBinding(expression) ? this.#binding(expression) : this.#fold(expression);
    }
  }
  #identifier(expression) {
    this.#sizes.place(expression, this.#sizes.local(expression)?.path ?? [expression.name]);
    return exactCost(1);
  }
  #select(expression) {
    const { operand, field, testOnly } = expression;
    if (this.#checked.isQualified(expression)) {
      this.#sizes.place(expression, [field]);
      return exactCost(1);
    }
    const cost = this.estimate(operand);
    if (testOnly) return cost;
    this.#sizes.place(expression, [...this.#sizes.pathOf(operand), field]);
    const { kind } = this.#checked.typeOf(operand);
    return kind === 'map' || kind === 'object' ? sum(cost, exactCost(1)) : cost;
  }
  #call(call) {
    const { name, args } = call;
    const [first, second] = args;
    if (name === 'dyn' && first !== void 0) return this.#unwrapped(call, first);
    const argCosts = args.map((each) => this.estimate(each));
    const overloads = this.#checked.overloadsOf(call);
    const target = this.#checked.isQualified(call) ? void 0 : call.target;
    const targetCost = target === void 0 ? zeroCost : this.estimate(target);
    const node = this.#callNode(call, target);
    const estimates = overloads.map((overload) => estimateCall({ ...node, overload }, argCosts));
    const [cost, ...others] = estimates.map((estimate) => estimate.cost);
    if (cost === void 0) return zeroCost;
    const size = this.#sizeOfCall(call, estimates);
    if (size !== void 0) this.#sizes.set(call, size);
    if (name === '_+_') this.#joinEntries(call, first);
    if (name === '_?_:_') this.#joinEntries(call, second);
    return sum(targetCost, others.reduce(union, cost));
  }
  /** Returns the size of a result: that of any overload, or that of the declared type if no overload has one. */
  #sizeOfCall(call, estimates) {
    const [first] = call.args;
    let size;
    for (const [index, { parameters }] of this.#checked.overloadsOf(call).entries()) {
      size = unionOf(size, estimates[index]?.size);
      if (call.name === '_[_]' && first !== void 0) {
        size = this.#indexed(call, first, parameterKind(parameters)) ?? size;
      }
      size ??= this.#sizes.sizeOf(call);
    }
    return size;
  }
  /** The result of an operator may contain the entries of either operand. */
  #joinEntries(call, one) {
    const other = call.args.at(-1);
    const sizes = [one, other].map((each) => each && this.#sizes.entriesOf(each));
    const [left, right] = sizes;
    if (left === void 0 || right === void 0) return;
    this.#sizes.setEntries(call, {
      kind: left.kind,
      key: union(left.key, right.key),
      value: union(left.value, right.value),
    });
  }
  #indexed(call, container, kind) {
    this.#sizes.place(call, [
      ...this.#sizes.pathOf(container),
      kind === 'map' ? '@values' : '@items',
    ]);
    return this.#sizes.entriesOf(container)?.value;
  }
  #callNode(call, target) {
    return {
      name: call.name,
      target,
      args: call.args,
      typeOf: (expression) => this.#checked.typeOf(expression),
      sizeOf: (expression) => this.#sizes.sizeOrUnknown(expression),
      sizeOfItems: (expression) => this.#sizes.sizeOfItems(expression),
    };
  }
  #unwrapped(call, argument) {
    const cost = this.estimate(argument);
    this.#sizes.copy(call, argument);
    return sum(exactCost(1), cost);
  }
  #list(expression) {
    const costs = expression.elements.map(({ value: value2 }) => this.estimate(value2));
    const value = this.#sizeOfAll(expression.elements.map((element) => element.value));
    this.#sizes.setEntries(expression, { kind: 'list', key: exactCost(1), value });
    return sum(exactCost(listCost), ...costs);
  }
  #map(expression) {
    const { entries } = expression;
    const costs = entries.flatMap(({ key: key2, value: value2 }) => [
      this.estimate(key2),
      this.estimate(value2),
    ]);
    const key = this.#sizeOfAll(entries.map((entry) => entry.key));
    const value = this.#sizeOfAll(entries.map((entry) => entry.value));
    this.#sizes.setEntries(expression, { kind: 'map', key, value });
    return sum(exactCost(mapCost), ...costs);
  }
  #sizeOfAll(expressions) {
    const [first = zeroCost, ...rest] = expressions.map((each) => this.#sizes.sizeOrUnknown(each));
    return rest.reduce(union, first);
  }
  #binding(expression) {
    const { initial, result, range, accumulator: name } = expression;
    const before = sum(this.estimate(range), this.estimate(initial));
    const cost = this.#sizes.within([this.#sizes.localOf(name, initial)], () =>
      this.estimate(result),
    );
    this.#sizes.copy(expression, result);
    return sum(before, cost);
  }
  #fold(expression) {
    const { range, initial, condition, step, result } = expression;
    const before = sum(this.estimate(range), this.estimate(initial));
    const gathered = this.#sizes.localOf(expression.accumulator, initial);
    const turn = this.#sizes.within([gathered, ...this.#iteration(expression)], () => {
      const loop = this.estimate(condition);
      return sum(this.estimate(step), loop);
    });
    const after = this.#sizes.within([gathered], () => this.estimate(result));
    const count = this.#sizes.sizeOrUnknown(range);
    this.#sizeOfFold(expression, count);
    return sum(before, after, product(count, turn));
  }
  #sizeOfFold(expression, count) {
    const { initial, step } = expression;
    const literal = initial.kind === 'literal' ? this.#sizes.sizeOf(initial) : void 0;
    if (literal !== void 0) this.#sizes.set(expression, literal);
    if (initial.kind !== 'list' && initial.kind !== 'map') return;
    this.#sizes.set(expression, count);
    const entrySize = this.#sizes.entriesOf(step);
    if (entrySize !== void 0) this.#sizes.setEntries(expression, entrySize);
  }
  #iteration({ variable, secondVariable, range }) {
    const entrySize = this.#sizes.entriesOf(range);
    const list = (entrySize?.kind ?? this.#checked.typeOf(range).kind) === 'list';
    const local = (name, place, size) => ({
      name,
      path: [...this.#sizes.pathOf(range), place],
      size,
      entrySize: void 0,
    });
    const value = (name) => local(name, list ? '@items' : '@values', entrySize?.value);
    if (secondVariable === void 0 && list) return [value(variable)];
    const key = local(variable, list ? '@indices' : '@keys', entrySize?.key);
    return secondVariable === void 0 ? [key] : [key, value(secondVariable)];
  }
};
function parameterKind([first]) {
  return first === void 0 ? '' : first.kind;
}
function unionOf(one, other) {
  if (one === void 0 || other === void 0) return one ?? other;
  return union(one, other);
}

// packages/cel/src/compile/compile-expression.ts
function compileExpression(library, source, scope) {
  const checked = checkSource(library, source, scope.variables);
  if (typeof checked === 'string') return `compilation failed: ${checked}`;
  if (checked.typeOf(checked.expression) !== scope.result) return scope.resultWords;
  const problem = patternIssue(checked, library.patterns);
  if (problem !== void 0) return `program instantiation failed: ${problem}`;
  return {
    program: new Program(checked, [...scope.variables.keys()]),
    cost: estimateCost(checked, scope.self).most,
    variables: checked.variables,
  };
}

// packages/cel/src/cost/sized-type.ts
var MAX_REQUEST_BYTES = 3 * 1024 * 1024;
export {
  CostLimitError,
  Duration,
  EvaluationError,
  MAX_COST,
  MAX_REQUEST_BYTES,
  MapValue,
  Optional,
  SchemaList,
  Timestamp,
  addQuantities,
  boolType,
  bytesType,
  canonicalQuantity,
  checkConfigKey,
  checkCronJobName,
  checkDns1035Label,
  checkDnsLabel,
  checkLabelValue,
  checkNameWithoutDots,
  checkPathSegment,
  checkPortName,
  checkQualifiedName,
  checkStatefulSetName,
  checkSubdomain,
  checkWildcardSubdomain,
  compareQuantities,
  compileExpression,
  doubleType,
  durationType,
  dynType,
  fail,
  hasFormat,
  intType,
  isKnownFormat,
  listType,
  makeCelLibrary,
  mapType,
  nanosOfQuantity,
  objectType,
  optionalType,
  patternProblem,
  quantitySyntaxMessage,
  showValue,
  stringType,
  subtractQuantities,
  timestampType,
};
//# sourceMappingURL=index.js.map
