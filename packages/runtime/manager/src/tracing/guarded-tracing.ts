import { examineResult, ignoreRejections, isPromised } from '@keelson/apimachinery';
import { nodeUtil } from '../node-util.ts';
import type {
  ManagedRequestTracing,
  SpanEnd,
  SpanIdentity,
  TracedSpan,
  Tracing,
} from './tracing.ts';

/** The types of members that a result must have. */
type MemberTypes = Readonly<Record<string, string>>;

const identityTypes: MemberTypes = { traceId: 'string', spanId: 'string', traceFlags: 'number' };
const traceTypes: MemberTypes = { ended: 'function', wrote: 'function' };

type Attempt = <Result>(act: () => Result) => Result | undefined;

/**
 * Calls a tracing that may be code of the user. Its errors, rejections and invalid results affect no run, review or
 * request. The first one becomes a process warning (`OBSERVER_FAILED`).
 */
export class GuardedTracing implements Tracing {
  readonly slowEventMs: number;
  readonly requests: ManagedRequestTracing;
  readonly #tracing: Tracing;
  #hasFailed = false;

  constructor(tracing: Tracing) {
    this.#tracing = tracing;
    const slowEventMs: unknown = this.#attempt(() => tracing.slowEventMs);
    ignoreRejections(slowEventMs);
    const isNumber = typeof slowEventMs === 'number' && !Number.isNaN(slowEventMs);
    this.slowEventMs = isNumber ? slowEventMs : Infinity;
    this.requests = {
      begin: (request, parent) =>
        this.#attempt(() => {
          const own = parent instanceof GuardedSpan ? parent.span : parent;
          return withMembers(tracing.requests.begin(request, own), traceTypes);
        }),
    };
  }

  begin(work: Parameters<Tracing['begin']>[0]): TracedSpan | undefined {
    return this.#attempt(() => {
      const span = withMembers(this.#tracing.begin(work), { run: 'function', end: 'function' });
      return span && new GuardedSpan(span, this.#attempt);
    });
  }

  record(work: Parameters<Tracing['record']>[0]): void {
    this.#attempt(() => ignoreRejections(this.#tracing.record(work)));
  }

  current(): SpanIdentity | undefined {
    return this.#attempt(() => withMembers(this.#tracing.current(), identityTypes));
  }

  readonly #attempt: Attempt = (act) => {
    try {
      return act();
    } catch (error) {
      if (!this.#hasFailed) {
        process.emitWarning(`the tracing failed: ${nodeUtil.inspect(error)}`, {
          type: 'KeelsonWarning',
          code: 'OBSERVER_FAILED',
        });
      }
      this.#hasFailed = true;
      return undefined;
    }
  };
}

/** A span whose methods do not throw. The identity is read once, because a getter may throw. */
class GuardedSpan implements TracedSpan {
  readonly span: TracedSpan;
  readonly identity: SpanIdentity | undefined;
  readonly #attempt: Attempt;

  constructor(span: TracedSpan, attempt: Attempt) {
    this.span = span;
    this.#attempt = attempt;
    this.identity = attempt(() => withMembers(span.identity, identityTypes));
  }

  /** Calls `act` exactly once, and returns its result or throws its error, whatever the span does. */
  run<Result>(act: () => Result): Result {
    const call = new OneCall(act);
    this.#attempt(() => {
      const result = call.isolated(() => this.span.run(() => call.run()));
      // A span with an async `run` returns a promise of its own, which nothing waits for.
      if (result !== call.result) ignoreRejections(result);
    });
    return call.run();
  }

  end(end: SpanEnd): void {
    this.#attempt(() => ignoreRejections(this.span.end(end) as unknown));
  }
}

/** Calls a function once, and keeps its result or its error for all later calls. */
class OneCall<Result> {
  readonly #act: () => Result;
  #outcome: { readonly result: Result } | { readonly error: unknown } | undefined;

  constructor(act: () => Result) {
    this.#act = act;
  }

  get result(): Result | undefined {
    return this.#outcome !== undefined && 'result' in this.#outcome
      ? this.#outcome.result
      : undefined;
  }

  run(): Result {
    if (this.#outcome === undefined) {
      try {
        this.#outcome = { result: this.#act() };
      } catch (error) {
        this.#outcome = { error };
      }
    }
    if ('error' in this.#outcome) throw this.#outcome.error;
    return this.#outcome.result;
  }

  /** Calls code that calls `run`. An error of the function itself is not one of the code. */
  isolated(code: () => unknown): unknown {
    try {
      return code();
    } catch (error) {
      const isOwn =
        this.#outcome !== undefined && 'error' in this.#outcome && this.#outcome.error === error;
      if (isOwn) return undefined;
      throw error;
    }
  }
}

/** Returns an object of the user. Throws for a promise, and for a value without members of these types. */
function withMembers<T extends object>(given: T | undefined, types: MemberTypes): T | undefined {
  return given === undefined
    ? undefined
    : examineResult(given, () => {
        const isObject = typeof given === 'object' && given !== null && !isPromised(given);
        const isValid = ([name, type]: readonly [string, string]): boolean =>
          typeof Reflect.get(given, name) === type;
        if (isObject && Object.entries(types).every(isValid)) return given;
        const names = Object.keys(types).join(', ');
        throw new TypeError(`the result must be no promise, and an object with ${names}`);
      });
}
