import { type CelType, dynType, objectType, stringType } from '../../types/cel-type.ts';
import type { MessageType } from './message-type.ts';
import { EvaluationError } from '../evaluation-error.ts';
import { goTypeOf } from '../go/go-type.ts';
import type { Outcome } from '../outcome.ts';
import { showValue } from '../show-value.ts';
import type { Value } from '../value.ts';
import { MessageValue } from '../message-value.ts';

const texts = ['op', 'path', 'from'] as const;

/**
 * An operation of a JSON patch that an expression of a MutatingAdmissionPolicy creates. Source:
 * `pkg/cel/mutation/jsonpatch.go` of apiserver.
 */
export class JsonPatchMessage extends MessageValue {
  readonly goType = '*mutation.JSONPatchVal';
  readonly type: CelType;
  readonly op: string;
  readonly path: string;
  readonly from: string;
  readonly value: Value | undefined;

  constructor(
    type: CelType,
    { op, path, from, value }: Pick<JsonPatchMessage, 'op' | 'path' | 'from' | 'value'>,
  ) {
    super();
    this.type = type;
    this.op = op;
    this.path = path;
    this.from = from;
    this.value = value;
  }

  field(name: string): Outcome | undefined {
    return this.member(name);
  }

  member(key: Value): Outcome | undefined {
    if (key === 'value') return this.value;
    const name = texts.find((each) => each === key);
    if (name !== undefined) return this[name] === '' ? undefined : this[name];
    return new EvaluationError(`unsupported indexer: ${showValue(key)}`);
  }

  equals(
    other: Value,
    equalValues: (one: Value, other: Value) => boolean | EvaluationError,
  ): boolean | EvaluationError {
    if (!(other instanceof JsonPatchMessage)) return false;
    if (texts.some((name) => this[name] !== other[name])) return false;
    if (this.value === undefined || other.value === undefined) return this.value === other.value;
    return equalValues(this.value, other.value);
  }
}

const fieldTypes: ReadonlyMap<string, CelType> = new Map([
  ...texts.map((name) => [name, stringType] as const),
  ['value', dynType],
]);

const jsonPatchType = objectType('JSONPatch', { get: (name) => fieldTypes.get(name) ?? dynType });

/** The type of the operations of a JSON patch. */
export const jsonPatchMessageType: MessageType = {
  type: jsonPatchType,
  fieldOf: (name) => fieldTypes.get(name),
  make: (fields) => {
    const values = texts.map((name) => [name, fields.get(name) ?? ''] as const);
    const wrong = values.find(([, value]) => typeof value !== 'string');
    if (wrong !== undefined) return wrongField(...wrong);
    const { op = '', path = '', from = '' } = Object.fromEntries(values) as Record<string, string>;
    return new JsonPatchMessage(jsonPatchType, { op, path, from, value: fields.get('value') });
  },
};

function wrongField(name: string, value: Value): EvaluationError {
  return new EvaluationError(
    `unexpected type ${nativeGoType(value)} for JSONPatchType '${name}' field`,
  );
}

/** The Go type of a CEL value after its conversion to Go. */
function nativeGoType(value: Value): string {
  switch (typeof value) {
    case 'bigint':
      return 'int64';
    case 'number':
      return 'float64';
    case 'boolean':
      return 'bool';
    default:
      return value === null ? 'structpb.NullValue' : goTypeOf(value);
  }
}
