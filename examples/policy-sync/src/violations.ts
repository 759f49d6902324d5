import type { ApiResource } from '@keelson/manager';

/** Names a constraint: the plural of its kind, and its name. */
export interface ConstraintRequest {
  readonly plural: string;
  readonly name: string;
}

interface KnownConstraint {
  readonly request: ConstraintRequest;
  readonly match: readonly string[];
}

// #region violations
/** The objects that violate constraints, by their kind: data that is derived from the watches of the kinds. */
export class Violations {
  /** By the kind of the objects (`PLURAL.GROUP`), then by constraint. */
  readonly #byKind = new Map<string, Map<string, readonly string[]>>();
  /** The constraints that exist, with the kinds that they check. */
  readonly #constraints = new Map<string, KnownConstraint>();
  /** The kinds that are checked. A reader sees the old set or the new one. */
  #kinds: ReadonlyMap<string, ApiResource> = new Map();
  /** True from the first call of `use` on. */
  hasKinds = false;

  get kinds(): ReadonlyMap<string, ApiResource> {
    return this.#kinds;
  }

  /** Replaces the set of kinds at once. Data of kinds that left is invisible from now on. */
  use(kinds: ReadonlyMap<string, ApiResource>): void {
    this.#kinds = kinds;
    this.hasKinds = true;
  }

  /** The constraints that exist. */
  get constraints(): readonly ConstraintRequest[] {
    return [...this.#constraints.values()].map(({ request }) => request);
  }

  /** The constraints that check a kind. */
  matching(kind: string): readonly ConstraintRequest[] {
    const all = [...this.#constraints.values()];
    return all.filter(({ match }) => match.includes(kind)).map(({ request }) => request);
  }

  /** Records a constraint that exists. */
  note(constraint: string, request: ConstraintRequest, match: readonly string[]): void {
    this.#constraints.set(constraint, { request, match });
  }

  /** Records the violations of a constraint by the objects of one kind. */
  record(kind: string, constraint: string, objects: readonly string[]): void {
    const known = this.#byKind.get(kind) ?? new Map<string, readonly string[]>();
    if (objects.length > 0) known.set(constraint, objects);
    else known.delete(constraint);
    if (known.size > 0) this.#byKind.set(kind, known);
    else this.#byKind.delete(kind);
  }

  /** Deletes the data of a kind whose watch is gone. */
  wipe(kind: string): void {
    this.#byKind.delete(kind);
  }

  /** Deletes the data of a constraint that is gone. */
  forget(constraint: string): void {
    this.#constraints.delete(constraint);
    for (const kind of this.#byKind.keys()) this.record(kind, constraint, []);
  }

  /** Deletes the data of all constraints of a kind of constraints that is gone. */
  forgetAll(plural: string): void {
    for (const [key, { request }] of this.#constraints) {
      if (request.plural === plural) this.forget(key);
    }
  }

  /** The objects that violate a constraint, of all kinds that are checked. */
  of(constraint: string): readonly string[] {
    return [...this.#byKind]
      .filter(([kind]) => this.#kinds.has(kind))
      .flatMap(([, known]) => known.get(constraint) ?? []);
  }

  /** The kinds that have data, also data that is invisible. */
  stored(): readonly string[] {
    return [...this.#byKind.keys()];
  }
}
// #endregion
