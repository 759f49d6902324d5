import { addQuantities, compareQuantities } from '@keelson/cel/internal';
import { type JsonObject, ownValue, setOwn } from '@keelson/structural-schema';

/** Quantities by the name of the resource: `{ cpu: '100m', memory: '1Gi' }`. */
export type ResourceList = Readonly<Record<string, string>>;

/** Parses a list in JSON; ignores values that are not strings. */
export function resourceList(value: JsonObject): ResourceList {
  const entries = Object.entries(value).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return Object.fromEntries(entries);
}

/** The sum of two lists; a resource in only one of them keeps its quantity. */
export function addLists(left: ResourceList, right: ResourceList): ResourceList {
  const sum: Record<string, string> = { ...left };
  for (const [name, quantity] of Object.entries(right)) {
    const present = ownValue(sum, name);
    setOwn(sum, name, present === undefined ? quantity : addQuantities(present, quantity));
  }
  return sum;
}

/** The larger quantity of each resource. */
export function largestOf(left: ResourceList, right: ResourceList): ResourceList {
  const largest: Record<string, string> = { ...left };
  for (const [name, quantity] of Object.entries(right)) {
    const present = ownValue(largest, name);
    if (present === undefined || compareQuantities(quantity, present) > 0) {
      setOwn(largest, name, quantity);
    }
  }
  return largest;
}

/** The entries of a list with these names. */
export function pickFrom(list: ResourceList, names: Iterable<string>): ResourceList {
  const wanted = new Set(names);
  return Object.fromEntries(Object.entries(list).filter(([name]) => wanted.has(name)));
}
