/**
 * One field of a message: its number, its JSON name (empty: its members are those of the message
 * around it) and its type. A type is a scalar (`string` `bool` `int` `double` `bytes`) or the name of a
 * message, behind `*` for a pointer, `[]` for a list, `{}` for a map of texts; `(t)` is a message whose
 * only field is a list of `t`.
 */
export type MessageField = readonly [number: number, name: string, type: string];

/** The fields of every message, by the names that OpenAPI definitions carry. */
export type MessagesFile = Record<string, MessageField[]>;
