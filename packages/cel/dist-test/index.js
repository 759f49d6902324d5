import {
  COST_LIMIT,
  CostLimitError,
  Duration,
  EvaluationError,
  MadeMap,
  MapValue,
  ObjectValue,
  Optional,
  Program,
  Quantity,
  Timestamp,
  UnsignedInt,
  boolType,
  bytesType,
  checkSource,
  doubleType,
  durationType,
  dynType,
  intType,
  isList,
  itemsOf,
  listType,
  makeCelLibrary,
  mapType,
  nullType,
  parameterOf,
  patternIssue,
  sameType,
  showType,
  showValue,
  stringType,
  timestampType,
  uintType,
} from './chunk-RSIKH3VJ.js';

// packages/cel/src/compile/cel-environment.ts
import {
  checkOptions as checkOptions2,
  invalidOption as invalidOption3,
} from '@keelson/apimachinery';

// packages/cel/src/errors.ts
import { CodedError } from '@keelson/apimachinery';
var celErrors = {
  COST_LIMIT_EXCEEDED: 'the evaluation exceeds its cost limit',
  EVALUATION_FAILED: 'the expression cannot be evaluated with these values',
  EXPRESSION_INVALID: 'the expression does not compile',
  VARIABLE_INVALID: 'the value of a variable does not fit its declaration',
};
var CelError = class extends CodedError {
  name = 'CelError';
  constructor(code, facts = {}, options = {}) {
    super(code, celErrors[code], facts, options);
  }
};

// packages/cel/src/compile/cel-expression.ts
import { checkOptions, invalidOption } from '@keelson/apimachinery';

// packages/cel/src/compile/given-value.ts
var MAX_VALUE_DEPTH = 1e3;
function givenValue(type, given, path, depth = 0) {
  if (depth > MAX_VALUE_DEPTH) throw refused(path, `is nested more than ${MAX_VALUE_DEPTH} deep`);
  const value = convert(type.kind === 'dyn' ? void 0 : type, given, path, depth);
  if (value === void 0) throw refused(path, `must be ${showType(type)}`);
  return value;
}
function convert(type, given, path, depth) {
  if (Array.isArray(given) && isA(type, 'list')) {
    const item = parameterOf(type ?? anything);
    return given.map((each, index) => givenValue(item, each, `${path}[${index}]`, depth + 1));
  }
  if (isPlainObject(given) && isA(type, 'map')) return mapOf(type, given, path, depth);
  return type === void 0
    ? untyped(given)
    : (scalars[type.name]?.(given) ?? undefinedOrNull(type, given));
}
var anything = { kind: 'dyn', name: 'dyn', parameters: [] };
function isA(type, name) {
  return type === void 0 || type.name === name;
}
function mapOf(type, given, path, depth) {
  const map = new MadeMap();
  for (const [name, each] of Object.entries(given)) {
    if (each === void 0) continue;
    const at = `${path}.${name}`;
    const key = keyOf(type, name);
    if (key === void 0)
      throw refused(at, `has a key that is not of type ${parameterOf(type ?? anything).name}`);
    map.set(key, givenValue(parameterOf(type ?? anything, 1), each, at, depth + 1));
  }
  return map;
}
function keyOf(type, name) {
  const keys = type && parameterOf(type).name;
  if (keys === 'bool') return name === 'true' || (name === 'false' ? false : void 0);
  if (keys !== 'int' && keys !== 'uint') return name;
  return /^-?\d+$/.test(name) ? scalars[keys]?.(BigInt(name)) : void 0;
}
function untyped(given) {
  if (given === null || typeof given === 'boolean' || typeof given === 'string') return given;
  if (typeof given === 'number') return integer(given) ?? given;
  if (typeof given === 'bigint') return integer(given);
  return given instanceof Uint8Array ? given : momentOf(given);
}
function undefinedOrNull(type, given) {
  return type.kind === 'null' && given === null ? null : void 0;
}
var scalars = {
  bool: (given) => (typeof given === 'boolean' ? given : void 0),
  bytes: (given) => (given instanceof Uint8Array ? given : void 0),
  double: (given) => (typeof given === 'number' ? given : void 0),
  int: integer,
  string: (given) => (typeof given === 'string' ? given : void 0),
  uint: (given) => {
    const value = wholeNumber(given);
    const fits = value !== void 0 && BigInt.asUintN(64, value) === value;
    return fits ? new UnsignedInt(value) : void 0;
  },
  'google.protobuf.Duration': (given) =>
    typeof given === 'string' ? withoutError(() => Duration.parse(given)) : void 0,
  'google.protobuf.Timestamp': (given) =>
    typeof given === 'string' ? withoutError(() => Timestamp.parse(given)) : momentOf(given),
};
function integer(given) {
  const value = wholeNumber(given);
  return value !== void 0 && BigInt.asIntN(64, value) === value ? value : void 0;
}
function wholeNumber(given) {
  if (typeof given === 'bigint') return given;
  return Number.isSafeInteger(given) ? BigInt(given) : void 0;
}
function momentOf(given) {
  if (!(given instanceof Date) || Number.isNaN(given.getTime())) return void 0;
  return withoutError(() => new Timestamp(BigInt(given.getTime()) * 1000000n));
}
function withoutError(compute) {
  try {
    return compute();
  } catch (error) {
    if (error instanceof EvaluationError) return void 0;
    throw error;
  }
}
function isPlainObject(given) {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return false;
  return !(given instanceof Date) && !(given instanceof Uint8Array);
}
function refused(variable, reason) {
  return new CelError('VARIABLE_INVALID', { variable, reason });
}

