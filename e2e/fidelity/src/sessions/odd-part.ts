import * as fc from 'fast-check';
import type { Fragment, SessionKind } from './session-kind.ts';

/** Values in the place of a member that are unusual or have another type. */
const oddValues: readonly unknown[] = [null, {}, [], '', 'x', 0, -1, true, [{}], [null]];

/** The members from an object to a value in it. Members of list items are not among them, a patch replaces lists. */
type Place = readonly [path: readonly string[], value: unknown];

/**
 * A part of an object of a kind with an odd value in one place: empty, of another type, a list with repeated items, or
 * an object with the members of two fragments in an item of a list.
 */
export function oddPartOf({ base, fragments }: SessionKind): fc.Arbitrary<Fragment> {
  const places = [base, ...fragments].flatMap((part) => placesOf(part, []));
  const lists = places.filter(([, value]) => Array.isArray(value) && value.length > 0);
  const replaced = fc
    .tuple(fc.constantFrom(...places), fc.constantFrom(...oddValues))
    .map(([[path], value]) => partWith(path, value));
  if (lists.length === 0) return replaced;
  const repeated = fc
    .constantFrom(...lists)
    .map(([path, value]) => partWith(path, [...(value as unknown[]), ...(value as unknown[])]));
  const items = fc
    .tuple(fc.constantFrom(...lists), fc.nat(), fc.constantFrom(...oddValues))
    .map(([[path, value], at, odd]) => partWith(path, withOddMember(value as unknown[], at, odd)));
  return fc.oneof(
    { weight: 4, arbitrary: replaced },
    { weight: 1, arbitrary: repeated },
    { weight: 3, arbitrary: items },
  );
}

function placesOf(value: unknown, path: readonly string[]): Place[] {
  const own: Place[] = path.length === 0 ? [] : [[path, value]];
  if (!isObject(value)) return own;
  return [
    ...own,
    ...Object.entries(value).flatMap(([name, held]) => placesOf(held, [...path, name])),
  ];
}

function partWith(path: readonly string[], value: unknown): Fragment {
  return path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as Fragment;
}

/** Replaces one member, at any depth, of the first item of a list. */
function withOddMember(list: readonly unknown[], at: number, odd: unknown): unknown[] {
  const [first, ...rest] = list;
  const places = placesInLists(first, []);
  const place = places[at % Math.max(places.length, 1)];
  return place === undefined ? [odd, ...rest] : [replacedAt(first, place, odd), ...rest];
}

function placesInLists(value: unknown, path: readonly string[]): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, held]) => {
    const place = [...path, name];
    return [place, ...placesInLists(held, place)];
  });
}

function replacedAt(value: unknown, [name, ...rest]: readonly string[], odd: unknown): unknown {
  if (name === undefined) return odd;
  const copy = structuredClone(value) as Record<string, unknown>;
  copy[name] = replacedAt(copy[name], rest, odd);
  return copy;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
