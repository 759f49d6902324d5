/** A line of the Go program: an event that a handler received, or a request that the informer sent. */
export interface ReportLine {
  readonly request?: string;
  readonly code?: number;
  readonly type?: string;
  readonly event?: string;
  readonly key?: string;
  readonly step?: string;
  readonly version?: string;
}

/** The events of each key: `add 0`, `update 1`, `delete 1`, … The number is the `step` label of the object. */
export type History = Readonly<Record<string, readonly string[]>>;

/** Returns the events of an informer. */
export function historyOf(lines: readonly ReportLine[]): History {
  const history: Record<string, string[]> = {};
  for (const { event, key, step } of lines) {
    if (event !== undefined) (history[key ?? ''] ??= []).push(`${event} ${step}`);
  }
  return history;
}

/** Returns the lists and watches that an informer requested, with the statuses of the responses. */
export function requestsOf(lines: readonly ReportLine[]): string[] {
  return lines
    .filter(({ request }) => request !== undefined)
    .map(
      ({ request, version, code, type }) =>
        `${request} from ${version || 'the newest'}: ${code} ${type}`,
    );
}

/** Returns the requests that list, or watch from the start. */
export function listsIn(requests: readonly string[]): string[] {
  return requests.filter((request) => !request.startsWith('watch from '));
}

/** The resourceVersion of each key. */
export type State = Readonly<Record<string, string>>;

/** Returns the state after the events of an informer. */
export function stateOf(lines: readonly ReportLine[]): State {
  const state: Record<string, string> = {};
  for (const { event, key, version } of lines) {
    if (event === 'delete') delete state[key ?? ''];
    else if (event !== undefined) state[key ?? ''] = version ?? '';
  }
  return state;
}

/** True if two states have the same keys with the same versions. */
export function isSameState(one: State, other: State): boolean {
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => one[key] === other[key]);
}

/** Returns the faults of a history: reordered, invented or contradictory states. Skipped states are permitted. */
export function faultsOf(seen: History, truth: History): string[] {
  const faults = Object.keys(seen).filter((key) => truth[key] === undefined);
  return [
    ...faults.map((key) => `${key} never existed`),
    ...Object.entries(truth).flatMap(([key, events]) => faultsOfKey(key, seen[key] ?? [], events)),
  ];
}

function faultsOfKey(key: string, seen: readonly string[], truth: readonly string[]): string[] {
  const faults: string[] = [];
  let alive = false;
  let last = -1;
  for (const event of seen) {
    const [what, step] = event.split(' ');
    if (alive === (what === 'add'))
      faults.push(`${key}: ${event} while ${alive ? 'there' : 'gone'}`);
    alive = what !== 'delete';
    // An informer that skipped states may emit an update for an add, and may have an older last state.
    const position = truth.findIndex((candidate) => candidate.split(' ')[1] === step);
    if (position < last) faults.push(`${key}: ${event} after a later state`);
    last = position;
  }
  if (ends(seen) !== ends(truth)) faults.push(`${key}: ends with ${seen.at(-1)}`);
  return faults;
}

function ends(events: readonly string[]): boolean {
  return events.at(-1)?.startsWith('delete') ?? true;
}
