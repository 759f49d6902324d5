/** How a library reads what its JSON Schema does not say. */
export interface Reading {
  /** The name of the library; undefined for JSON Schema itself. */
  readonly vendor: string | undefined;
  /** True if lengths are those of JavaScript, in UTF-16 code units. */
  readonly countsUnits: boolean;
  /** True for the source of a pattern with the flag `u`. Schemas may note more of them. */
  readonly isUnicode: (source: string) => boolean;
}

/** JSON Schema counts characters, and its patterns are Unicode. */
export const jsonSchemaReading: Reading = {
  vendor: undefined,
  countsUnits: false,
  isUnicode: () => true,
};
