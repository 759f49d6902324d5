import { dynType, objectType } from '../../types/cel-type.ts';
import type { MessageType } from './message-type.ts';
import { nativeValue } from '../go/native-value.ts';
import type { Outcome } from '../outcome.ts';
import type { Value } from '../value.ts';
import { MessageValue } from '../message-value.ts';

/**
 * A part of an object that an expression of a MutatingAdmissionPolicy creates: `Object.spec{replicas: 1}`. Every field
 * may be set to any value. Source: `pkg/cel/mutation/dynamic/objects.go` of apiserver.
 */
export class ObjectMessage extends MessageValue {
  readonly goType = '*dynamic.ObjectVal';
  readonly type: MessageType['type'];
  readonly fields: ReadonlyMap<string, Value>;

  constructor(type: MessageType['type'], fields: ReadonlyMap<string, Value>) {
    super();
    this.type = type;
    this.fields = fields;
  }

  field(name: string): Outcome | undefined {
    const value = this.fields.get(name);
    return value === undefined ? undefined : nativeValue(value);
  }

  /** As in kube-apiserver, a value of dynamic type has no members. */
  member(): undefined {
    return undefined;
  }

  /** As in Go's `reflect.DeepEqual`, numbers of different types differ, and so do lists and maps. */
  equals(other: Value): boolean {
    if (!(other instanceof ObjectMessage) || other.type.name !== this.type.name) return false;
    return (
      other.fields.size === this.fields.size &&
      [...this.fields].every(([name, value]) => isSame(value, other.fields.get(name)))
    );
  }
}

function isSame(one: Value, other: Value | undefined): boolean {
  return one instanceof ObjectMessage ? other !== undefined && one.equals(other) : one === other;
}

/** True for `Object` and the paths below it, such as `Object.spec`. */
export function isObjectMessageName(name: string): boolean {
  return name === 'Object' || name.startsWith('Object.');
}

/** Returns the type `Object`, or that of a path below it. */
export function objectMessageType(name: string): MessageType {
  const type = objectType(name, { get: () => dynType });
  return {
    type,
    fieldOf: () => dynType,
    make: (fields) => new ObjectMessage(type, fields),
  };
}
