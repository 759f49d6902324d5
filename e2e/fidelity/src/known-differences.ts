import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { load } from 'js-yaml';
import type { Difference } from './comparison.ts';

/** An accepted difference between `@keelson/apiserver` and kube-apiserver. */
export interface KnownDifference {
  readonly title: string;
  /** A description of the difference, its effect on users, and why it is accepted. */
  readonly reason: string;
  /** The steps that show the difference, as `chapter: step`. Missing if no step shows it. */
  readonly steps?: readonly string[];
}

const file = fileURLToPath(new URL('../known-differences.yaml', import.meta.url));

/** Reads the list. Throws for a step that is listed twice. */
export async function readKnownDifferences(from: string = file): Promise<KnownDifference[]> {
  const known = load(await readFile(from, 'utf8')) as KnownDifference[];
  const seen = new Set<string>();
  for (const step of known.flatMap(({ steps = [] }) => steps)) {
    if (seen.has(step)) throw new Error(`step is listed twice (step=${step})`);
    seen.add(step);
  }
  return known;
}

/** The contradictions between a run and the list, for the chapters of the run. */
export interface Verdict {
  /** Steps that differ and are not listed. */
  readonly unlisted: readonly string[];
  /** Steps that are listed and agree. */
  readonly outdated: readonly string[];
}

/**
 * Compares the differences of a run with the list. Steps of `unsettled` do not count: two runs of kube-apiserver
 * differ there.
 */
export function judge(
  known: readonly KnownDifference[],
  found: readonly Difference[],
  chapters: readonly string[],
  unsettled: readonly Difference[] = [],
): Verdict {
  const ignored = new Set(unsettled.map(nameOf));
  const differing = new Set(found.map(nameOf).filter((step) => !ignored.has(step)));
  const listed = new Set(known.flatMap(({ steps = [] }) => steps));
  const played = (step: string): boolean => chapters.some((chapter) => isOf(step, chapter));
  return {
    unlisted: [...differing].filter((step) => !listed.has(step)),
    outdated: [...listed].filter(
      (step) => played(step) && !differing.has(step) && !ignored.has(step),
    ),
  };
}

/** True if a step of the chapter contradicts the list. */
export function contradicts({ unlisted, outdated }: Verdict, chapter: string): boolean {
  return [...unlisted, ...outdated].some((step) => isOf(step, chapter));
}

function isOf(step: string, chapter: string): boolean {
  return step.startsWith(`${chapter}: `);
}

function nameOf({ chapter, step }: Difference): string {
  return `${chapter}: ${step}`;
}
