import type { Line } from './peer.ts';

const changing = new Set([
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'time',
  'deletionTimestamp',
]);

/** What a scenario told without what differs from run to run: uids, versions and times. */
export function answersOf(lines: readonly Line[]): unknown[] {
  return lines.map(withoutChanging);
}

function withoutChanging(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutChanging);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([name]) => !changing.has(name));
  return Object.fromEntries(members.map(([name, member]) => [name, withoutChanging(member)]));
}
