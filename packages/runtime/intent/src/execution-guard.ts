import { AsyncLocalStorage } from 'node:async_hooks';
import {
  checkFunction,
  checkOptions,
  checkSignal,
  invalidOption,
  type ApiResource,
} from '@keelson/apimachinery';
import type { DefinedWebhook } from '@keelson/webhook';
import { IntentError } from './errors.ts';
import type { ExecutedObject } from './executed-object.ts';
import { guardWebhook, type GuardWebhookOptions } from './guard-webhook.ts';

/**
 * The treatment of a trigger while an execution of its object runs. With `queue` the trigger waits for the end of that
 * execution. With `reject` it has no effect. With `supersede` the guard aborts an execution of an earlier generation;
 * the trigger waits for its end and then runs.
 */
export type ExecutionPolicy = (typeof executionPolicies)[number];

export const executionPolicies = ['queue', 'reject', 'supersede'] as const;

/** How an execution guard treats a second trigger. */
export interface ExecutionGuardOptions {
  /** Default `'queue'`. */
  readonly policy?: ExecutionPolicy;
}

/** The signal of an execution, and whether it had to wait. */
export interface ExecutionContext {
  /** Aborts with the signal of the caller, and with `EXECUTION_SUPERSEDED` when a later generation supersedes it. */
  readonly signal: AbortSignal;
  /** True if it waited for another execution: its object may have changed meanwhile. */
  readonly hasWaited: boolean;
}

/**
 * The end of a trigger: its execution returned (`ended`), a later trigger took its place (`superseded`, with the error
 * that the aborted execution threw), or the policy did not start it (`rejected`).
 */
export type Execution<R> =
  | { readonly state: 'ended'; readonly value: R }
  | { readonly state: 'superseded'; readonly error?: unknown }
  | { readonly state: 'rejected' };

/**
 * The execution that occupies the place of its object: from its start, or from the end of the execution it waited for.
 */
interface Holder {
  readonly generation: number | undefined;
  readonly abort: AbortController;
  next: Waiter | undefined;
}

/** The trigger that runs next. There is at most one: it runs with the latest object. */
interface Waiter {
  readonly generation: number | undefined;
  /** Called with the place of the object, or with `undefined` if a later trigger replaces this one. */
  readonly settle: (holder: Holder | undefined) => void;
}

/**
 * Runs at most one execution of an object at a time; objects are distinguished by uid. At most one trigger of an object
 * waits. A later trigger replaces it, and the replaced one resolves as `superseded`. If the signal of the later one
 * aborts, neither runs. A caller that still needs its object executed must then call `run` again, as `durableIntent`
 * does.
 *
 * Executions of different objects run concurrently. An execution that calls `run` for another object keeps the place of
 * its own object meanwhile. Two executions that do so in opposite order wait for each other until a signal aborts: pass
 * a signal to `run`, or always run the objects in the same order.
 */
export class ExecutionGuard {
  readonly #policy: ExecutionPolicy;
  readonly #holders = new Map<string, Holder>();
  readonly #ancestors = new AsyncLocalStorage<readonly Holder[]>();

  /** Throws `INVALID_OPTION`. */
  constructor(options: ExecutionGuardOptions = {}) {
    checkOptions(options, ['policy'], 'ExecutionGuard');
    const { policy = 'queue' } = options;
    checkPolicy(policy, 'ExecutionGuard.policy');
    this.#policy = policy;
  }

