import { readFileSync } from 'node:fs';

/** The text of `docs/errors.md` about one code. */
export interface ErrorEntry {
  readonly code: string;
  /** The packages that throw it. */
  readonly packages: readonly string[];
  /** The paragraphs below the heading of the code. */
  readonly text: string;
}

/** The page in the folder of the bundle, where the build puts it, and in the repository. */
const places = ['./errors.md', '../../../../../docs/errors.md'];

/** Reads the page of the errors that this version of the command has. */
export function readErrorsPage(): string {
  const [text] = places.flatMap(readIfPresent);
  if (text === undefined) throw new Error('errors.md of the package is missing');
  return text;
}

function readIfPresent(place: string): readonly string[] {
  try {
    return [readFileSync(new URL(place, import.meta.url), 'utf8')];
  } catch {
    return [];
  }
}

/** Returns the entries of the page by code. */
export function errorEntries(page: string): ReadonlyMap<string, ErrorEntry> {
  const entries = new Map<string, ErrorEntry>();
  for (const section of page.split(/^## /m).slice(1)) {
    const [title = '', ...parts] = section.split(/^### /m);
    const name = title.slice(0, title.indexOf('\n'));
    for (const part of parts) {
      const [, code = '', text = ''] = /^`([A-Z_0-9]+)`\n([^]*)$/.exec(part) ?? [];
      const known = entries.get(code);
      const packages = [...(known?.packages ?? []), name];
      const texts = known === undefined ? [text.trim()] : [known.text, text.trim()];
      entries.set(code, { code, packages, text: texts.join('\n\n') });
    }
  }
  entries.delete('');
  return entries;
}

/** Returns the codes that are most similar to a text: those with the most words in common. */
export function similarCodes(codes: Iterable<string>, text: string): readonly string[] {
  const words = new Set(text.split('_').filter((word) => word.length > 2));
  const common = (code: string): number => code.split('_').filter((word) => words.has(word)).length;
  return [...codes]
    .filter((code) => common(code) > 0)
    .toSorted((one, other) => common(other) - common(one))
    .slice(0, 5);
}