// packages/cel/src/compile/result-value.ts
function resultValue(value) {
  if (isList(value)) return itemsOf(value).map(resultValue);
  if (!(value instanceof ObjectValue)) return value;
  if (value instanceof MapValue) return objectOf(value);
  if (value instanceof UnsignedInt) return value.value;
  if (value instanceof Optional) return value.hasValue ? resultValue(value.value) : void 0;
  if (value instanceof Quantity) return value.text;
  return showValue(value);
}
function objectOf(map) {
  return Object.fromEntries(
    map.keys().map((key) => [showValue(key), resultValue(map.get(key) ?? null)]),
  );
}

// packages/cel/src/compile/cel-expression.ts
var CelExpression = class {
  source;
  /** The type of the result, as CEL writes it: `map(string, int)`. */
  type;
  /** The declared variables that the expression uses. Only these need a value. */
  variables;
  #declared;
  #program;
  /** @internal Created by `CelEnvironment.compile`. */
  constructor(source, checked, declared) {
    this.source = source;
    this.type = showType(checked.typeOf(checked.expression));
    this.variables = checked.variables;
    this.#declared = declared;
    this.#program = new Program(checked, [...declared.keys()]);
  }
  /**
   * Evaluates the expression with some values of its variables, which it does not change. Throws `CelError` with
   * code `VARIABLE_INVALID`, `EVALUATION_FAILED` or `COST_LIMIT_EXCEEDED`.
   */
  evaluate(values = {}, options = {}) {
    const costLimit = costLimitOf(options);
    const given = this.#given(values);
    try {
      const { value, cost } = this.#program.evaluate(given, costLimit);
      return { value: resultValue(value), cost };
    } catch (error) {
      throw this.#failure(error, costLimit);
    }
  }
  #given(values) {
    const unknown = Object.keys(values).find((name) => !this.#declared.has(name));
    if (unknown !== void 0) throw refusedVariable(unknown, 'is not declared');
    return Array.from(this.#declared, ([name, type]) => {
      if (!this.variables.has(name)) return null;
      if (!Object.hasOwn(values, name)) throw refusedVariable(name, 'has no value');
      return givenValue(type, values[name], name);
    });
  }
  #failure(error, limit) {
    const { source: expression } = this;
    if (error instanceof CostLimitError) {
      return new CelError('COST_LIMIT_EXCEEDED', { limit, expression });
    }
    if (!(error instanceof EvaluationError)) return error;
    return new CelError('EVALUATION_FAILED', { reason: error.message, expression });
  }
};
function costLimitOf(options) {
  checkOptions(options, ['costLimit'], 'evaluate');
  const { costLimit = COST_LIMIT } = options;
  if (typeof costLimit === 'number' && costLimit >= 0) return costLimit;
  throw invalidOption('evaluate.costLimit', 'must be a number from 0 up');
}
function refusedVariable(variable, reason) {
  return new CelError('VARIABLE_INVALID', { variable, reason });
}

