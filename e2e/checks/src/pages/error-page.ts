import { differences } from './difference.ts';
import { isTest } from '../sources/source-file.ts';
import type { SourceModule } from '../sources/source-module.ts';
import type { Workspace } from '../sources/workspace.ts';

/** One package's part of `docs/errors.md`: the text below each code's heading. */
export type ErrorSection = ReadonlyMap<string, string>;

/** Reads the page: `## @keelson/package`, below it a heading with the code in backticks for each error. */
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
 * Where the page and the tables of codes differ, an entry lacks its cause or its cure, or a code of a table is
 * named by no other source of its package.
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
        .map((code) => `${code} is in the table of ${name}, and nothing there throws it`),
    ];
  });
}

/** The keys of the one table in `errors.ts`, whose name ends in `Errors`. */
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
