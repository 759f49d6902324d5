import { AsyncLocalStorage } from 'node:async_hooks';
import {
  checkFunction,
  checkOptions,
  checkSignal,
  hasCode,
  invalidOption,
  objectKey,
  parseDuration,
  resourceId,
  systemClock,
  type ApiResource,
  type Clock,
  type Duration,
  type ErrorFacts,
  type ObjectKey,
  type ObjectName,
} from '@keelson/apimachinery';
import { checkForm } from '../contract/check-arguments.ts';
import type { ReadOptions } from '../contract/read.ts';
import { callUserCode, FAILED } from '../contract/user-code.ts';
import { informerError } from '../errors.ts';
import type { ChangeListener } from '../informer/informer-options.ts';
import type { StoredObject } from '../store/stored-object.ts';
import { ResourceMap } from './resource-map.ts';
import type { LocatedObject } from './store-union.ts';

/** Selects the form of the object that `waitFor` waits for, and limits the wait. */
export interface WaitForOptions extends ReadOptions {
  /**
   * How long to wait before `WAIT_TIMEOUT`: milliseconds, or a string such as `'30s'`. Default: no
   * timeout.
   */
  readonly timeout?: Duration;
  /** Ends the wait: the promise rejects with the reason of the signal. Default: none. */
  readonly signal?: AbortSignal;
}

/** The object of a wait, how to read it, and the predicate of the user. */
export interface WaitTarget<V> {
  readonly resource: ApiResource;
  readonly name: ObjectName;
  /** Reads the present state. Throws the errors of a read. */
  readonly find: () => LocatedObject;
  /** Returns the form of the object that the predicate receives. */
  readonly formOf: (object: StoredObject) => V;
  readonly predicate: (object: V | undefined) => boolean;
}

/** Throws `INVALID_OPTION` with the name of the first invalid argument of `waitFor`. */
export function checkWaitFor(predicate: unknown, options: WaitForOptions): void {
  checkFunction(predicate, 'waitFor.predicate');
  checkOptions(options, ['projection', 'transform', 'overlay', 'timeout', 'signal'], 'waitFor');
  checkForm({ ...options }, 'waitFor');
  checkSignal(options.signal, 'waitFor.signal');
  if (options.timeout !== undefined) parseDuration(options.timeout, 'waitFor.timeout');
}

/** The waits for states of single objects. Each one checks the present state, then every change. */
export class ObjectWaits implements ChangeListener {
  /**
   * Checks the waits for an object after each change of a store, and after each own write. `undefined` without a wait,
   * so that most changes cost nothing here.
   */
  objectChanged: ChangeListener['objectChanged'] = undefined;
  readonly #kinds = new ResourceMap<Map<ObjectKey, Set<Check>>>();
  readonly #clock: Clock;
  #count = 0;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /** Checks all waits again after a sync, an acquire, a release, a move or the close. */
  changed(): void {
    for (const keys of this.#kinds.values()) {
      for (const checks of keys.values()) for (const check of checks) check();
    }
  }

