import type { Outcome } from '../outcome.ts';
import type { Value } from '../value.ts';
import type { CelType } from '../../types/cel-type.ts';

/** A type whose values an expression creates with a literal: `Object.spec{replicas: 1}`. */
export interface MessageType {
  readonly type: CelType;
  /** Returns the type that the value of a field must have; `undefined` for a field that the type does not have. */
  fieldOf(name: string): CelType | undefined;
  /** Creates a value from the fields of a literal. */
  make(fields: ReadonlyMap<string, Value>): Outcome;
}

/** Returns the message type of a name; `undefined` for a name that has none. */
export type MessageTypes = (name: string) => MessageType | undefined;

/** The message types of an environment whose expressions create no messages. */
export const noMessageTypes: MessageTypes = () => undefined;
