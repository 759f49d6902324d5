import type { DynamicWatch } from './controller.ts';
import { ManagerError } from '../errors.ts';
import type { SetFailures } from './exchange/set-failures.ts';
import { namespaceSet, type NamespaceSet } from './sources/namespace-set.ts';
import { checkSourceOptions, type SourceOptions } from './sources/source-options.ts';
import { sourceText } from './sources/source-text.ts';

/** Identifies a watch in its set: two watches of one kind differ in their namespaces. */
interface Identity {
  /** All options except functions and `namespaces`, as text. */
  readonly kind: string;
  /** The option `namespaces` in normal form. */
  readonly namespaces: NamespaceSet | undefined;
}

/** A watch of a set. */
export interface SetMember<W> extends Identity {
  readonly options: W;
  /** The watch of the old set until it is joined. */
  watch: DynamicWatch | undefined;
}

/** Returns the watches that are valid and not in the list twice. */
export function identified<W extends object>(
  wanted: readonly W[],
  failures: SetFailures,
): SetMember<W>[] {
  const members = new Map<string, SetMember<W>>();
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
export function takeKnown<W>(
  left: Set<SetMember<W>>,
  { kind, namespaces }: Identity,
  isExact: boolean,
): DynamicWatch | undefined {
  for (const known of left) {
    // The namespaces of the watch itself, because user code may have changed them.
    const present = known.namespaces === undefined ? undefined : known.watch?.namespaces;
    if (known.kind !== kind || (isExact && String(present) !== String(namespaces))) continue;
    // One without a set watches all namespaces, and does not become one with a set while it is read.
    if ((present === undefined) !== (namespaces === undefined)) continue;
    left.delete(known);
    return known.watch;
  }
  return undefined;
}

function identityOf(watch: object): Identity {
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