  /**
   * Resolves with the first state for which the predicate returns true; `undefined` if the object does not exist then.
   */
  async wait<V>(
    target: WaitTarget<V>,
    { signal, timeout }: WaitForOptions,
  ): Promise<V | undefined> {
    checkServed(target);
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<V | undefined>();
    const state = new ObservedState(target, { resolve, reject });
    const abort = (): void => state.fail(signal?.reason);
    const expire = (): void => state.fail(state.timeoutError());
    const remove = this.#add(target, () => state.check());
    signal?.addEventListener('abort', abort);
    const stopTimer =
      timeout === undefined
        ? undefined
        : this.#clock.startTimer(parseDuration(timeout, 'waitFor.timeout'), expire);
    try {
      state.check();
      return await (this.#clock.activity?.wait(promise) ?? promise);
    } finally {
      stopTimer?.();
      signal?.removeEventListener('abort', abort);
      remove();
    }
  }

  #check(resource: ApiResource, key: ObjectKey): void {
    for (const check of this.#kinds.get(resource)?.get(key) ?? []) check();
  }

  #add({ resource, name }: Pick<WaitTarget<unknown>, 'resource' | 'name'>, check: Check): Check {
    const key = objectKey(name);
    const keys = this.#kinds.get(resource) ?? new Map<ObjectKey, Set<Check>>();
    const checks = keys.get(key) ?? new Set();
    this.#kinds.set(resource, keys.set(key, checks.add(check)));
    this.#count++;
    this.objectChanged = (changed, object) => this.#check(changed, object.key);
    return () => {
      this.#count--;
      if (this.#count === 0) this.objectChanged = undefined;
      checks.delete(check);
      if (checks.size === 0) keys.delete(key);
      if (keys.size === 0) this.#kinds.delete(resource);
    };
  }
}

type Check = () => void;

interface Settle<V> {
  readonly resolve: (state: V | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** The states of one object, each of which the predicate receives once. */
class ObservedState<V> {
  readonly #target: WaitTarget<V>;
  readonly #settle: Settle<V>;
  /** Runs a function in the async context of the caller of `waitFor`. */
  readonly #inContext = AsyncLocalStorage.snapshot();
  /** The last state that the predicate has received. */
  #last:
    | (Pick<StoredObject, 'uid' | 'resourceVersion'> & Pick<LocatedObject, 'transform'>)
    | undefined;
  #hasState = false;
  #isSettled = false;

  constructor(target: WaitTarget<V>, { resolve, reject }: Settle<V>) {
    this.#target = target;
    this.#settle = { resolve, reject };
  }

  /** Calls the predicate if the state has changed. */
  check(): void {
    try {
      this.#observe(this.#target.find());
    } catch (error) {
      if (!isTemporary(error)) this.fail(this.#afterStart(error));
    }
  }

  /** Ends the wait: the predicate is not called again. */
  fail(error: unknown): void {
    this.#isSettled = true;
    this.#settle.reject(error);
  }

  timeoutError(): Error {
    const seen = this.#hasState ? (this.#last?.resourceVersion ?? 'no object') : 'not synced';
    return informerError('WAIT_TIMEOUT', { ...factsOf(this.#target), seen });
  }

  #observe({ object, transform }: LocatedObject): void {
    const last = this.#last;
    // The transform is compared too, because another watch may serve the same version in another form.
    if (
      this.#hasState &&
      last?.resourceVersion === object?.resourceVersion &&
      last?.uid === object?.uid &&
      last?.transform === transform
    )
      return;
    const form = object && this.#target.formOf(object);
    this.#hasState = true;
    this.#last = object && { uid: object.uid, resourceVersion: object.resourceVersion, transform };
    // The object was deleted and created again, so the predicate receives the deletion first.
    if (last !== undefined && object !== undefined && last.uid !== object.uid) this.#try(undefined);
    this.#try(form);
  }

  #try(form: V | undefined): void {
    if (this.#isSettled) return;
    const holds = this.#inContext(
      callUserCode<V | undefined>,
      (error) => this.fail(error),
      this.#target.predicate,
      form,
    );
    if (holds === FAILED || this.#isSettled) return;
    if (typeof holds === 'object' && holds !== null)
      return this.fail(invalidOption('waitFor.predicate', 'must return a boolean'));
    if (!holds) return;
    this.#isSettled = true;
    this.#settle.resolve(form);
  }

  /** Replaces `NOT_WATCHED`: a watch served the read when the wait began, so its handle was released. */
  #afterStart(error: unknown): unknown {
    if (!hasCode(error, 'NOT_WATCHED')) return error;
    return informerError('HANDLE_RELEASED', factsOf(this.#target), error);
  }
}

/** Throws the errors of a read, except that the watch may not have synced. */
function checkServed({ find }: Pick<WaitTarget<unknown>, 'find'>): void {
  try {
    find();
  } catch (error) {
    if (!isTemporary(error)) throw error;
  }
}

/**
 * True for an error that ends by itself: no watch has synced, or the cache is fetching an unreadable object again. The
 * cache then calls `changed` or `objectChanged`.
 */
function isTemporary(error: unknown): boolean {
  return hasCode(error, 'NOT_SYNCED') || hasCode(error, 'OBJECT_MALFORMED');
}

function factsOf({ resource, name }: Pick<WaitTarget<unknown>, 'resource' | 'name'>): ErrorFacts {
  return { resource: resourceId(resource), ...name };
}
