import type {
  ControllerExplanationFacts,
  ExplainedDrop,
  ExplainedEvent,
  ExplainedRun,
  ExplanationFacts,
} from './explanation-facts.ts';
import { oneLine } from '../logging/terminal-text.ts';
import type { PurgeReason } from '../history/purge.ts';
import type { RecordedError, RunDecision } from '../history/recorded-run.ts';

const decisions: Readonly<Record<RunDecision, string>> = {
  done: 'done',
  requeue: 'runs again after requeueAfter',
  retry: 'is retried after its backoff',
  released: 'was left by its loop and runs again',
  'dead-letter': 'given up until the next event',
  ignored: 'its error was ignored by errorPolicy',
  dropped: 'not retried, because its object and its sources are gone',
  stopped: 'the controller stopped',
};

const purges: Readonly<Record<PurgeReason, string>> = {
  'watch-removed': 'its watches were removed',
  'other-shard': 'another replica has its slot',
  'object-gone': 'its object was deleted before the workers started',
  stopped: 'the controller stopped',
};

/** The text of an explanation: what holds now, then the runs, then the events. */
export function requestText(facts: ExplanationFacts): string {
  const { controller, request, state, nextRun, events, runs, dropped, hasHistory } = facts;
  const [first, ...others] = facts.obstacles;
  const why = first === undefined ? '' : `: ${first.text} (${first.code})`;
  const lines = [
    `request ${request} of controller ${controller} is ${state}${why}`,
    ...others.map(({ code, text }) => `  also: ${text} (${code})`),
    ...(nextRun === undefined ? [] : [`  next run at ${nextRun}`]),
    ...(hasHistory ? [] : ['no history is kept, because historyBytes is 0']),
    ...section('runs, latest first', runs.flatMap(runLines)),
    ...section('events that queued it, latest first', events.map(eventLine)),
    ...section('events that led to no request, latest first', dropped.map(dropLine)),
  ];
  return lines.map(oneLine).join('\n');
}

/** The text of the explanation of a controller. */
export function controllerText(facts: ControllerExplanationFacts): string {
  const { controller, phase, state, ready, running, concurrency } = facts;
  const watches = facts.watches.map(({ source, namespace, state: health, reason, error }) => {
    const where = namespace === undefined ? '' : ` in ${namespace}`;
    const cause = error === undefined || health === 'live' ? '' : ` (${errorText(error)})`;
    return `${source}${where}: ${health}, ${reason}${cause}`;
  });
  return [
    `controller ${controller} (phase ${phase}) is ${state}; ${running} of ${concurrency} workers are busy, ${ready} requests wait`,
    ...facts.obstacles.map(({ code, text }) => `  ${text} (${code})`),
    ...section('watches', watches),
  ]
    .map(oneLine)
    .join('\n');
}

/** The name, code and message of an error in one line. */
export function errorText({ name, code, message }: RecordedError): string {
  return `${name}${code === undefined ? '' : ` ${code}`}: ${message}`;
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `  ${line}`)];
}

/** The lines of a run: the first begins with its time, then its requests to the API server. */
export function runLines(run: ExplainedRun): readonly string[] {
  const { at, attempt, priority, queuedMs, duration, decision, error, calls, callCount } = run;
  const causes = run.causes.map(({ source, reason }) => `${source} ${reason}`).join(', ');
  const length = duration === undefined ? 'still running' : `${rounded(duration)} ms`;
  const failed = error === undefined ? '' : `, failed with ${errorText(error)}`;
  const next = decision === undefined ? '' : `, ${decisions[decision]}${waitText(run)}`;
  const id = run.reconcileId === undefined ? '' : `, reconcileId ${run.reconcileId}`;
  const left = callCount - calls.length;
  return [
    `${at} attempt ${attempt}, priority ${priority}, ready for ${rounded(queuedMs)} ms, because of ${causes || 'no known cause'}: ${length}${failed}${next}${id}`,
    ...calls.map(({ verb, path, code, ms }) => `  ${verb} ${path}: ${code}, ${rounded(ms)} ms`),
    ...(left > 0 ? [`  and ${left} more requests to the API server`] : []),
  ];
}

/** The end of the wait of a run for the next one. */
function waitText({ nextRun, isSuperseded }: ExplainedRun): string {
  if (nextRun === undefined) return '';
  return ` at ${nextRun}${isSuperseded ? ', superseded by an earlier run' : ''}`;
}

/** The line of an event that queued a request, which begins with its time. */
export function eventLine(event: ExplainedEvent): string {
  const { at, source, reason, object, before, after, delay, delayedBy } = event;
  const versions = before === undefined ? after : `${before} → ${after}`;
  const what = object === undefined ? '' : ` of ${object} (resourceVersion ${versions})`;
  return `${at} ${source}: ${reason}${what}${delayedBy === undefined ? '' : `, delayed for ${rounded(delay)} ms by ${delayedBy}`}${decisionText(event)}`;
}

/** The decision of the queue about the request of an event. */
function decisionText({ decision, run, purgedFor }: ExplainedEvent): string {
  switch (decision) {
    case 'run':
      return `, ran at ${run}`;
    case 'superseded':
      return `, superseded by a later event before ${run === undefined ? 'a run began' : `the run at ${run}`}`;
    case 'waiting':
      return ', no run has begun since';
    case 'purged':
    case undefined:
      return purgedFor === undefined ? '' : `, dropped without a run: ${purges[purgedFor]}`;
  }
}

/** The line of an event that led to no request, which begins with its time. */
export function dropLine(drop: ExplainedDrop): string {
  const { at, source, object, type, resourceVersion, count } = drop;
  const times = count === 1 ? '' : `, ${count} such events`;
  return `${at} ${source}: ${type} of ${object} (resourceVersion ${resourceVersion}) ${dropText(drop)}${times}`;
}

/** Why an event led to no request. */
export function dropText({
  reason,
  predicate,
}: Pick<ExplainedDrop, 'reason' | 'predicate'>): string {
  switch (reason) {
    case 'filtered':
      return `was not passed by ${predicate}`;
    case 'own-write':
      return 'was a write of the controller itself, which ignoreOwn leaves out';
    case 'no-request':
      return 'led to no request: it has no owner of `for`, or its mapper returned none';
    case 'mapper-failed':
      return 'made its mapper throw';
    case 'other-shard':
      return 'led to a request whose slot another replica has, or had until now';
  }
}

function rounded(ms: number): number {
  return Math.round(ms * 10) / 10;
}
