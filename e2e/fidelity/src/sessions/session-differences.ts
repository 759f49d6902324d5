import { isDeepStrictEqual } from 'node:util';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { load } from 'js-yaml';
import type { Difference, Place } from '../comparison.ts';

/** Where two responses may differ, and in what. Regular expressions match a whole text, never its beginning. */
export interface KnownPlace {
  /** Path of the member. */
  readonly path: string;
  /** The part of a text that may differ: all around it must be alike. */
  readonly part?: string;
  /** What kube-apiserver says there, and what this server says, as texts or as JSON. */
  readonly values?: readonly [string, string];
}

/** A difference that random sessions may meet, and why it stays. */
export interface KnownSessionDifference {
  readonly reason: string;
  /** Regular expression over the whole request, `METHOD /path?query`. */
  readonly request: string;
  /** The status of kube-apiserver and of this server where they differ. */
  readonly statuses?: readonly [number, number];
  /** Where the bodies may differ. */
  readonly places?: readonly KnownPlace[];
}

const file = fileURLToPath(new URL('../../sessions/known-differences.yaml', import.meta.url));

/** Reads the list of differences that sessions may meet. */
export async function readKnownSessionDifferences(): Promise<readonly KnownSessionDifference[]> {
  return (load(await readFile(file, 'utf8')) ?? []) as KnownSessionDifference[];
}

/** True if one entry lists the statuses and every place of a difference. */
export function isListed(
  difference: Difference,
  known: readonly KnownSessionDifference[],
): boolean {
  return known.some((entry) => lists(entry, difference));
}

function lists(entry: KnownSessionDifference, { request, statuses, places }: Difference): boolean {
  if (!whole(entry.request).test(request)) return false;
  const areAlike = statuses[0] === statuses[1];
  const areExpected = isDeepStrictEqual(entry.statuses, statuses);
  if (entry.statuses === undefined ? !areAlike : !areExpected) return false;
  // A server that hung up said nothing that could be compared.
  if (statuses.includes(0)) return true;
  const { places: listed = [] } = entry;
  return places.every((place) => listed.some((one) => covers(one, place)));
}

function covers({ path, part, values }: KnownPlace, place: Place): boolean {
  if (!whole(path).test(place.path)) return false;
  const [left, right] = [textOf(place.left), textOf(place.right)];
  if (values !== undefined) return whole(values[0]).test(left) && whole(values[1]).test(right);
  if (part === undefined) return false;
  const pattern = new RegExp(part, 'gs');
  return left.replaceAll(pattern, '…') === right.replaceAll(pattern, '…');
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined ? '(absent)' : JSON.stringify(value);
}

function whole(pattern: string): RegExp {
  return new RegExp(`^(?:${pattern})$`, 's');
}