  /**
   * Runs `execute` for an object when the policy permits it. Rejects with an error of `execute`, and with the reason of
   * `signal` if it aborts during a wait. Rejects with `EXECUTION_NESTED` if an execution of the same object is the
   * caller, because it would wait for itself.
   */
  async run<R>(
    object: ExecutedObject,
    execute: (context: ExecutionContext) => Promise<R> | R,
    options: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<Execution<R>> {
    const { uid, generation } = identityOf(object, 'ExecutionGuard.run');
    checkFunction(execute, 'ExecutionGuard.run.execute');
    checkOptions(options, ['signal'], 'ExecutionGuard.run');
    const { signal } = options;
    checkSignal(signal, 'ExecutionGuard.run.signal');
    signal?.throwIfAborted();
    const current = this.#holders.get(uid);
    if (current === undefined) {
      return this.#execute(uid, this.#hold(uid, generation), { execute, signal, hasWaited: false });
    }
    if (this.#policy === 'reject') return { state: 'rejected' };
    if (this.#ancestors.getStore()?.includes(current) === true) {
      throw new IntentError('EXECUTION_NESTED', { uid });
    }
    this.supersede(object);
    const holder = await waitFor(current, generation, signal);
    if (holder === undefined) return { state: 'superseded' };
    return this.#execute(uid, holder, { execute, signal, hasWaited: true });
  }

  /**
   * Aborts the running execution of an earlier generation of the object if the policy is `supersede`. Returns true if
   * it did.
   */
  supersede(object: ExecutedObject): boolean {
    const { uid, generation } = identityOf(object, 'ExecutionGuard.supersede');
    const running = this.#holders.get(uid);
    if (this.#policy !== 'supersede' || running === undefined) return false;
    if (!isLater(generation, running.generation)) return false;
    running.abort.abort(new IntentError('EXECUTION_SUPERSEDED', { uid, generation }));
    return true;
  }

  /** True while an execution of the object runs. */
  isRunning(object: ExecutedObject): boolean {
    return this.#holders.has(identityOf(object, 'ExecutionGuard.isRunning').uid);
  }

  /**
   * Declares a webhook for `addWebhook` that refuses changes of an object's spec while an execution of the object runs.
   * Other changes, such as those of finalizers, are accepted. Throws `INVALID_OPTION`.
   */
  webhook<const R extends ApiResource>(
    options: GuardWebhookOptions<R>,
  ): DefinedWebhook<R, 'UPDATE', undefined> {
    return guardWebhook(options, this);
  }

  #hold(uid: string, generation: number | undefined): Holder {
    const holder = { generation, abort: new AbortController(), next: undefined };
    this.#holders.set(uid, holder);
    return holder;
  }

  async #execute<R>(
    uid: string,
    holder: Holder,
    { execute, signal, hasWaited }: ExecutionRequest<R>,
  ): Promise<Execution<R>> {
    const superseded = holder.abort.signal;
    const both = signal === undefined ? superseded : AbortSignal.any([signal, superseded]);
    const ancestors = [...(this.#ancestors.getStore() ?? []), holder];
    try {
      signal?.throwIfAborted();
      const act = async (): Promise<R> => execute({ signal: both, hasWaited });
      return { state: 'ended', value: await this.#ancestors.run(ancestors, act) };
    } catch (error) {
      if (superseded.aborted) return { state: 'superseded', error };
      throw error;
    } finally {
      this.#release(uid, holder);
    }
  }

  /** Passes the place to the waiting trigger synchronously, so that no other trigger can take it first. */
  #release(uid: string, { next }: Holder): void {
    if (next === undefined) this.#holders.delete(uid);
    else next.settle(this.#hold(uid, next.generation));
  }
}

interface ExecutionRequest<R> {
  readonly execute: (context: ExecutionContext) => Promise<R> | R;
  readonly signal: AbortSignal | undefined;
  readonly hasWaited: boolean;
}

/** Throws `INVALID_OPTION` for a policy that does not exist. */
export function checkPolicy(policy: unknown, option: string): void {
  if ((executionPolicies as readonly unknown[]).includes(policy)) return;
  throw invalidOption(option, `must be one of ${executionPolicies.join(', ')}`);
}

/**
 * Waits for the end of the running execution. Resolves with `undefined` at once if a trigger of a later generation
 * waits already.
 */
async function waitFor(
  current: Holder,
  generation: number | undefined,
  signal: AbortSignal | undefined,
): Promise<Holder | undefined> {
  const { next: other } = current;
  if ((other?.generation ?? 0) > (generation ?? Infinity)) return undefined;
  const { promise, resolve, reject } = Promise.withResolvers<Holder | undefined>();
  const waiter: Waiter = { generation, settle: resolve };
  current.next = waiter;
  other?.settle(undefined);
  const leave = (): void => {
    if (current.next !== waiter) return;
    current.next = undefined;
    reject(signal?.reason);
  };
  signal?.addEventListener('abort', leave, { once: true });
  try {
    return await promise;
  } finally {
    signal?.removeEventListener('abort', leave);
  }
}

function isLater(generation: number | undefined, than: number | undefined): boolean {
  return generation === undefined || than === undefined || generation > than;
}

function identityOf(object: ExecutedObject, where: string): ExecutedObject['metadata'] {
  const metadata = (object as Partial<ExecutedObject> | null)?.metadata;
  if (typeof metadata?.uid !== 'string' || metadata.uid === '') {
    throw invalidOption(`${where}.object`, 'must be an object with a uid');
  }
  return metadata;
}
