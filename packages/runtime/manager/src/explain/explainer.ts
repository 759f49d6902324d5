import {
  parseObjectKey,
  printFieldSelector,
  resourceId,
  type Clock,
  type KubernetesObject,
  type ObjectName,
} from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import type { ObjectView } from '@keelson/informer';
import type { DroppedEvent } from '../history/dropped-events.ts';
import { decidedEvents, isSuperseded, type DecidedEvent } from '../history/event-decision.ts';
import type { History, RecordedEvent } from '../history/history.ts';
import { errorOf, type RecordedRun } from '../history/recorded-run.ts';
import type { CauseSet } from '../reconcile/cause.ts';
import { keyInCluster, requestOfKey } from '../reconcile/request.ts';
import type { KindSource } from '../sources/kind-source.ts';
import type { SourceSet } from '../source-set/source-set.ts';
import {
  controllerExplanationOf,
  explanationOf,
  type ControllerExplanation,
  type Explanation,
} from './explanation.ts';
import { isoTime } from './iso-time.ts';
import type {
  ExplainedDrop,
  ExplainedEvent,
  ExplainedRun,
  ExplainedWatch,
  ObjectWriter,
  Obstacle,
  RequestState,
} from './explanation-facts.ts';
import {
  controllerObstacles,
  requestObstacles,
  type ControllerFacts,
  type IdleRequest,
  type RequestPlace,
  type RequestReading,
} from './obstacles.ts';
import type { ControllerReading } from '../run/controller-observer.ts';

/** The queue of a controller, as an explanation reads it. */
export interface ExplainedLoop {
  readonly length: number;
  readonly reading: Pick<ControllerReading, 'concurrency' | 'running'>;
  stateOf(key: string): RequestReading;
}

export interface ExplainerOptions<Q extends object> {
  readonly name: string;
  readonly phase: string;
  readonly clock: Clock;
  readonly loop: ExplainedLoop;
  readonly sources: SourceSet<Q>;
  /** `undefined` if the controller keeps none. */
  readonly history: History | undefined;
  /** Reads the state of the controller and of its leader election. */
  readonly reading: () => ControllerFacts;
  readonly keyOf: (request: Q) => string;
  /** Where a request runs if the controller is sharded; else always `here`. */
  readonly placeOf: (request: Q, key: string) => RequestPlace;
  /** The client of a cluster; `undefined` is the main one. Throws `UNKNOWN_CLUSTER`. */
  readonly clientOf: (cluster: string | undefined) => Pick<Client, 'list'>;
}

/** The most objects whose managed fields are read at a time. */
const MAX_WRITERS = 5;
/** The most dropped events of an explanation. */
const MAX_DROPS = 20;
/** The most objects for which an explanation calls a mapper. A page repeats it, and must not block the event loop. */
const MAX_MAPPED = 100;

/** A list of one object, which finds its last writers. */
export interface WriterRead {
  /** The source that has the object. */
  readonly source: string;
  readonly object: string;
  /** Resolves to `undefined` for an object that is gone. Rejects with the error of the list. */
  read(signal: AbortSignal | undefined): Promise<ObjectWriter | undefined>;
}

/** Explains the requests of one controller by its history and its present state. */
export class Explainer<Q extends object> {
  readonly #options: ExplainerOptions<Q>;

  /** True while mappers are called. */
  #isMapping = false;

  constructor(options: ExplainerOptions<Q>) {
    this.#options = options;
  }

  /** Explains what the controller does. */
  controller(): ControllerExplanation {
    const { name, phase, loop, history } = this.#options;
    const watches = this.#watches();
    const reading = this.#options.reading();
    return controllerExplanationOf({
      controller: name,
      kind: this.#options.sources.primaryKind,
      phase,
      state: reading.state,
      obstacles: controllerObstacles(reading, watches),
      watches,
      ready: loop.length,
      running: loop.reading.running,
      concurrency: loop.reading.concurrency,
      requests: history?.size ?? 0,
    });
  }

  /** Explains the request of this key. */
  request(key: string, request = requestOfKey(key) as object as Q): Explanation {
    const { name, clock, history } = this.#options;
    const place = this.#options.loop.stateOf(key);
    const known = history?.of(key);
    const state = stateOf(place);
    const dropped = this.#droppedFor(key);
    const facts = {
      controller: name,
      request: key,
      state,
      obstacles:
        state === 'running' ? [] : this.#obstacles(request, key, { place, known, dropped }),
      nextRun: nextRunOf(place, clock),
      events: (known === undefined ? [] : decidedEvents(known))
        .map((event) => explainedEvent(event, clock))
        .toReversed(),
      runs: explainedRuns(known?.runs ?? [], place, clock).toReversed(),
      dropped,
      hasHistory: history !== undefined,
    };
    return explanationOf(facts, async (signal) => {
      const reads = this.#writerReadsOf(known?.events() ?? []);
      const found = await Promise.all(reads.map((one) => one.read(signal)));
      return found.filter((writer) => writer !== undefined);
    });
  }

