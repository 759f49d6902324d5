/** The object of an execution. A trigger without a generation counts as one of a later generation. */
export interface ExecutedObject {
  readonly metadata: { readonly uid: string; readonly generation?: number | undefined };
}
