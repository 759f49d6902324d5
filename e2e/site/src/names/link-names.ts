import { mapText } from '../pages/page-text.ts';
import { isDistinctiveName, type NameTargets } from './reference-names.ts';

/** Where the names of a page link to. */
export interface NameLinks {
  readonly targets: NameTargets;
  /** The path of the page itself, to which no name links: `/reference/cel/classes/Cel.md`. */
  readonly self: string;
  /** Leaves the first cell of each row of a table, which names things of another project. */
  readonly skipFirstCells?: boolean;
}

/** Text that stays as it is, or a code span of a name. */
const span = /(^#.*$|\[(?:[^\][]|\[[^\]]*\])*\]\([^)]*\))|`([A-Za-z]\w*)(\(\))?`/gm;
const spanAfterFirstCell = new RegExp(
  String.raw`(^\|(?:\\\||[^|])*\||${span.source.slice(1)}`,
  'gm',
);

/** Makes a link of the first code span of each name. Code blocks, headings and links stay as they are. */
export function linkNames(page: string, { targets, self, skipFirstCells }: NameLinks): string {
  const linked = new Set<string>();
  const link = (whole: string, kept?: string, name = '', call?: string): string => {
    const target = targets.get(name);
    if (kept !== undefined || target === undefined || target === self) return whole;
    if (linked.has(name) || !(isDistinctiveName(name) || call !== undefined)) return whole;
    linked.add(name);
    return `[${whole}](${target})`;
  };
  const pattern = skipFirstCells ? spanAfterFirstCell : span;
  return mapText(page, (text) => text.replaceAll(pattern, link));
}
