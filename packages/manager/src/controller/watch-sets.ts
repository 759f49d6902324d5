import type { DynamicWatch, RemoveOptions } from './controller.ts';
import { ManagerError } from '../errors.ts';
import { namespaceSet, type NamespaceSet } from './sources/namespace-set.ts';
import { checkSourceOptions, type SourceOptions } from './sources/source-options.ts';
import { sourceText } from './sources/source-text.ts';

/** The controller's functions that add and change the watches of a set. */
export interface WatchSetHost<W> {
  add(options: W): DynamicWatch;
  /**
   * Replaces the functions and the namespaces of a watch. The promise resolves when the runs of the namespaces that
   * left have ended. Returns `undefined` if user code has removed the watch.
   */
  update(watch: DynamicWatch, options: W, bounds: RemoveOptions): Promise<void> | undefined;
}

/** Identifies a watch in its set: two watches of one kind differ in their namespaces. */
interface Identity {
  /** All options except functions and `namespaces`, as text. */
  readonly kind: string;
  /** The option `namespaces` in normal form. */
  readonly namespaces: NamespaceSet | undefined;
}

/** A watch of the new set. */
interface Member<W> extends Identity {
  readonly options: W;
  /** The watch of the old set until it is joined. */
  watch: DynamicWatch | undefined;
}

/** Named sets of dynamic watches. `replace` applies the differences between the old and the new set. */
export class WatchSets<W extends object> {
  readonly #host: WatchSetHost<W>;
  readonly #sets = new Map<string, readonly Member<W>[]>();

  constructor(host: WatchSetHost<W>) {
    this.#host = host;
  }

  /** Replaces a set. A failed change does not undo the others; `REPLACE_WATCHES_FAILED` names it at the end. */
  async replace(
    set: string,
    wanted: readonly W[],
    bounds: RemoveOptions,
  ): Promise<readonly DynamicWatch[]> {
    const failures = new Failures();
    const left = new Set(this.#sets.get(set));
    const members = identified(wanted, failures);
    // A watch with the same namespaces is kept in the first place, else one that only differs in them.
    for (const member of members) member.watch = takeKnown(left, member, true);
    for (const member of members) member.watch ??= takeKnown(left, member, false);
    // New watches are added first, so that a stream that old and new watches share stays open.
    const removals = members.flatMap((member) => this.#join(member, bounds, failures));
    const joined = members.filter(({ watch }) => watch !== undefined);
    if (joined.length > 0) this.#sets.set(set, joined);
    else this.#sets.delete(set);
    for (const { watch } of left)
      if (watch !== undefined) removals.push([watch, watch.remove(bounds)]);
    await Promise.all(
      removals.map(([{ name }, removal]) => failures.collectAsync('failedToRemove', name, removal)),
    );
    failures.throwIfAny(set);
    return joined.flatMap(({ watch }) => watch ?? []);
  }

  /** Updates or adds a watch. Returns the removal of the namespaces that left. */
  #join(member: Member<W>, bounds: RemoveOptions, failures: Failures): Removal[] {
    const { options, watch } = member;
    const removals: Removal[] = [];
    failures.collect('failedToAdd', describe(options), () => {
      // If the update throws, the watch stays in the set unchanged.
      const removal = watch && this.#host.update(watch, options, bounds);
      if (watch !== undefined && removal !== undefined) {
        removals.push([watch, removal]);
        return;
      }
      member.watch = undefined;
      member.watch = this.#host.add(options);
    });
    return removals;
  }
}

/** A watch, and the promise of the removal of it or of its namespaces. */
type Removal = [DynamicWatch, Promise<void>];

/** Returns the watches that are valid and not in the list twice. */
function identified<W extends object>(wanted: readonly W[], failures: Failures): Member<W>[] {
  const members = new Map<string, Member<W>>();
  for (const options of wanted) {
    failures.collect('failedToAdd', describe(options), () => {
      const identity = identityOf(options);
      const text = JSON.stringify(identity);
      if (members.has(text))
        throw new ManagerError('DUPLICATE_WATCH', { watch: describe(options) });
      members.set(text, { ...identity, options, watch: undefined });
    });
  }
  return [...members.values()];
}

/** Takes a watch of the kind out of the old set, with the same namespaces or with any. */
function takeKnown<W>(
  left: Set<Member<W>>,
  { kind, namespaces }: Identity,
  isExact: boolean,
): DynamicWatch | undefined {
  for (const known of left) {
    // The namespaces of the watch itself, because user code may have changed them.
    const present = known.namespaces === undefined ? undefined : known.watch?.namespaces;
    if (known.kind !== kind || (isExact && String(present) !== String(namespaces))) continue;
    left.delete(known);
    return known.watch;
  }
  return undefined;
}

class Failures {
  readonly failedToAdd: string[] = [];
  readonly failedToRemove: string[] = [];
  readonly #errors: unknown[] = [];

  collect(list: 'failedToAdd' | 'failedToRemove', name: string, step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#add(list, name, error);
    }
  }

  async collectAsync(
    list: 'failedToAdd' | 'failedToRemove',
    name: string,
    step: Promise<void>,
  ): Promise<void> {
    try {
      await step;
    } catch (error) {
      this.#add(list, name, error);
    }
  }

  throwIfAny(set: string): void {
    if (this.#errors.length === 0) return;
    const { failedToAdd, failedToRemove } = this;
    const cause = this.#errors.length === 1 ? this.#errors[0] : new AggregateError(this.#errors);
    throw new ManagerError(
      'REPLACE_WATCHES_FAILED',
      { set, failedToAdd, failedToRemove },
      { cause },
    );
  }

  #add(list: 'failedToAdd' | 'failedToRemove', name: string, error: unknown): void {
    this[list].push(name);
    this.#errors.push(error);
  }
}

function identityOf(watch: object): Identity {
  checkSourceOptions(watch as SourceOptions, 'watch', 'watch');
  const options = watch as SourceOptions;
  const namespaces = options.namespaces && namespaceSet(options.namespaces, 'watch.namespaces');
  return { kind: sourceText(options), namespaces };
}

/** The name of a watch for an error. The value may be of any type. */
function describe(watch: object): string {
  const { resource } = (watch ?? {}) as Partial<SourceOptions>;
  return `watch ${resource?.kind ?? '(no resource)'}`;
}
