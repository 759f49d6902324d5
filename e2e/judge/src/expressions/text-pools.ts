/** Strings by the kind that a function expects. */
export type TextPools = Readonly<Record<string, readonly string[]>>;