  /** The lists that find the last writers of the latest objects whose events queued the request of this key. */
  writerReads(key: string): readonly WriterRead[] {
    return this.#writerReadsOf(this.#options.history?.of(key)?.events() ?? []);
  }

  #obstacles(
    request: Q,
    key: string,
    facts: Pick<IdleRequest, 'place' | 'known' | 'dropped'>,
  ): readonly Obstacle[] {
    const { clock, loop, placeOf } = this.#options;
    const reading = this.#options.reading();
    const general = controllerObstacles(reading, this.#watches());
    return [
      ...general,
      ...requestObstacles({
        ...facts,
        clock,
        replica: placeOf(request, key),
        workers: loop.reading.concurrency,
        takesRequests: reading.state === 'running' && !reading.isPaused,
        ready: loop.length,
        object: reading.state === 'stopped' ? undefined : this.#objectOf(key),
      }),
    ];
  }

  /** Where the object of a request is; `undefined` for a controller without `for` in its cluster. */
  #objectOf(key: string): 'exists' | 'unknown' | 'outside' | undefined {
    const { sources } = this.#options;
    if (!sources.hasFor) return undefined;
    const name = requestOfKey(key);
    const primary = sources.primaryIn(name.cluster);
    if (primary === undefined) return undefined;
    const reaching = primary.members.filter(({ objects }) => objects.reaches(name.namespace));
    if (reaching.length === 0) return 'outside';
    return reaching.some(({ objects }) => objects.exists(name)) ? 'exists' : 'unknown';
  }

  /** The latest dropped events of the object of `for`, and of the objects that the sources map to the request. */
  #droppedFor(key: string): ExplainedDrop[] {
    const { history } = this.#options;
    // A mapper that is called below may explain requests itself.
    if (history === undefined || this.#isMapping) return [];
    this.#isMapping = true;
    try {
      return this.#dropsOf(key, history);
    } finally {
      this.#isMapping = false;
    }
  }

  #dropsOf(key: string, history: History): ExplainedDrop[] {
    const { clock, sources } = this.#options;
    const members = new Map(
      sources.all.flatMap(({ members: all, plan }) =>
        all.map((member) => [member.causes, { member, plan }] as const),
      ),
    );
    const latest = [...history.dropped.latest()].toSorted(
      ([, one], [, other]) => other.at - one.at,
    );
    const drops: ExplainedDrop[] = [];
    let mapped = 0;
    for (const [object, drop] of latest) {
      if (drops.length === MAX_DROPS) break;
      const found = members.get(drop.source);
      if (found === undefined) continue;
      const { member, plan } = found;
      const own = keyInCluster(plan.spans ? member.causes.cluster : undefined, object);
      const isPrimary = plan.role === 'for';
      const isNamed = own === key && (isPrimary || drop.reason === 'no-request');
      const isMapped = !isNamed && !isPrimary && mapped < MAX_MAPPED;
      if (isMapped) mapped += 1;
      const concerns = isNamed || (isMapped && this.#leadsTo(member, object, drop, key));
      if (concerns) drops.push(explainedDrop(object, drop, member, clock));
    }
    return drops;
  }

  /** True if an object of a source is one of a request: the source maps it to the request, or it names it. */
  #leadsTo(member: KindSource<Q>, object: string, drop: DroppedEvent, key: string): boolean {
    const view = member.objects.view(parseObjectKey(object));
    if (drop.reason === 'no-request') return namesOwner(view, key);
    if (view === undefined) return false;
    return member.requestsOf(view).some((request) => this.#isRequest(request, key));
  }

  #isRequest(request: Q, key: string): boolean {
    try {
      return this.#options.keyOf(request) === key;
    } catch {
      return false; // The mapper returned an invalid request, which the log reports for its event.
    }
  }

  #watches(): readonly ExplainedWatch[] {
    return this.#options.sources.all.flatMap(({ members }) => members.map(explainedWatch));
  }

  #writerReadsOf(events: readonly RecordedEvent[]): readonly WriterRead[] {
    const objects = new Map<string, { source: CauseSet; object: string }>();
    for (const { cause, object } of events.toReversed()) {
      const { source } = cause;
      if (object !== undefined) objects.set(`${source.name}\n${object}`, { source, object });
    }
    return [...objects.values()].slice(0, MAX_WRITERS).map(({ source, object }) => ({
      source: source.name,
      object,
      read: (signal) => this.#writerOf(source, object, signal),
    }));
  }

  async #writerOf(
    source: CauseSet,
    object: string,
    signal: AbortSignal | undefined,
  ): Promise<ObjectWriter | undefined> {
    const { sources, clientOf } = this.#options;
    const member = sources.all
      .flatMap(({ members }) => members)
      .find((one) => one.causes === source);
    if (member === undefined) return undefined;
    const { namespace, name } = parseObjectKey(object);
    const { resource } = member.options;
    const fieldSelector = printFieldSelector([
      { path: 'metadata.name', operator: '=', value: name },
    ]);
    // A list and no get: the operator may list what it watches.
    const options = { namespace, fieldSelector, ...(signal !== undefined && { signal }) };
    const { items } = await clientOf(source.cluster).list(resource, options);
    const [found] = items;
    return found === undefined ? undefined : writerOf(source.name, object, found);
  }
}

