/**
 * The type of a value, by its letter in the table:
 *
 * - `s` string, `b` boolean, `i` integer of 32 or 64 bits, `y` bytes, which JSON has in base64
 * - `m` message, `k` PersistentVolumeClaim within another object
 * - `q` Quantity, `n` IntOrString, `t` Time, `u` MicroTime, `w` a list of strings that is a message
 * - `r` RawExtension and `v` FieldsV1, which contain JSON
 * - `x` a value that is skipped
 */
export type ValueLetter =
  | 's'
  | 'b'
  | 'i'
  | 'y'
  | 'm'
  | 'k'
  | 'q'
  | 'n'
  | 't'
  | 'u'
  | 'w'
  | 'r'
  | 'v'
  | 'x';

/** How often a field occurs: once, once through a Go pointer, as a list, as a map, or inlined in its parent. */
export type FieldShape = '.' | '*' | '[' | '{' | '-';

/** One field of a message, and the member of the JSON object that has its value. */
export interface MessageField {
  /** The name of the member; empty for an inlined message. */
  readonly name: string;
  readonly shape: FieldShape;
  readonly letter: ValueLetter;
  /** True for one string. Most fields are. */
  readonly isText: boolean;
  /** True if JSON omits the member when its value is empty. */
  readonly isOmitted: boolean;
  /** The index of this field in `fields`, and of its value in the slots. */
  readonly index: number;
  /** The type of a value with the letter `m` or `k`. */
  readonly message: MessageType | undefined;
}

/** A message of protobuf and its form in JSON. */
export interface MessageType {
  /** The fields in the order of the JSON members. */
  readonly fields: readonly MessageField[];
  /** The fields by their numbers. A number without a field is a hole. */
  readonly byNumber: readonly (MessageField | undefined)[];
  /** One `undefined` for each field. A copy of it costs less than a new array of that length. */
  readonly slots: readonly undefined[];
}
