import { at, listAt, numberAt, textAt, type Fields } from './column.ts';
import { ageOf } from './human-duration.ts';

/** The cells of a pod in `kubectl get pods`, computed as in kube-apiserver's printer. */
export interface PodCells {
  readonly ready: string;
  readonly status: string;
  readonly restarts: string;
}

interface Seen {
  restarts: number;
  lastRestart: string;
}

/** Computes the cells from the phase, containers and conditions of a pod. */
export function podCells(pod: Fields, now: number): PodCells {
  const containers = listAt(pod, 'spec', 'containers');
  const statuses = listAt(pod, 'status', 'containerStatuses');
  const initializing = initReason(pod);
  const seen = restartsOf(initializing === undefined ? statuses : initStatuses(pod));
  const status = initializing ?? reasonOfContainers(pod, statuses);
  return {
    ready: `${statuses.filter(isReady).length}/${containers.length}`,
    status: deletionReason(pod) ?? status,
    restarts:
      seen.restarts > 0 && seen.lastRestart !== ''
        ? `${seen.restarts} (${ageOf(seen.lastRestart, now)} ago)`
        : String(seen.restarts),
  };
}

function isReady(status: unknown): boolean {
  return at(status, 'ready') === true && at(status, 'state', 'running') !== undefined;
}

function initStatuses(pod: Fields): readonly unknown[] {
  return listAt(pod, 'status', 'initContainerStatuses');
}

/** Returns `Init:…` until all init containers have succeeded. */
function initReason(pod: Fields): string | undefined {
  const count = listAt(pod, 'spec', 'initContainers').length;
  for (const [index, status] of initStatuses(pod).entries()) {
    const ended = at(status, 'state', 'terminated');
    if (ended !== undefined && numberAt(ended, ['exitCode']) === 0) continue;
    if (ended !== undefined) return `Init:${terminatedReason(ended)}`;
    const waiting = textAt(status, ['state', 'waiting', 'reason']);
    if (waiting !== '' && waiting !== 'PodInitializing') return `Init:${waiting}`;
    return `Init:${index}/${count}`;
  }
  return undefined;
}

function reasonOfContainers(pod: Fields, statuses: readonly unknown[]): string {
  let reason = textAt(pod, ['status', 'reason'], textAt(pod, ['status', 'phase']));
  for (const status of statuses.toReversed()) {
    const waiting = textAt(status, ['state', 'waiting', 'reason']);
    const ended = at(status, 'state', 'terminated');
    if (waiting !== '') reason = waiting;
    else if (ended !== undefined) reason = terminatedReason(ended);
  }
  if (reason !== 'Completed' || !statuses.some(isReady)) return reason;
  return isPodReady(pod) ? 'Running' : 'NotReady';
}

function terminatedReason(ended: unknown): string {
  const reason = textAt(ended, ['reason']);
  if (reason !== '') return reason;
  const signal = numberAt(ended, ['signal']);
  return signal === 0 ? `ExitCode:${numberAt(ended, ['exitCode'])}` : `Signal:${signal}`;
}

function isPodReady(pod: Fields): boolean {
  return listAt(pod, 'status', 'conditions').some(
    (condition) => at(condition, 'type') === 'Ready' && at(condition, 'status') === 'True',
  );
}

function deletionReason(pod: Fields): string | undefined {
  if (pod.metadata?.deletionTimestamp === undefined) return undefined;
  if (textAt(pod, ['status', 'reason']) === 'NodeLost') return 'Unknown';
  const phase = textAt(pod, ['status', 'phase']);
  return phase === 'Succeeded' || phase === 'Failed' ? undefined : 'Terminating';
}

function restartsOf(statuses: readonly unknown[]): Seen {
  const seen: Seen = { restarts: 0, lastRestart: '' };
  for (const status of statuses) {
    seen.restarts += numberAt(status, ['restartCount']);
    const finished = textAt(status, ['lastState', 'terminated', 'finishedAt']);
    if (finished > seen.lastRestart) seen.lastRestart = finished;
  }
  return seen;
}
