/** The messages of V8 for a write to a frozen object. */
const WRITE_TO_FROZEN =
  /^Cannot (assign to read only property|add property|delete property|define property|redefine property)/;

const CURE =
  'objects from a cache are read-only and frozen in development: change a copy (mutableCopy), and write it with the client';

/** The facts that explain an error of code that changed a frozen object, such as one of a cache. None for other errors. */
export function frozenObjectFacts(error: unknown): { readonly cure?: string } {
  return error instanceof TypeError && WRITE_TO_FROZEN.test(error.message) ? { cure: CURE } : {};
}
