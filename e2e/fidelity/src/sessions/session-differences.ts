import { isDeepStrictEqual } from 'node:util';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { load } from 'js-yaml';
import type { Difference, Place } from '../comparison.ts';

/** A place where two responses may differ. A regular expression must match the whole text. */
export interface KnownPlace {
  /** Regular expression for the path of the member. */
  readonly path: string;
  /** Regular expression for the part of a string that may differ; the text around it must be equal. */
  readonly part?: string;
  /** Regular expressions for the values of kube-apiserver and of `@keelson/apiserver`, as strings or JSON. */
  readonly values?: readonly [string, string];
}

/** An accepted difference in random sessions, with the reason why it is accepted. */
export interface KnownSessionDifference {
  readonly reason: string;
  /** Regular expression for the whole request, `METHOD /path?query`. */
  readonly request: string;
  /** The status of kube-apiserver and of `@keelson/apiserver`, if they differ. */
  readonly statuses?: readonly [number, number];
  /** Places where the bodies may differ. */
  readonly places?: readonly KnownPlace[];
}

const file = fileURLToPath(new URL('../../sessions/known-differences.yaml', import.meta.url));

/** Reads the list of accepted differences. */
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
  // A server that closed the connection sent no body to compare.
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
