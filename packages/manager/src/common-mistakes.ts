declare const hint: unique symbol;

/**
 * A type that no value has. As a member of a union it puts its text into the compiler's message about
 * a value that does not fit, which otherwise lists types only.
 */
export interface Hint<Text extends string> {
  readonly [hint]: readonly [Text, never];
}

/** Option names of other runtimes, each with its cure: what the compiler and the check at run time say. */
export type Mistakes = Readonly<Record<string, string>>;

/** The members that make the compiler say the cure of a mistake in one line. */
export type HintsOf<M extends Mistakes> = {
  readonly [Name in keyof M & string]?: Hint<`${Name}: ${M[Name]}`>;
};

/** Of the settings that a manager may set for all controllers. */
export const settingMistakes = {
  maxConcurrentReconciles: 'use `concurrency`',
  reconciliationTimeout: 'use `timeout`',
  rateLimiter: 'use `backoff`',
} as const;

/** Of a controller. */
export const controllerMistakes = {
  resource: 'use `for`',
  predicates: 'use `for: { resource, predicates }`',
  labelSelector: 'use `for: { resource, labelSelector }`',
  namespace: 'use `for: { resource, namespace }`',
  reconciler: 'use `reconcile`',
} as const;

/** Of `for`, `owns` and `watches`. */
export const sourceMistakes = {
  predicate: 'use `predicates`',
  filter: 'use `predicates`',
  selector: 'use `labelSelector`',
} as const;

/** Of `watches`. */
export const watchMistakes = {
  mapper: 'use `map`',
  handler: 'use `map`',
} as const;

/** Of the result of a reconcile. */
export const outcomeMistakes = {
  requeue: 'use `retry`, or `requeueAfter`',
  requeueIn: 'use `requeueAfter`',
  retryAfter: 'use `requeueAfter`',
} as const;

/** What the compiler and the check at run time say about a text, say, in place of a kind. */
export const tokenCure = 'must be a resource token: builtin.X or defineResource(…)';