// packages/cel/src/compile/declared-type.ts
import { invalidOption as invalidOption2 } from '@keelson/apimachinery';
var simpleTypes = /* @__PURE__ */ new Map([
  ['bool', boolType],
  ['bytes', bytesType],
  ['double', doubleType],
  ['duration', durationType],
  ['dyn', dynType],
  ['int', intType],
  ['null', nullType],
  ['string', stringType],
  ['timestamp', timestampType],
  ['uint', uintType],
]);
var syntax = `must be one of ${[...simpleTypes.keys()].join(', ')}, list(T) or map(K, V)`;
var MAX_TYPE_DEPTH = 32;
function declaredType(text, option) {
  const type = typeof text === 'string' ? parseType(text.replaceAll(/\s/g, ''), 0) : void 0;
  if (type === void 0) throw invalidOption2(option, syntax, { type: text });
  return type;
}
function parseType(text, depth) {
  const simple = simpleTypes.get(text);
  if (simple !== void 0 || depth > MAX_TYPE_DEPTH) return simple;
  const [, list, key, value] = /^(?:list\((.*)\)|map\((\w+),(.*)\))$/.exec(text) ?? [];
  if (list !== void 0) return parameterized(parseType(list, depth + 1), listType);
  const keyType = keyTypes.has(key ?? '') ? simpleTypes.get(key ?? '') : void 0;
  if (keyType === void 0 || value === void 0) return void 0;
  return parameterized(parseType(value, depth + 1), (type) => mapType(keyType, type));
}
var keyTypes = /* @__PURE__ */ new Set(['bool', 'int', 'string', 'uint']);
function parameterized(parameter, make) {
  return parameter && make(parameter);
}

// packages/cel/src/compile/cel-environment.ts
var CelEnvironment = class {
  #library = makeCelLibrary();
  #variables;
  constructor(options = {}) {
    checkOptions2(options, ['variables'], 'CelEnvironment');
    this.#variables = new Map(
      Object.entries(options.variables ?? {}).map(([name, type]) => [
        checkName(name),
        declaredType(type, `CelEnvironment.variables.${name}`),
      ]),
    );
  }
  /**
   * Compiles an expression. Throws `CelError` with code `EXPRESSION_INVALID` and every error with its line and
   * column.
   */
  compile(source, options = {}) {
    checkOptions2(options, ['type'], 'compile');
    if (typeof source !== 'string') throw invalidOption3('compile.source', 'must be a string');
    const wanted = options.type === void 0 ? void 0 : declaredType(options.type, 'compile.type');
    const checked = checkSource(this.#library, source, this.#variables);
    if (typeof checked === 'string') throw refused2(source, checked);
    const type = checked.typeOf(checked.expression);
    if (wanted !== void 0 && !sameType(type, wanted)) {
      throw refused2(source, `expected type '${showType(wanted)}' but found '${showType(type)}'`);
    }
    const problem = patternIssue(checked, this.#library.patterns);
    if (problem !== void 0) throw refused2(source, problem);
    return new CelExpression(source, checked, this.#variables);
  }
};
function checkName(name) {
  if (/^[A-Za-z_]\w*$/.test(name)) return name;
  throw invalidOption3(
    `CelEnvironment.variables.${name}`,
    'must have a name of letters, digits and _',
  );
}
function refused2(expression, reason) {
  return new CelError('EXPRESSION_INVALID', { reason, expression });
}
export { CelEnvironment, CelError };
//# sourceMappingURL=index.js.map
