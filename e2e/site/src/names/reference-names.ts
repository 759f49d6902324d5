import { posix } from 'node:path';

/** Names in code, with the page or heading of the site that each links to. */
export type NameTargets = ReadonlyMap<string, string>;

/** The kinds of a name that is more than one thing, as `defineResource` beside its type: the first has the link. */
const kinds = ['functions', 'classes', 'variables', 'interfaces', 'type-aliases'] as const;

/** A page of the reference about one exported name. */
export interface ReferencePage {
  /** `@keelson/manager/sources`. */
  readonly entryPoint: string;
  readonly name: string;
  readonly kind: string;
  /** `/reference/@keelson/manager/sources/interfaces/WatchOptions.md`. */
  readonly path: string;
}

/** Returns the page of the reference that a file is: `@keelson/cel/classes/Cel.md`. `undefined` for an index. */
export function referencePage(file: string): ReferencePage | undefined {
  const kind = posix.basename(posix.dirname(file));
  if (!(kinds as readonly string[]).includes(kind)) return undefined;
  const entryPoint = posix.dirname(posix.dirname(file));
  // `write-reference.mjs` calls the page of a name `Index` so.
  const name = posix.basename(file, '.md').replace(/-type$/, '');
  return { entryPoint, name, kind, path: `/reference/${file}` };
}

/** Returns the page of each exported name. A name of several entry points links to the earliest of these. */
export function referenceTargets(
  pages: readonly ReferencePage[],
  entryPoints: readonly string[],
): NameTargets {
  const rank = ({ entryPoint, kind }: ReferencePage): number =>
    entryPoints.indexOf(entryPoint) * kinds.length + kinds.indexOf(kind as (typeof kinds)[number]);
  const sorted = pages.toSorted((a, b) => rank(b) - rank(a));
  return new Map(sorted.map(({ name, path }) => [name, path]));
}

/**
 * Whether a code span of the form `name` means the export of that name. A short word in lower case may mean something
 * else on the page: an option, a verb of the API server, a command.
 */
export function isDistinctiveName(name: string): boolean {
  return /^[A-Za-z]\w*[A-Z]\w*$/.test(name) || /^[A-Z]\w{3,}$/.test(name);
}
