import { ManagerError } from '../errors.ts';
import { namespaceSet, type NamespaceSet } from '../sources/namespace-set.ts';
import { checkSourceOptions, type SourceOptions } from '../sources/source-options.ts';
import { sourceText } from '../sources/source-text.ts';
import type { AddedWatch, AnyWatchOptions } from './added-watch.ts';
import type { SetFailures } from './set-failures.ts';
import { takingFirst } from './take-first.ts';

/**
 * The identity of a watch in its set: its kind, and its namespaces, because a set may have several watches of one kind.
 */
interface MemberIdentity {
  /** All options except functions and `namespaces`, as text. */
  readonly kind: string;
  /** The option `namespaces` in normal form. */
  readonly namespaces: NamespaceSet | undefined;
}

/** A watch of a set. */
export interface SetMember<Q extends object> extends MemberIdentity {
  readonly options: AnyWatchOptions<Q>;
  /** The watch that the member continues, before `#joinMember`; afterwards the watch of the member itself. */
  added: AddedWatch<Q> | undefined;
}

/** Returns the watches that are valid and not in the list twice. */
export function identified<Q extends object>(
  wanted: readonly AnyWatchOptions<Q>[],
  failures: SetFailures,
): SetMember<Q>[] {
  const members = new Map<string, SetMember<Q>>();
  for (const options of wanted) {
    failures.collect('failedToAdd', describe(options), () => {
      const identity = identityOf(options);
      const text = JSON.stringify(identity);
      if (members.has(text))
        throw new ManagerError('DUPLICATE_WATCH', { watch: describe(options) });
      members.set(text, { ...identity, options, added: undefined });
    });
  }
  return [...members.values()];
}

/**
 * Finds the watches of the old set that the members continue: those with the same namespaces, or else ones that differ
 * only in them. Removes them from the old set.
 */
export function takeKnown<Q extends object>(
  left: Set<SetMember<Q>>,
  members: readonly SetMember<Q>[],
): void {
  // Read from the watches, because user code may have changed their namespaces.
  const present = new Map(Array.from(left, (known) => [known, presentOf(known)]));
  for (const textOf of [exactText, kindText]) {
    const take = takingFirst(left, (known) => textOf(known.kind, present.get(known)));
    for (const member of members)
      member.added ??= take(textOf(member.kind, member.namespaces))?.added;
  }
}

/** The namespaces in force of a watch of the old set. */
function presentOf<Q extends object>({
  namespaces,
  added,
}: SetMember<Q>): NamespaceSet | undefined {
  return namespaces && added?.source.options.namespaces;
}

function exactText(kind: string, namespaces: NamespaceSet | undefined): string {
  return JSON.stringify([kind, namespaces]);
}

/** A watch of all namespaces and one of a set of namespaces cannot become each other while they are read. */
function kindText(kind: string, namespaces: NamespaceSet | undefined): string {
  return JSON.stringify([kind, namespaces !== undefined]);
}

function identityOf(watch: object): MemberIdentity {
  checkSourceOptions(watch as SourceOptions, 'watch', 'watch');
  const options = watch as SourceOptions;
  const namespaces = options.namespaces && namespaceSet(options.namespaces, 'watch.namespaces');
  return { kind: sourceText(options), namespaces };
}

/** The name of a watch for an error. The value may be of any type. */
export function describe(watch: object): string {
  const { resource } = (watch ?? {}) as Partial<SourceOptions>;
  return `watch ${resource?.kind ?? '(no resource)'}`;
}
