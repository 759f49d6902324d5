import { makeCelLibrary } from '../compile/cel-library.ts';
import { compileExpression, type CompiledExpression } from '../compile/compile-expression.ts';
import type { SizedType } from '../cost/sized-type.ts';
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  objectType,
  stringType,
  timestampType,
  type CelType,
} from '../types/cel-type.ts';
import { Duration } from '../values/duration.ts';
import { EvaluationError } from '../values/evaluation-error.ts';
import { SchemaList } from '../values/list-value.ts';
import { MapValue } from '../values/map-value.ts';
import { type Outcome, outcomeOf } from '../values/outcome.ts';
import { showValue } from '../values/show-value.ts';
import { Timestamp } from '../values/timestamp.ts';
import type { Value } from '../values/value.ts';

export type JsonValue = null | boolean | number | bigint | string | JsonValue[] | JsonObject;

export interface JsonObject {
  [name: string]: JsonValue;
}

/** The result of an expression that is a bool, or `error: …` if its evaluation failed. */
export type RuleResult = boolean | string;

/** A type of a field, and the conversion of its JSON to a value. */
interface FieldType {
  readonly type: CelType;
  readonly valueOf: (json: JsonValue) => Value;
}

type FieldTypes = Readonly<Record<string, FieldType>>;

/** An object of the resource, or a map of it: `typeOf` returns the type of a member, or `undefined`. */
class TypedObject extends MapValue {
  readonly isMade = false;
  readonly #json: JsonObject;
  readonly #typeOf: (name: string) => FieldType | undefined;

  constructor(json: JsonValue, typeOf: (name: string) => FieldType | undefined) {
    super();
    this.#json = json as JsonObject;
    this.#typeOf = typeOf;
  }

  get size(): number {
    return Object.keys(this.#json).length;
  }

  keys(): readonly Value[] {
    return Object.keys(this.#json);
  }

  find(key: Value): Outcome | undefined {
    if (typeof key !== 'string') return new EvaluationError('no such overload');
    const json = this.#json[key];
    const type = this.#typeOf(key);
    if (json === undefined || type === undefined) return undefined;
    return outcomeOf(() => type.valueOf(json));
  }
}

const integer = (json: JsonValue): bigint => BigInt(json as number | bigint);
const text: FieldType = { type: stringType, valueOf: (json) => json as string };
const count: FieldType = { type: intType, valueOf: integer };
const ratio: FieldType = { type: doubleType, valueOf: Number };
const on: FieldType = { type: boolType, valueOf: (json) => json === true };
const wait: FieldType = {
  type: durationType,
  valueOf: (json) => Duration.parseFormat(json as string) ?? null,
};
const moment: FieldType = {
  type: timestampType,
  valueOf: (json) => Timestamp.parseFormat(json as string) ?? null,
};
const bytes: FieldType = {
  type: bytesType,
  valueOf: (json) => Buffer.from(json as string, 'base64'),
};
const either: FieldType = {
  type: dynType,
  valueOf: (json) => (typeof json === 'string' ? json : integer(json)),
};

function list(element: FieldType): FieldType {
  return {
    type: listType(element.type),
    valueOf: (json) => new SchemaList((json as JsonValue[]).map((item) => element.valueOf(item))),
  };
}

function map(element: FieldType): FieldType {
  return {
    type: mapType(stringType, element.type),
    valueOf: (json) => new TypedObject(json, () => element),
  };
}

function object(name: string, fields: FieldTypes): FieldType {
  const types = new Map(Object.entries(fields).map(([field, { type }]) => [field, type] as const));
  return {
    type: objectType(name, types),
    valueOf: (json) => new TypedObject(json, (field) => fields[field]),
  };
}

const port = object('self.ports.@idx', { name: text, port: count });

const self = object('self', {
  text,
  other: text,
  count,
  ratio,
  on,
  when: moment,
  day: moment,
  wait,
  bytes,
  either,
  list: list(text),
  counts: list(count),
  ratios: list(ratio),
  bools: list(on),
  waits: list(wait),
  nested: list(list(count)),
  ports: list(port),
  objects: list(port),
  map: map(text),
  inner: object('self.inner', { text, deep: object('self.inner.deep', { x: count }) }),
});

/** Evaluates expressions about `self`, an object with the fields above. */
export class ExpressionResults {
  readonly #library = makeCelLibrary();

  /** Returns the compile errors of an expression with line and column; empty if it compiles. */
  problems(source: string): readonly string[] {
    const compiled = this.#compiled(source, boolType);
    if (typeof compiled !== 'string') return [];
    const found = Array.from(compiled.matchAll(/ERROR: <input>:(\S+): (.*)/g), ([, place, words]) =>
      [place, words].join(' '),
    );
    return found.length > 0 ? found : [compiled];
  }

  of(source: string, given: JsonObject): RuleResult {
    const value = this.#evaluate(this.#compiled(source, boolType), given);
    if (!(value instanceof EvaluationError)) return value === true;
    const { message } = value;
    return `error: ${message.startsWith('no such overload') ? `'${message}'` : message}`;
  }

  /** Returns the string result of an expression, or `none` if it fails. */
  textOf(source: string, given: JsonObject): string {
    const compiled = this.#compiled(source, stringType);
    if (typeof compiled === 'string') return compiled;
    const value = this.#evaluate(compiled, given);
    return value instanceof EvaluationError ? 'none' : showValue(value);
  }

  #compiled(source: string, result: CelType): CompiledExpression | string {
    const type: SizedType = { type: self.type, smallest: 2, most: 40 };
    const variables = new Map([['self', self.type]]);
    const resultWords = `cel expression must evaluate to a ${result.name}`;
    const refusal = (given: CelType): string | undefined =>
      given === result ? undefined : resultWords;
    return compileExpression(this.#library, source, { variables, self: type, refusal });
  }

  #evaluate(compiled: CompiledExpression | string, given: JsonObject): Outcome {
    if (typeof compiled === 'string') return new EvaluationError(compiled);
    return compiled.program.evaluate([self.valueOf(given)]).value;
  }
}
