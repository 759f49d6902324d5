/** A function with which a schema refines values: a property of an object of the library. */
export interface Refinement {
  readonly owner: Record<string, unknown>;
  readonly name: string;
}

/** Receives the parts of a schema while the library converts it to JSON Schema. */
export interface PartVisitor {
  /** Receives the refinements of one part. */
  readonly refinements?: (found: readonly Refinement[]) => void;
}

/** The cure for a part of a schema that changes values. */
export const transformCure =
  'transform the value after it was read; the API stores what it received';
