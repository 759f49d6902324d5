import {
  Duration,
  isList,
  itemsOf,
  MapValue,
  showGoText,
  showGoType,
  Timestamp,
  UnsignedInt,
  type Value,
} from '@keelson/cel/internal';

/**
 * A value of an expression that kube-apiserver cannot merge into an object, because it has no JSON form in Go. Error
 * messages show it.
 */
export class GoValue {
  /** As Go's `%T` writes the type. */
  readonly type: string;
  /** As Go's `%v` writes the value. */
  readonly text: string;
  /** As Go's `%#v` writes the value. */
  readonly syntax: string;

  constructor(value: Value) {
    this.type = typeOf(value);
    this.text = textOf(value);
    this.syntax = syntaxOf(value);
  }
}

function typeOf(value: Value): string {
  if (value === null) return 'structpb.NullValue';
  if (value instanceof UnsignedInt) return 'uint64';
  if (value instanceof Uint8Array) return '[]uint8';
  if (value instanceof Timestamp) return 'time.Time';
  if (value instanceof Duration) return 'time.Duration';
  if (value instanceof MapValue) return 'map[ref.Val]ref.Val';
  return isList(value) ? '[]ref.Val' : showGoType(value);
}

function textOf(value: Value): string {
  if (value === null) return 'NULL_VALUE';
  if (value instanceof MapValue) {
    const entries = value.keys().map((key) => {
      const found = value.find(key);
      return `${showGoText(key)}:${found instanceof Error ? found.message : showGoText(found ?? null)}`;
    });
    return `map[${entries.join(' ')}]`;
  }
  return isList(value) ? `[${itemsOf(value).map(showGoText).join(' ')}]` : showGoText(value);
}

function syntaxOf(value: Value): string {
  if (value === null) return '0';
  if (value instanceof UnsignedInt) return `0x${value.value.toString(16)}`;
  if (value instanceof Duration) return String(value.nanos);
  if (value instanceof Uint8Array) {
    return `[]uint8{${Array.from(value, (byte) => `0x${byte.toString(16)}`).join(', ')}}`;
  }
  return `${typeOf(value)}{${textOf(value)}}`;
}
