import { differences } from './difference.ts';
import { isTest } from '../sources/source-file.ts';
import type { SourceModule } from '../sources/source-module.ts';
import type { Workspace } from '../sources/workspace.ts';

/** The part of `docs/errors.md` about one package: the text below the heading of each code. */
export type ErrorSection = ReadonlyMap<string, string>;

/** Parses the page: `## @keelson/package`, then a heading with the code in backticks for each error. */
export function parseErrorPage(page: string): Map<string, ErrorSection> {
  const [, ...parts] = page.split(/^## /m);
  return new Map(
    parts.map((part) => {
      const [title = '', ...entries] = part.split(/^### /m);
      return [title.split('\n', 1)[0]?.trim() ?? '', parseEntries(entries)];
    }),
  );
}

function parseEntries(entries: readonly string[]): ErrorSection {
  return new Map(
    entries.map((entry) => {
      const [title = '', ...text] = entry.split('\n');
      return [title.replaceAll('`', '').trim(), text.join('\n').trim()];
    }),
  );
}

/**
 * Finds codes that only the page or only the table has, entries without a cause or a cure, and codes that no other
 * source of the package uses.
 */
export function findErrorProblems(
  { packages, modules }: Pick<Workspace, 'packages' | 'modules'>,
  page: ReadonlyMap<string, ErrorSection>,
): string[] {
  return packages.flatMap(({ name, folder }) => {
    const sources = modules.filter(
      ({ path }) => path.startsWith(`${folder}/src/`) && !isTest(path),
    );
    const codes = codesOf(sources);
    const section = page.get(name) ?? new Map<string, string>();
    return [
      ...differences(
        { what: `the table of ${name}`, names: codes },
        { what: 'its section of docs/errors.md', names: [...section.keys()] },
      ),
      ...incomplete(section),
      ...codes
        .filter((code) => !isUsed(code, sources))
        .map(
          (code) => `${code} is in the table of ${name} and no other source of the package uses it`,
        ),
    ];
  });
}

/** Returns the keys of the table in `errors.ts` whose name ends in `Errors`. */
function codesOf(sources: readonly SourceModule[]): readonly string[] {
  const door = sources.find(({ path }) => path.endsWith('/src/errors.ts'));
  const table = [...(door?.tables ?? [])].find(([name]) => name.endsWith('Errors'));
  return table?.[1] ?? [];
}

function incomplete(section: ErrorSection): string[] {
  return [...section].flatMap(([code, text]) =>
    ['**Cause.**', '**Cure.**']
      .filter((part) => !text.includes(part))
      .map((part) => `${code} has no ${part} in docs/errors.md`),
  );
}

function isUsed(code: string, sources: readonly SourceModule[]): boolean {
  return sources.some(
    ({ path, strings, members }) =>
      !path.endsWith('/src/errors.ts') && (strings.has(code) || members.has(code)),
  );
}
