/**
 * One field of a message: its number, its JSON name and its type. An empty name means that its members belong to the
 * surrounding JSON object. A type is a scalar (`string` `bool` `int` `double` `bytes`) or the name of a message. The
 * prefix `*` means a pointer, `[]` a list, `{}` a map of strings. `(t)` is a message whose only field is a list of `t`.
 */
export type MessageField = readonly [number: number, name: string, type: string];

/** Fields by message, under the names of the OpenAPI definitions. */
export type MessagesFile = Record<string, MessageField[]>;
