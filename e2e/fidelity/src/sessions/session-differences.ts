import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { load } from 'js-yaml';
import type { Difference } from '../comparison.ts';

/** A difference that random sessions may meet, and why it stays. */
export interface KnownSessionDifference {
  readonly reason: string;
  /** Regular expression over the request, `METHOD /path?query`. */
  readonly request: string;
  /** Regular expression over a place, `path: one ≠ other`; `status` for a difference in status alone. */
  readonly place: string;
}

const file = fileURLToPath(new URL('../../sessions/known-differences.yaml', import.meta.url));

/** Reads the list of differences that sessions may meet. */
export async function readKnownSessionDifferences(): Promise<readonly KnownSessionDifference[]> {
  return (load(await readFile(file, 'utf8')) ?? []) as KnownSessionDifference[];
}

/** True if every place of a difference is listed. */
export function isListed(
  { request, statuses, places }: Difference,
  known: readonly KnownSessionDifference[],
): boolean {
  const patterns = known
    .filter((entry) => new RegExp(entry.request).test(request))
    .map(({ place }) => new RegExp(place));
  const sameStatus = statuses[0] === statuses[1];
  const status = `status: ${statuses.join(' ≠ ')}`;
  // A server that hung up said nothing that could be compared.
  const others = statuses.includes(0) ? [] : places;
  const found = sameStatus ? places : [status, ...others];
  return patterns.length > 0 && found.every((place) => patterns.some((one) => one.test(place)));
}