function stateOf({ item }: RequestReading): RequestState {
  if (item?.isHeld === true) return 'running';
  if (item?.queued === undefined) return 'idle';
  return item.queued.isReady ? 'ready' : 'waiting';
}

function nextRunOf({ item, intervalEnd }: RequestReading, clock: Clock): string | undefined {
  const queued = item?.queued;
  if (queued !== undefined) return queued.isReady ? undefined : isoTime(queued.at, clock);
  return intervalEnd === undefined ? undefined : isoTime(intervalEnd, clock);
}

function explainedEvent({ at, cause, ranAt, ...rest }: DecidedEvent, clock: Clock): ExplainedEvent {
  const run = ranAt === undefined ? undefined : isoTime(ranAt, clock);
  return { at: isoTime(at, clock), source: cause.source.name, reason: cause.reason, ...rest, run };
}

/** The runs of a request, oldest first. The time of the latest one is replaced if the request is queued earlier. */
function explainedRuns(
  runs: readonly RecordedRun[],
  { item }: RequestReading,
  clock: Clock,
): ExplainedRun[] {
  return runs.map((run, index) => {
    const next = runs[index + 1]?.startedAt ?? item?.queued?.at;
    return explainedRun(run, isSuperseded(run, next), clock);
  });
}

function explainedRun(run: RecordedRun, isReplaced: boolean, clock: Clock): ExplainedRun {
  const { attempt, priority, queuedMs, duration, decision, error, callCount, reconcileId } = run;
  return {
    at: isoTime(run.startedAt, clock),
    attempt,
    priority,
    queuedMs,
    duration,
    decision,
    nextRun: run.nextAt === undefined ? undefined : isoTime(run.nextAt, clock),
    isSuperseded: isReplaced,
    // Copies, so that a change of the explanation does not reach the history.
    error: error && { ...error },
    callCount,
    reconcileId,
    causes: run.causes.map(({ source, reason }) => ({ source: source.name, reason })),
    calls: (run.calls ?? []).map((call) => ({ ...call })),
  };
}

function explainedDrop<Q extends object>(
  object: string,
  drop: DroppedEvent,
  member: KindSource<Q>,
  clock: Clock,
): ExplainedDrop {
  const { at, type, resourceVersion, reason, predicate, count } = drop;
  return {
    at: isoTime(at, clock),
    source: member.name,
    object,
    type,
    resourceVersion,
    reason,
    count,
    predicate: predicate === undefined ? undefined : member.predicateText(predicate),
  };
}

function explainedWatch<Q extends object>(source: KindSource<Q>): ExplainedWatch {
  const { name, options, required, health } = source;
  return {
    source: name,
    resource: resourceId(options.resource),
    namespace: options.namespace || undefined,
    required,
    state: health?.state ?? 'not started',
    reason: health?.reason ?? 'the watch is not open',
    error: health?.lastError === undefined ? undefined : errorOf(health.lastError),
  };
}

/** True if an object has an owner reference with the name of a request, which its source did not follow. */
function namesOwner(view: ObjectView | undefined, key: string): boolean {
  const { namespace, name }: ObjectName = requestOfKey(key);
  if (view === undefined || (namespace !== undefined && view.namespace !== namespace)) return false;
  return (view.metadata.ownerReferences ?? []).some((reference) => reference.name === name);
}

function writerOf(source: string, object: string, { metadata }: KubernetesObject): ObjectWriter {
  const entries = [...(metadata?.managedFields ?? [])];
  const times = entries.map(({ time }) => time ?? '');
  const latest = times.toSorted().at(-1) ?? '';
  const managers = entries
    .filter(({ time }) => (time ?? '') === latest)
    .map(({ manager = '', operation = '', subresource, time }) => ({
      manager,
      operation,
      subresource,
      at: time,
    }));
  return { source, object, resourceVersion: metadata?.resourceVersion ?? '', managers };
}
