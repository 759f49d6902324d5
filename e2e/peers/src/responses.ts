import type { Line } from './peer.ts';

/** Members that differ from run to run: uids, versions and times. */
const changing = new Set([
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'time',
  'lastTransitionTime',
  'deletionTimestamp',
]);

/** The output of a scenario without the parts that differ from run to run. */
export function responsesOf(lines: readonly Line[]): unknown[] {
  return lines.map(withoutChanging);
}

function withoutChanging(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutChanging);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([name]) => !changing.has(name));
  return Object.fromEntries(members.map(([name, member]) => [name, stable(name, member)]));
}

/** Sorts managed fields, because servers sort them by the second of the write. */
function stable(name: string, member: unknown): unknown {
  const value = withoutChanging(member);
  if (name !== 'managedFields' || !Array.isArray(value)) return value;
  return value.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}
