import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { load } from 'js-yaml';
import type { Difference } from './comparison.ts';

/** Something in which `@keelson/apiserver` is not like kube-apiserver, and stays so. */
export interface KnownDifference {
  readonly title: string;
  /** What differs, for whom it matters, and why it stays. */
  readonly reason: string;
  /** The steps that show it, as `chapter: step`; none where the conversation has no words for it. */
  readonly steps?: readonly string[];
}

const file = fileURLToPath(new URL('../known-differences.yaml', import.meta.url));

/** Reads the list; a step may stand in it once. */
export async function readKnownDifferences(from: string = file): Promise<KnownDifference[]> {
  const known = load(await readFile(from, 'utf8')) as KnownDifference[];
  const seen = new Set<string>();
  for (const step of known.flatMap(({ steps = [] }) => steps)) {
    if (seen.has(step)) throw new Error(`${step} is listed twice`);
    seen.add(step);
  }
  return known;
}

/** What a run says against the list, of the chapters that were played. */
export interface Verdict {
  /** Steps that differ and are not listed. */
  readonly unlisted: readonly string[];
  /** Steps that are listed and do not differ any more. */
  readonly outdated: readonly string[];
}

/** Steps of `unsettled` count for nothing: the real server does not agree with itself there. */
export function judge(
  known: readonly KnownDifference[],
  found: readonly Difference[],
  chapters: readonly string[],
  unsettled: readonly Difference[] = [],
): Verdict {
  const ignored = new Set(unsettled.map(nameOf));
  const differing = new Set(found.map(nameOf).filter((step) => !ignored.has(step)));
  const listed = new Set(known.flatMap(({ steps = [] }) => steps));
  const played = (step: string): boolean =>
    chapters.some((chapter) => step.startsWith(`${chapter}: `));
  return {
    unlisted: [...differing].filter((step) => !listed.has(step)),
    outdated: [...listed].filter(
      (step) => played(step) && !differing.has(step) && !ignored.has(step),
    ),
  };
}

function nameOf({ chapter, step }: Difference): string {
  return `${chapter}: ${step}`;
}
