import { createHook, executionAsyncResource, type AsyncHook } from 'node:async_hooks';
import type { BlockedSpan } from './blocked-span.ts';
import { userFrames } from './user-frames.ts';

/** A run of user code whose parts are timed. */
export interface TracedRun {
  /** Called with each part of the run, between two awaits for example, that blocked the event loop. Must not throw. */
  blocked?(span: BlockedSpan): void;
}

export interface AwaitTracerOptions {
  /** Milliseconds from which a part counts as blocking. */
  readonly warnAfter: number;
  /** The run that the current code belongs to. */
  readonly origin: () => TracedRun | undefined;
  readonly now: () => number;
}

/**
 * Times each part of a run between two awaits, or in a callback, with hooks of `node:async_hooks`. It captures the
 * stack of every await, because only the end of a part shows that it was slow.
 */
export class AwaitTracer {
  readonly #options: AwaitTracerOptions;
  readonly #hook: AsyncHook;
  /** The stacks at which the promises and other resources of runs were created. */
  readonly #created = new WeakMap<object, { readonly stack?: string }>();
  /** The ids of the parts that run, the outermost first, and when each started. */
  readonly #ids: number[] = [];
  readonly #startedAt: number[] = [];
  #isOn = false;

  constructor(options: AwaitTracerOptions) {
    this.#options = options;
    const { now, origin } = options;
    this.#hook = createHook({
      init: (_id, _type, _trigger, resource) => {
        if (origin() === undefined) return;
        const created = {};
        // V8 formats the stack when it is read.
        Error.captureStackTrace(created);
        this.#created.set(resource, created);
      },
      before: (id) => {
        this.#ids.push(id);
        this.#startedAt.push(now());
      },
      after: (id) => this.#ended(id),
    });
  }

  /** Enables the hooks, unless they are enabled. */
  start(): void {
    if (this.#isOn) return;
    this.#isOn = true;
    this.#hook.enable();
  }

  stop(): void {
    this.#isOn = false;
    this.#hook.disable();
    this.#ids.length = 0;
    this.#startedAt.length = 0;
  }

  #ended(id: number): void {
    // Inner parts may still be in the list: after an uncaught error Node.js may not call the hook that ends them.
    const at = this.#ids.lastIndexOf(id);
    if (at === -1) return;
    const startedAt = this.#startedAt[at] as number;
    this.#ids.length = at;
    this.#startedAt.length = at;
    const endedAt = this.#options.now();
    if (endedAt - startedAt < this.#options.warnAfter) return;
    const run = this.#options.origin();
    run?.blocked?.({ startedAt, endedAt, awaitedAt: this.#lastAwait() });
  }

  /** The frames at which the current part began to wait. */
  #lastAwait(): readonly string[] | undefined {
    try {
      const stack = this.#created.get(executionAsyncResource())?.stack;
      return stack === undefined ? undefined : userFrames(stack);
    } catch {
      // `Error.prepareStackTrace` of user code threw. An error of a hook would end the process.
      return undefined;
    }
  }
}
