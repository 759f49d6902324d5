import type { InformerEvent } from '@keelson/informer';
import type { BlockedSpan } from '../../event-loop/blocked-span.ts';
import type { UserCall, UserCalls } from '../../event-loop/user-calls.ts';
import type { SpanCause, SpanEnd, TracedReconcile, TracedSpan, Tracing } from '../tracing.ts';
import { RecentEntries } from '../values/recent-entries.ts';

/** The number of requests whose causes are kept, and of failed runs. */
const MAX_REQUESTS = 10_000;
/** The number of causes of a request that are kept. */
const MAX_CAUSES = 8;

/** The request of a run. */
interface TracedRun {
  readonly key: string;
  readonly request: object;
}

type CallReports = Pick<UserCalls, 'warnAfter' | 'report'>;

/** The spans of one controller. Remembers what queued each request until it runs, because the span of a run links to it. */
export class ControllerTracing {
  readonly #tracing: Tracing;
  readonly #controller: string;
  readonly #causes = new RecentEntries<SpanCause[]>(MAX_REQUESTS);
  /** The latest runs that are repeated. */
  readonly #repeated = new RecentEntries<SpanCause>(MAX_REQUESTS);

  constructor(tracing: Tracing, controller: string) {
    this.#tracing = tracing;
    this.#controller = controller;
  }

  /** An event has queued a request, or the caller has without an event. */
  queued(key: string, event: InformerEvent | undefined): void {
    const cause = event === undefined ? this.#tracing.current() : versionOf(event);
    if (cause === undefined) return;
    const known = this.#causes.get(key);
    if (known === undefined) this.#causes.set(key, [cause]);
    else if (known.length < MAX_CAUSES) known.push(cause);
  }

  /** Begins the span of a run. */
  began({ key, request }: TracedRun, run: TracedReconcile['run']): TracedSpan | undefined {
    const causedBy = this.#causes.take(key) ?? [];
    const repeated = this.#repeated.take(key);
    if (repeated !== undefined) causedBy.push(repeated);
    const controller = this.#controller;
    const namespace = namespaceOf(request);
    return this.#tracing.begin({ type: 'reconcile', controller, key, namespace, run, causedBy });
  }

  /** Ends the span of a run. If the request runs again because of its result, the next span links to this one. */
  ended(key: string, span: TracedSpan, end: SpanEnd): void {
    if (end.result !== 'success' && span.identity !== undefined) {
      this.#repeated.set(key, span.identity);
    }
    span.end(end);
  }

  /** Reports as `reports` does, and writes the spans of slow events. */
  withSlowEvents(reports: CallReports): CallReports {
    const { slowEventMs } = this.#tracing;
    return {
      warnAfter: Math.min(reports.warnAfter, slowEventMs),
      report: (call, span) => {
        const duration = span.endedAt - span.startedAt;
        if (call.role === 'event' && duration >= slowEventMs) this.#record(call, span);
        if (duration >= reports.warnAfter) reports.report(call, span);
      },
    };
  }

  #record({ source, facts }: UserCall, { startedAt, endedAt }: BlockedSpan): void {
    const controller = this.#controller;
    const key = facts?.['object'];
    const object = typeof key === 'string' ? key : undefined;
    this.#tracing.record({ type: 'event', controller, source, object, startedAt, endedAt });
  }
}

/** A request of a user's own type may have any member. */
function namespaceOf(request: { readonly namespace?: unknown }): string | undefined {
  return typeof request.namespace === 'string' ? request.namespace : undefined;
}

/**
 * Returns the version that an event shows; `undefined` for an initial object and for a resync, because they follow no
 * recent write.
 */
function versionOf(event: InformerEvent): SpanCause | undefined {
  if (event.type === 'added' && event.initial) return undefined;
  if (event.type === 'updated' && event.previous === event.object) return undefined;
  const { uid, resourceVersion } = event.object;
  return { uid, resourceVersion };
}
