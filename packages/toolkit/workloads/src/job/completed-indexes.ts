import type { Job, Pod } from '../objects/kinds.ts';
import { indexOf, isTracked } from './job-state.ts';

/** The indexes of a text such as `1,3-5`. */
export function parseIndexes(text = ''): number[] {
  return text
    .split(',')
    .filter((part) => part !== '')
    .flatMap((part) => {
      const [first = 0, last = first] = part.split('-').map(Number);
      return Array.from({ length: last - first + 1 }, (_, at) => first + at);
    });
}

/** The text of sorted indexes. Three or more in a row, and two, are a range with a dash or a comma. */
export function printIndexes(indexes: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const index of indexes.toSorted((one, other) => one - other)) {
    const range = ranges.at(-1);
    if (range !== undefined && range[1] === index - 1) range[1] = index;
    else ranges.push([index, index]);
  }
  return ranges
    .map(([first, last]) =>
      first === last ? `${first}` : `${first}${last === first + 1 ? ',' : '-'}${last}`,
    )
    .join(',');
}

/** The indexes that have succeeded, those of Pods that are not counted yet included. */
export function succeededIndexes({ spec, status }: Job, pods: readonly Pod[]): number[] {
  const completions = spec?.completions ?? 0;
  const known = parseIndexes(status?.completedIndexes);
  const added = pods
    .filter((pod) => pod.status?.phase === 'Succeeded' && isTracked(pod))
    .map(indexOf);
  return [...new Set([...known, ...added])].filter((index) => index >= 0 && index < completions);
}

/** The lowest indexes that have neither succeeded nor an active Pod. */
export function pendingIndexes(
  { spec }: Job,
  {
    succeeded,
    active,
    count,
  }: { succeeded: readonly number[]; active: readonly Pod[]; count: number },
): number[] {
  const taken = new Set([...succeeded, ...active.map(indexOf)]);
  const all = Array.from({ length: spec?.completions ?? 0 }, (_, index) => index);
  return all.filter((index) => !taken.has(index)).slice(0, count);
}
