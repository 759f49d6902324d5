// packages/informer/src/cache/informer-cache.ts
import { checkRuntime } from '@keelson/apimachinery';

// packages/informer/src/cache/informer-cache-options.ts
import {
  checkCount as checkCount2,
  checkFlag as checkFlag2,
  checkFunction,
  checkObserver,
  checkOptions as checkOptions3,
  parseDuration,
} from '@keelson/apimachinery';

// packages/informer/src/budget/memory-budget.ts
import {
  checkCount,
  checkOptions as checkOptions2,
  invalidOption as invalidOption2,
  resourceId,
} from '@keelson/apimachinery';

// packages/informer/src/contract/check-arguments.ts
import { checkFlag, checkOptions, checkSignal, invalidOption } from '@keelson/apimachinery';
var listMembers = [
  'namespace',
  'labelSelector',
  'fieldSelector',
  'index',
  'projection',
  'transform',
  'overlay',
  'signal',
];
var texts = ['namespace', 'labelSelector', 'fieldSelector'];
function checkListOptions(options, where) {
  if (options === void 0) return;
  checkOptions(options, listMembers, where);
  const given = options;
  for (const member of texts) checkText(given[member], `${where}.${member}`);
  checkForm(given, where);
  checkSignal(given['signal'], `${where}.signal`);
  if (given['index'] === void 0) return;
  checkOptions(given['index'], ['name', 'value'], `${where}.index`);
  const { name, value } = given['index'];
  for (const text of [name, value]) {
    if (typeof text !== 'string') throw invalidOption(`${where}.index`, 'must be { name, value }');
  }
}
function checkReadOptions(options, where) {
  if (options === void 0) return;
  checkOptions(options, ['projection', 'transform', 'overlay'], where);
  checkForm(options, where);
}
function checkStoreOptions(options, where) {
  if (options === void 0) return;
  checkOptions(options, ['overlay'], where);
  checkFlag(options['overlay'], `${where}.overlay`);
}
function checkForm(options, where) {
  checkText(options['transform'], `${where}.transform`);
  checkChoice(options['projection'], ['full', 'metadata'], `${where}.projection`);
  checkFlag(options['overlay'], `${where}.overlay`);
}
function checkResource(resource, where) {
  if (typeof resource?.plural === 'string') return;
  throw invalidOption(where, 'must be a resource token');
}
function checkObject(value, where) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidOption(where, 'must be an object');
  }
}
function checkText(value, where) {
  if (value !== void 0 && typeof value !== 'string') throw invalidOption(where, 'must be a string');
}
function checkChoice(value, choices, where) {
  if (value !== void 0 && !choices.includes(value)) {
    throw invalidOption(where, `must be one of ${choices.join(', ')}`, { value });
  }
}

// packages/informer/src/budget/memory-budget.ts
var policies = ['compress', 'metadata', 'refuse'];
function checkMemoryBudget(budget, where) {
  checkOptions2(budget, ['bytes', 'policy', 'kinds'], where);
  const { bytes, policy, kinds = [] } = budget;
  checkChoice(policy, policies, `${where}.policy`);
  if (bytes !== void 0) checkCount(bytes, `${where}.bytes`);
  if (!Array.isArray(kinds)) throw invalidOption2(`${where}.kinds`, 'must be a list of budgets');
  if (bytes === void 0 && kinds.length === 0) {
    throw invalidOption2(where, 'must have bytes or kinds');
  }
  const known = /* @__PURE__ */ new Set();
  for (const [at, kind] of kinds.entries()) {
    const id = checkKind(kind, `${where}.kinds[${at}]`);
    if (known.has(id)) {
      throw invalidOption2(`${where}.kinds[${at}].resource`, 'has a budget already', {
        resource: id,
      });
    }
    known.add(id);
  }
}
function checkKind(budget, where) {
  checkOptions2(budget, ['resource', 'bytes', 'policy'], where);
  const { resource, bytes, policy } = budget;
  if (typeof resource?.plural !== 'string' || resource.plural === '') {
    throw invalidOption2(`${where}.resource`, 'must be a resource token');
  }
  checkCount(bytes, `${where}.bytes`);
  checkChoice(policy, policies, `${where}.policy`);
  return resourceId(resource);
}

// packages/informer/src/contract/informer-observer.ts
import { inspect } from 'node:util';

// packages/informer/src/contract/user-code.ts
import { AsyncResource } from 'node:async_hooks';
var RESOURCE_TYPE = 'KeelsonInformerUserCode';
var FAILED = /* @__PURE__ */ Symbol('user code failed');
function callUserCode(onError, code, argument) {
  try {
    return settled(code(argument), onError);
  } catch (error) {
    onError(error);
    return FAILED;
  }
}
function callMethod(onError, self, name, argument) {
  try {
    return settled(self[name](argument), onError);
  } catch (error) {
    onError(error);
    return FAILED;
  }
}
var UserCode = class {
  /** Costs a tenth of a function of `AsyncLocalStorage.snapshot()`, and every handler pays it for every event. */
  #resource = new AsyncResource(RESOURCE_TYPE, { requireManualDestroy: true });
  #onError;
  constructor(onError) {
    this.#onError = onError;
  }
  /** Does the same as {@link callUserCode}. */
  call(code, argument) {
    return this.#resource.runInAsyncScope(callUserCode, void 0, this.#onError, code, argument);
  }
  /** Does the same as {@link callMethod}. */
  callMethod(self, name, argument) {
    return this.#resource.runInAsyncScope(callMethod, void 0, this.#onError, self, name, argument);
  }
};
function settled(result, onError) {
  if (isThenable(result)) result.then(void 0, onError);
  return result;
}
function isThenable(value) {
  if (typeof value !== 'object' || value === null) return false;
  return typeof value.then === 'function';
}

// packages/informer/src/contract/informer-observer.ts
var METHODS = {
  watchStarted: null,
  watchStopped: null,
  healthChanged: null,
  listing: null,
  restarting: null,
  event: null,
  skipped: null,
  watchError: null,
  handlerError: null,
  indexerError: null,
  loopRestarted: null,
  lingerReused: null,
  memoryBudgetChanged: null,
  ownWriteEnded: null,
  handleLeaked: null,
};
var observerMethods = Object.keys(METHODS);
function guardedObserver(observer) {
  const methods = observerMethods.map((name) => {
    const code = observer[name];
    return [name, typeof code === 'function' ? guarded(observer, name, code) : void 0];
  });
  return Object.fromEntries(methods);
}
function guarded(observer, name, code) {
  let hasFailed = false;
  const onError = (error) => {
    if (hasFailed) return;
    hasFailed = true;
    process.emitWarning(`the observer's ${name} failed: ${inspect(error)}`, {
      type: 'KeelsonWarning',
      code: 'OBSERVER_FAILED',
    });
  };
  return (first, second, third) => {
    try {
      return settled(code.call(observer, first, second, third), onError);
    } catch (error) {
      return onError(error);
    }
  };
}

// packages/informer/src/cache/informer-cache-options.ts
var members = [
  'listerWatcher',
  'linger',
  'parsedBytes',
  'keepManagedFields',
  'freeze',
  'memoryBudget',
  'overlay',
  'observer',
  'now',
  'random',
];
function checkCacheOptions(options) {
  const where = 'createInformerCache';
  checkOptions3(options, members, where);
  const { listerWatcher, linger, parsedBytes, now, random } = options;
  checkFunction(listerWatcher, `${where}.listerWatcher`);
  if (linger !== void 0) parseDuration(linger, `${where}.linger`);
  if (parsedBytes !== void 0) checkCount2(parsedBytes, `${where}.parsedBytes`);
  checkFlag2(options.keepManagedFields, `${where}.keepManagedFields`);
  checkFlag2(options.freeze, `${where}.freeze`);
  if (options.memoryBudget !== void 0) {
    checkMemoryBudget(options.memoryBudget, `${where}.memoryBudget`);
  }
  checkFlag2(options.overlay, `${where}.overlay`);
  checkObserver(options.observer, observerMethods, `${where}.observer`);
  if (now !== void 0) checkFunction(now, `${where}.now`);
  if (random !== void 0) checkFunction(random, `${where}.random`);
}

// packages/informer/src/cache/shared-cache.ts
import {
  checkOptions as checkOptions8,
  invalidOption as invalidOption10,
} from '@keelson/apimachinery';

// packages/informer/src/cache/cache-kinds.ts
import { AsyncLocalStorage as AsyncLocalStorage2 } from 'node:async_hooks';
import { objectKey as objectKey4, parseDuration as parseDuration3 } from '@keelson/apimachinery';

// packages/informer/src/errors.ts
import { CodedError } from '@keelson/apimachinery';
var informerErrors = {
  BODY_NOT_KEPT: 'the body of the object was not kept, because of a memory budget',
  CACHE_CLOSED: 'the informer cache is closed',
  HANDLE_RELEASED: 'the handle was released',
  INDEXER_CONFLICT: 'another indexer of the kind has this name',
  INDEXER_RESULT: 'the indexer returned something other than an array of strings',
  INDEX_UNKNOWN: 'no index has this name',
  LIST_ENDLESS: 'the list repeats a continue token',
  LIST_WITHOUT_VERSION: 'the list has no resourceVersion',
  MEMORY_BUDGET_EXCEEDED: 'the memory budget is used up',
  NAMESPACE_NOT_ALLOWED: 'the resource is cluster-scoped and a namespace was given',
  NAMESPACE_REQUIRED: 'the resource is namespaced and no namespace was given',
  NOT_SYNCED: 'the watch has not synced yet',
  NOT_WATCHED: 'no held watch serves this read',
  OBJECT_MALFORMED: 'an object on the wire cannot be read',
  REGISTRATION_REMOVED: 'the event handler was removed before it had received the initial objects',
  TABLE_RESPONSE: 'the server responded with a Table instead of objects',
  TRANSFORM_CONFLICT: 'another transform of the kind has this name',
  TRANSFORM_RESULT: 'the transform returned something other than an object with metadata',
  WAIT_TIMEOUT: 'the object did not reach the expected state in time',
  WATCH_ENDED: 'the watch ended too early',
  WATCH_IDLE: 'the watch was silent for too long',
  WATCH_LIST_SILENT: 'the initial state was not finished in time',
  WATCH_WENT_BACK: 'the watch sent an older version than before',
};
function informerError(code, facts = {}, cause) {
  return new CodedError(code, informerErrors[code], facts, cause === void 0 ? {} : { cause });
}
function asError(thrown) {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

// packages/informer/src/reflector/resource-version.ts
var decimal = /^[1-9]\d*$/;
function isOlder(version, than) {
  const isShorter = version.length < than.length;
  if (!isShorter && (version.length > than.length || version >= than)) return false;
  return decimal.test(version) && decimal.test(than);
}
function hasReached(version, other) {
  return decimal.test(version) && decimal.test(other) && !isOlder(version, other);
}

// packages/informer/src/informer/version-trust.ts
var MAX_MALFORMED = 3;
var VersionTrust = class {
  /** An object of the same version is the same. */
  knowsVersions = true;
  #trustsVersions = true;
  /** Malformed objects in a row. */
  #malformed = 0;
  /** True if a version is a number, and the versions of the server have an order. */
  isOrdered(version) {
    return this.#trustsVersions && hasReached(version, '1');
  }
  /** Throws `WATCH_WENT_BACK` for a version older than the last one: a server that has not reached this version sent it. */
  checkOrder(version, reached) {
    if (!this.#trustsVersions || !isOlder(version, reached)) return;
    throw informerError('WATCH_WENT_BACK', { version, reached });
  }
  distrustVersions() {
    this.#trustsVersions = false;
  }
  /**
   * Throws `OBJECT_MALFORMED`, so that the object is requested again: only this response may be damaged. An
   * object that stays malformed is skipped, because the watch would otherwise never pass it.
   */
  malformed(error) {
    if (++this.#malformed < MAX_MALFORMED) throw informerError('OBJECT_MALFORMED', {}, error);
  }
  /** An object was parsed: the next malformed one is counted from 0. */
  parsed() {
    this.#malformed = 0;
  }
};

// packages/informer/src/informer/deferred.ts
var Deferred = class {
  promise;
  #resolve = () => void 0;
  #reject = () => void 0;
  constructor() {
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.promise.catch(() => void 0);
  }
  resolve() {
    this.#resolve();
  }
  reject(error) {
    this.#reject(error);
  }
};

// packages/informer/src/informer/fan-out.ts
import { TimeSlice as TimeSlice3 } from '@keelson/apimachinery';

// packages/informer/src/informer/change.ts
var TYPES = {
  none: [],
  added: ['added'],
  updated: ['updated'],
  deleted: ['deleted'],
  replaced: ['deleted', 'added'],
};
var NO_EVENTS = [];
var COMBINED = { mayCombine: true };
var Change = class {
  facts;
  /** The events of handlers without a lens: they share them. */
  #events;
  /** The lens of the handlers that were called last, which share the next events. */
  #lens;
  #eventsThroughLens = [];
  constructor(facts) {
    this.facts = facts;
  }
  /** The types of the events of a handler without a lens. */
  get types() {
    const { previous, object } = this.facts;
    return typesOf(previous, object);
  }
  /**
   * Returns the events of a handler. Through a lens, an object that begins to match is added, and
   * one that stops matching is deleted with its last matching state.
   */
  events(lens) {
    if (lens === void 0) return (this.#events ??= this.#eventsOf(void 0));
    if (this.#lens !== lens) {
      this.#lens = lens;
      this.#eventsThroughLens = this.#eventsOf(lens);
    }
    return this.#eventsThroughLens;
  }
  #eventsOf(lens) {
    const { former, last } = this.facts;
    const previous = former === void 0 ? seen(this.facts.previous, lens) : this.facts.previous;
    const object = seen(this.facts.object, lens);
    const types = typesOf(previous, object);
    if (types.length === 0) return NO_EVENTS;
    const before = shown(previous, former === void 0 ? lens : former.lens);
    const after = shown(object, lens);
    const events = [];
    for (const type of types) {
      const event =
        type === 'deleted'
          ? this.#deleted(last === void 0 ? before : shown(last, lens))
          : this.#present(type, before, after);
      if (event !== void 0) events.push(Object.freeze(event));
    }
    return events;
  }
  #present(type, previous, object) {
    const { receivedAt, initial, mayCombine } = this.facts;
    if (object === void 0) return void 0;
    const { key } = object;
    const combined = mayCombine ? COMBINED : void 0;
    if (type === 'added') return { type, key, object, receivedAt, initial, ...combined };
    return previous && { type, key, object, previous, receivedAt, ...combined };
  }
  #deleted(object) {
    if (object === void 0) return void 0;
    const { receivedAt, previous, object: present } = this.facts;
    const isLeaving = present !== void 0 && present.uid === previous?.uid;
    const finalStateUnknown = this.facts.finalStateUnknown && !isLeaving;
    return { type: 'deleted', key: object.key, object, receivedAt, finalStateUnknown };
  }
};
function seen(object, lens) {
  return object !== void 0 && lens?.selects(object) === false ? void 0 : object;
}
function shown(object, lens) {
  return object === void 0 || lens === void 0 ? object : lens.show(object);
}
function typesOf(previous, object) {
  if (object === void 0) return previous === void 0 ? TYPES.none : TYPES.deleted;
  if (previous === void 0) return TYPES.added;
  return previous.uid === object.uid ? TYPES.updated : TYPES.replaced;
}

// packages/informer/src/informer/handover.ts
import { TimeSlice } from '@keelson/apimachinery';

// packages/informer/src/overlay/passed-writes.ts
var PassedWrites = class {
  #pending;
  #seen = /* @__PURE__ */ new Set();
  /** `pending` returns the states that readers see and that the store has not reached. */
  constructor(pending) {
    this.#pending = pending;
  }
  /** Called before a list replaces the store, or the versions of the server begin again. */
  collect() {
    for (const object of this.#pending()) this.#seen.add(object);
  }
  /** Adds the passed states to the differences of a list, which the store has reached. */
  addTo(differences2, store) {
    const pending = new Set(this.#pending());
    const passed = [...this.#seen].filter((object) => !pending.has(object));
    this.#seen.clear();
    return passed.length === 0 ? differences2 : withPassed(differences2, passed, store);
  }
};
function* withPassed(differences2, passed, store) {
  const byKey = new Map(Map.groupBy(passed, ({ key }) => key));
  for (const difference of differences2) {
    const key = (difference.object ?? difference.previous)?.key ?? '';
    yield* stepsThrough(byKey.get(key) ?? [], difference);
    byKey.delete(key);
  }
  for (const [first, ...others] of byKey.values()) {
    if (first === void 0 || store.find(first) !== void 0) continue;
    yield* stepsThrough([first, ...others], { previous: void 0, object: void 0 });
  }
}
function* stepsThrough(passed, { previous, object }) {
  let known = previous;
  for (const state of passed) {
    if (!isLater(state, known) || (object !== void 0 && !isLater(object, state))) continue;
    yield { previous: known, object: state, isGone: state.uid !== object?.uid };
    known = state;
  }
  if (known !== object) yield { previous: known, object };
}
function goneOf(passed, store) {
  return passed.filter((object) => store.find(object)?.uid !== object.uid);
}
function isLater(state, known) {
  return state.uid !== known?.uid || isOlder(known.resourceVersion, state.resourceVersion);
}

// packages/informer/src/informer/handover.ts
var Handover = class {
  #options;
  /** The objects that were compared, with the state that the handlers have reached. */
  #reached = /* @__PURE__ */ new Map();
  /** Objects of changes that arrived before their comparison. */
  #late = [];
  /** The last decision: all handlers decide about the same change. */
  #last;
  constructor(options) {
    this.#options = options;
    for (const registration of options.registrations) registration.during(this);
  }
  /** Runs the first slice before it returns. Resolves when the handlers have every difference. */
  async run() {
    const { before, lensBefore, registrations, store, lens, passed, now } = this.#options;
    const after = Array.from(store.all(lens?.namespace));
    const slice = new TimeSlice(now);
    for (const objects of [before, after, passed, this.#late]) {
      for (const object of objects) {
        const isKnown = objects === before && lensBefore?.selects(object) !== false;
        this.#compare(object, isKnown ? object : void 0);
        if (!slice.isDue()) continue;
        await slice.pause();
        if (registrations.every(({ isRemoved }) => isRemoved)) return;
      }
    }
    for (const registration of registrations) registration.during(void 0);
  }
  swallows(change) {
    if (this.#last?.change !== change) {
      this.#last = { change, isSwallowed: this.#decide(change) };
    }
    return this.#last.isSwallowed;
  }
  #decide({ facts: { previous, object } }) {
    const either = object ?? previous;
    if (either === void 0) return true;
    const { key } = either;
    if (!this.#reached.has(key) && !this.#isUnknown(either, previous)) {
      this.#late.push(either);
      return true;
    }
    if (this.#reached.get(key) !== previous) return true;
    this.#reached.set(key, object);
    return false;
  }
  /** True if neither store has the object: the new one has passed an own write in the meantime. */
  #isUnknown(object, previous) {
    const { store, before } = this.#options;
    if (previous !== void 0 || store.find(object) !== void 0) return false;
    return !before.some(({ key }) => key === object.key);
  }
  /** Delivers the difference between the state that the handlers know and that of the store. */
  #compare(name, known) {
    const { key } = name;
    if (this.#reached.has(key)) return;
    const { store, lens, lensBefore, registrations, now } = this.#options;
    const stored = store.find(name);
    this.#reached.set(key, stored);
    const seen2 = (object) =>
      object !== void 0 && lens?.selects(object) !== false ? object : void 0;
    const passed = this.#options.passed.filter((object) => object.key === key);
    for (const step of stepsThrough(passed, { previous: known, object: stored })) {
      const isFirst = step.previous === known;
      const previous = isFirst ? known : seen2(step.previous);
      const object = seen2(step.object);
      if (isSame(previous, object)) continue;
      const change = new Change({
        previous,
        object,
        receivedAt: now(),
        initial: false,
        finalStateUnknown: step.object === void 0,
        mayCombine: true,
        ...(isFirst && { former: { lens: lensBefore } }),
      });
      for (const registration of registrations) registration.call(change);
    }
  }
};
function isSame(a, b) {
  return a?.uid === b?.uid && a?.resourceVersion === b?.resourceVersion;
}

// packages/informer/src/informer/registration.ts
import { parseDuration as parseDuration2 } from '@keelson/apimachinery';

// packages/informer/src/informer/resync.ts
import { startTimer, TimeSlice as TimeSlice2 } from '@keelson/apimachinery';
var REST_POLL_MS = 100;
var JITTER = 0.1;
var Resync = class {
  #target;
  #options;
  #stopTimer;
  #isStopped = false;
  constructor(target, options) {
    this.#target = target;
    this.#options = options;
    void this.#run();
  }
  stop() {
    this.#isStopped = true;
    this.#stopTimer?.();
  }
  async #run() {
    const { interval, random } = this.#options;
    while (!this.#isStopped) {
      await this.#sleep(interval * (1 - JITTER + 2 * JITTER * random()));
      await this.#round();
    }
  }
  async #round() {
    const target = this.#target;
    while (!target.isAtRest()) await this.#sleep(REST_POLL_MS);
    const slice = new TimeSlice2(this.#options.now);
    for (const object of target.objects()) {
      while (!target.isAtRest()) await this.#sleep(REST_POLL_MS);
      target.resync(object);
      if (slice.isDue()) await slice.pause();
      if (this.#isStopped) return;
    }
  }
  /** After a stop, the promise never settles: the loop ends without another step. */
  #sleep(milliseconds) {
    return new Promise((resolve) => {
      this.#stopTimer = startTimer(milliseconds, resolve);
    });
  }
};

// packages/informer/src/informer/registration.ts
var Registration = class {
  owner;
  #handler;
  #userCode;
  #onRemove;
  #timing;
  #home;
  /** During a move between two watches. */
  #transition;
  #resync;
  #synced = new Deferred();
  #hasSynced = false;
  #removed = false;
  /**
   * During the replay: the objects of the store when the handler was added, and later states of
   * objects that it had not received. An array, because copying a store into a set blocks the event
   * loop.
   */
  #snapshot = [];
  #next = 0;
  /**
   * During the replay: objects that the handler has received, or must not receive because a later
   * state replaced them.
   */
  #passed;
  constructor(options) {
    this.owner = options.owner;
    this.#handler = options.handler;
    this.#userCode = new UserCode((error) => this.#home?.onError(options.owner, error));
    this.#onRemove = options.onRemove;
    this.#timing = options.timing;
  }
  get synced() {
    return this.#synced.promise;
  }
  get hasSynced() {
    return this.#hasSynced;
  }
  get isRemoved() {
    return this.#removed;
  }
  /** True if the handler has received every state that its watch has delivered. */
  get isAtRest() {
    return this.#passed === void 0 && this.#transition === void 0;
  }
  get isCurrent() {
    return this.#hasSynced && this.isAtRest && this.#home?.isDelivering() === false;
  }
  moveTo(home) {
    this.#home = home;
  }
  /** Sets the move that decides about changes until it ends. */
  during(transition) {
    this.#transition = transition;
  }
  resyncEvery(given) {
    const interval = parseDuration2(given, 'resyncEvery.interval');
    this.#resync?.stop();
    this.#resync = void 0;
    if (interval === 0 || this.#removed) return;
    const { now } = this.#timing;
    const target = {
      isAtRest: () => this.isCurrent,
      objects: () => this.#objects(),
      resync: (object) => this.#callAgain(object, now()),
    };
    this.#resync = new Resync(target, { ...this.#timing, interval });
  }
  remove() {
    if (this.#removed) return;
    this.#removed = true;
    this.#resync?.stop();
    this.#endCatchUp();
    this.#home?.onRemove(this);
    this.#onRemove();
    if (!this.#hasSynced) {
      this.#synced.reject(informerError('REGISTRATION_REMOVED', { owner: this.owner }));
    }
  }
  [Symbol.dispose]() {
    this.remove();
  }
  /** Resolves `synced`, unless the replay of a snapshot is still running. */
  markSynced() {
    if (this.#hasSynced || this.#removed || this.#passed !== void 0) return;
    this.#hasSynced = true;
    this.#synced.resolve();
  }
  /** Sets the snapshot of a handler that is added after the sync. */
  catchUp(objects) {
    this.#next = 0;
    this.#snapshot = Array.from(objects);
    this.#passed = /* @__PURE__ */ new Set();
  }
  /** Returns the next object of the snapshot; `undefined` at its end. The replay then ends. */
  nextInitial() {
    while (this.#passed !== void 0 && this.#next < this.#snapshot.length) {
      const object = this.#snapshot[this.#next++];
      if (object === void 0 || this.#passed.has(object)) continue;
      this.#passed.add(object);
      return object;
    }
    this.#endCatchUp();
    return void 0;
  }
  /** Calls the handler for an object of its snapshot, if its lens selects the object. */
  callInitial(object, receivedAt) {
    const lens = this.#home?.lens;
    if (lens?.selects(object) === false) return;
    const shown2 = lens?.show(object) ?? object;
    this.#call({ type: 'added', key: shown2.key, object: shown2, initial: true, receivedAt });
  }
  /** Delivers a change of the store. */
  deliver(change) {
    if (this.#removed) return;
    if (this.#passed !== void 0 && this.#postpone(this.#passed, change)) return;
    if (this.#transition?.swallows(change) === true) return;
    this.call(change);
  }
  /** Calls the handler for the events of a change. */
  call(change) {
    for (const event of change.events(this.#home?.lens)) this.#call(event);
  }
  #objects() {
    return Array.from(this.#home?.store.all(this.#home.lens?.namespace) ?? []);
  }
  /** Calls the handler for the present state of an object, as an update that changes nothing. */
  #callAgain(known, receivedAt) {
    const { store, lens } = this.#home ?? {};
    const stored = store?.find(known);
    if (stored === void 0 || lens?.selects(stored) === false) return;
    const object = lens?.show(stored) ?? stored;
    this.#call({ type: 'updated', key: object.key, object, previous: object, receivedAt });
  }
  #call(event) {
    if (!this.#removed) this.#userCode.call(this.#handler, event);
  }
  /**
   * Returns true if the handler receives the changed object later, with its snapshot:
   * - a new object, or a change of an object that the handler has received: no, it receives the change now;
   * - an update of an object that it has not received: yes, the new state is appended to the snapshot;
   * - a deletion of an object that it has not received: the handler receives nothing.
   * `passed` has the objects of the snapshot that the handler has received, and those that it must not receive.
   */
  #postpone(passed, { facts: { previous, object } }) {
    if (previous === void 0 || passed.delete(previous)) {
      if (object !== void 0) passed.add(object);
      return false;
    }
    passed.add(previous);
    if (object !== void 0) this.#snapshot.push(object);
    return true;
  }
  #endCatchUp() {
    this.#snapshot = [];
    this.#passed = void 0;
  }
};

// packages/informer/src/informer/fan-out.ts
var FanOut = class {
  #options;
  /** Replaced, never changed: a loop over it continues when a handler is added or removed. */
  #registrations = [];
  /** True once an object was not stored: a later event of it combines two changes. */
  #hasGap = false;
  constructor(options) {
    this.#options = options;
  }
  /** The handlers at present. */
  get registrations() {
    return this.#registrations;
  }
  /**
   * Creates a delivery to the present handlers. A handler that is added later receives the new
   * state in its snapshot.
   */
  delivery(receivedAt, initial = false) {
    const mayCombine = this.#hasGap;
    return { registrations: this.#registrations, receivedAt, initial, mayCombine };
  }
  /**
   * Adds a handler. `snapshot` has the initial objects of the handler, or is `undefined` before the
   * store has synced.
   */
  add(added, snapshot) {
    const { now, random } = this.#options;
    const registration = new Registration({ ...added, timing: { now, random } });
    this.adopt(registration, added.lens);
    if (snapshot !== void 0) this.replay(registration, snapshot);
    if (added.resync > 0) registration.resyncEvery(added.resync);
    return registration;
  }
  /** Takes a handler, which is new or comes from another watch. */
  adopt(registration, lens) {
    const { store, isDelivering, onError } = this.#options;
    registration.moveTo({
      lens,
      store,
      isDelivering,
      onError,
      onRemove: (removed) => this.release([removed]),
    });
    this.#registrations = [...this.#registrations, registration];
  }
  /** Stops calling handlers: they are removed, or another watch takes them. */
  release(released) {
    this.#registrations = this.#registrations.filter((other) => !released.includes(other));
  }
  /** Delivers a snapshot in slices. Later changes may arrive in the meantime. */
  replay(registration, snapshot) {
    registration.catchUp(snapshot);
    void this.#replay(registration);
  }
  /** Takes handlers from another watch, and delivers the differences between the two stores. */
  take(registrations, move) {
    const { from, store, lens, passed, seen: seen2 } = move;
    from.release(registrations);
    for (const registration of registrations) {
      this.adopt(registration, lens);
      if (seen2 === void 0) this.replay(registration, store.all(lens?.namespace));
    }
    if (registrations.length === 0) return;
    if (seen2 === void 0) return this.#deliverGone(registrations, goneOf(passed, store));
    const { now, onReplayed } = this.#options;
    const handover = new Handover({ ...seen2, registrations, store, lens, now, passed });
    void handover.run().then(onReplayed);
  }
  /** Delivers objects that no longer exist, and their deletion. */
  #deliverGone(registrations, gone) {
    const delivery = { ...this.delivery(this.#options.now()), registrations, mayCombine: true };
    for (const object of gone) {
      this.deliver({ previous: void 0, object }, delivery);
      this.deliver({ previous: object, object: void 0 }, delivery);
    }
  }
  /** Delivers the differences of a list in slices. The handlers have then synced. */
  async deliverAll(differences2, delivery, isStopped) {
    const slice = new TimeSlice3(this.#options.now);
    const combined = { ...delivery, mayCombine: true };
    for (const difference of differences2) {
      this.deliver(difference, combined);
      if (slice.isDue()) await slice.pause();
      if (isStopped()) return;
    }
    for (const registration of delivery.registrations) registration.markSynced();
  }
  deliver({ previous, object, isGone: isGone3 = false }, delivery) {
    const initial = delivery.initial && !isGone3;
    this.#deliver({ previous, object, finalStateUnknown: true, ...delivery, initial });
  }
  /** Delivers an object that was fetched because its bytes did not parse. */
  deliverRepaired(difference) {
    this.deliver(difference, { ...this.delivery(this.#options.now()), mayCombine: true });
  }
  /** An object was not stored: from now on an event may combine changes. */
  skipped() {
    this.#hasGap = true;
  }
  deliverDeleted({ last, previous, finalStateUnknown }, delivery) {
    this.#deliver({ previous, object: void 0, last, finalStateUnknown, ...delivery });
  }
  #deliver(facts) {
    const change = new Change(facts);
    for (const type of change.types) this.#options.onEvent(type);
    for (const registration of facts.registrations) registration.deliver(change);
    const object = facts.object ?? facts.previous;
    if (object !== void 0) this.#options.onChange(object);
    const { previous } = facts;
    if (previous !== void 0 && previous.uid !== facts.object?.uid) {
      this.#options.onRemove(previous);
    }
  }
  /** Waits one microtask, so that the caller has the registration before the first event. */
  async #replay(registration) {
    await Promise.resolve();
    const { now } = this.#options;
    const slice = new TimeSlice3(now);
    const receivedAt = now();
    for (;;) {
      const object = registration.nextInitial();
      if (object === void 0) break;
      registration.callInitial(object, receivedAt);
      if (slice.isDue()) await slice.pause();
    }
    registration.markSynced();
    this.#options.onReplayed();
  }
};
function fanOutOf(
  { identity, observer, now, random, onProgress, onChange, onRemove },
  { store, progress },
) {
  return new FanOut({
    store,
    isDelivering: () => progress.isDelivering,
    now,
    random,
    onEvent: (type) => observer.event?.(identity, type),
    onError: (owner, error) => observer.handlerError?.(identity, owner, error),
    onReplayed: onProgress,
    onChange,
    onRemove,
  });
}

// packages/informer/src/contract/watch-health.ts
import { EventEmitter } from 'eventemitter3';
var INITIAL_REASON = 'reading the initial state';
var HealthRecord = class {
  #changes = new EventEmitter();
  #health = {
    state: 'syncing',
    reason: INITIAL_REASON,
    verb: void 0,
    since: Date.now(),
    lastError: void 0,
    attempts: 0,
  };
  get current() {
    return this.#health;
  }
  /**
   * Adds a listener. After its disposal it is not called again, not even for a change that is being
   * delivered.
   */
  onChange(listener, onError) {
    const userCode = new UserCode(onError);
    let isDisposed = false;
    const guarded2 = (health) => {
      if (!isDisposed) userCode.call(listener, health);
    };
    this.#changes.on('change', guarded2);
    const dispose = () => {
      isDisposed = true;
      this.#changes.off('change', guarded2);
    };
    return { [Symbol.dispose]: dispose };
  }
  /** Records that the stream is open, and resets the failed attempts. */
  live() {
    const { lastError } = this.#health;
    this.#set('live', { reason: 'receiving changes', lastError, attempts: 0, verb: void 0 });
  }
  /** Records a list that begins for this cause. A watch that fails keeps its state until the server responds. */
  listing(cause) {
    const { state } = this.#health;
    if (state === 'live' || state === 'stale') this.syncing(cause);
  }
  /** Records that the server sends the whole state. */
  syncing(cause) {
    const { lastError, attempts } = this.#health;
    const reason =
      cause === 'initial' ? INITIAL_REASON : `reading the whole state again (${cause})`;
    this.#set('syncing', { reason, lastError, attempts, verb: void 0 });
  }
  /** Records a failed attempt, or the end of the watch. */
  bad(state, reason, error, verb) {
    const { attempts, lastError, ...current } = this.#health;
    const isSame2 = current.state === state && current.reason.startsWith(reason);
    this.#set(state, {
      reason: isSame2 ? current.reason : reason,
      lastError: error ?? lastError,
      attempts: error === void 0 ? attempts : attempts + 1,
      verb,
    });
  }
  /** Adds to the reason of a forbidden watch, unless its state has changed meanwhile. */
  explain(verb, cause) {
    const { state, verb: denied, reason } = this.#health;
    if (state !== 'forbidden' || denied !== verb || reason.endsWith(cause)) return;
    const [what = ''] = reason.split(';');
    this.#health = { ...this.#health, reason: `${what}; ${cause}` };
    this.#changes.emit('change', this.#health);
  }
  /** A stopped watch stays stopped, even if its last request fails later. */
  #set(state, facts) {
    if (this.#health.state === 'stopped') return;
    const same = state === this.#health.state;
    if (same && facts.attempts === this.#health.attempts) return;
    this.#health = { state, since: same ? this.#health.since : Date.now(), ...facts };
    this.#changes.emit('change', this.#health);
  }
};

// packages/informer/src/informer/informer-progress.ts
var InformerProgress = class {
  /** True while handlers receive the differences of a list. */
  isDelivering = false;
  #timeline;
  /** The version of the last change that readers and handlers have seen; bookmarks do not count. */
  #lastChange = '';
  #listedAt = 0;
  constructor(timeline) {
    this.#timeline = timeline;
  }
  changed(version) {
    this.#lastChange = version;
  }
  /** The state of a list replaces the state of the version `reached`. */
  listed(version, reached) {
    if (isOlder(version, reached)) this.wentBack();
    this.#lastChange = version;
    this.#listedAt = this.#timeline.current;
  }
  wentBack() {
    this.#timeline.wentBack(this.#listedAt);
  }
  /** True if a store at `version` has every change that the handlers of `other` have seen. */
  includes(version, other) {
    if (other.isDelivering || this.#listedAt !== other.#listedAt) return false;
    return hasReached(version, other.#lastChange);
  }
};

// packages/informer/src/store/intake.ts
import { jsonFormat } from '@keelson/apimachinery';

// packages/informer/src/store/stored-object.ts
import { hasCode } from '@keelson/apimachinery';
var StoredObject = class {
  of;
  namespace;
  name;
  uid;
  resourceVersion;
  /** The slab with the bytes; `undefined` for an object that is kept parsed. */
  slab = void 0;
  slot = 0;
  /** Parsed metadata, until `Memory` forgets it. An object without bytes keeps it. */
  #head = void 0;
  /**
   * The parsed object. Only objects without bytes and versions that left the store have it; such a
   * version exists until user code drops its view.
   */
  #body = void 0;
  constructor(of, namespace, identity) {
    this.of = of;
    this.namespace = namespace;
    this.name = identity.name ?? '';
    this.uid = identity.uid ?? '';
    this.resourceVersion = identity.resourceVersion ?? '';
  }
  get key() {
    return this.namespace === void 0 ? this.name : `${this.namespace}/${this.name}`;
  }
  get apiVersion() {
    return this.of.apiVersion;
  }
  get kind() {
    return this.of.kind;
  }
  /** The number of bytes in the store; 0 for an object that was never stored as bytes. */
  get byteLength() {
    const slab = this.slab;
    return slab === void 0 ? 0 : slab.end(this.slot) - slab.start(this.slot);
  }
  get metadata() {
    return this.#head ?? this.#parseHead();
  }
  value() {
    return this.#body ?? this.of.memory.bodies.get(this) ?? this.#parseBody();
  }
  /** Returns what a watch of the metadata returns. Only `managedFields` need the body. */
  partial() {
    const { apiVersion, kind } = this;
    const { metadata } = this.of.keepManagedFields ? this.#whole() : this;
    const value = { apiVersion, kind, metadata };
    return Object.isFrozen(metadata) ? Object.freeze(value) : value;
  }
  /** Keeps the parsed object, because there are no bytes or `retain` is `object`. */
  keepParsed(object) {
    this.#body = this.of.memory.shared(object);
    this.#head = this.of.memory.shared(withoutManagedFields(object.metadata));
  }
  forgetHead() {
    this.#head = void 0;
  }
  /**
   * Called when the version leaves the store. The view keeps its parsed body as long as user code
   * keeps the view.
   */
  retire() {
    if (this.slab !== void 0) {
      this.#body ??= this.of.memory.bodies.take(this);
    }
  }
  #parsed(parse) {
    try {
      return parse();
    } catch (error) {
      throw this.of.unreadable(this, error);
    }
  }
  #isStored() {
    return this.slab?.tenants[this.slot] === this;
  }
  #parseHead() {
    const metadata = this.of.memory.shared(this.#parsed(() => this.of.head(this)));
    this.#head = metadata;
    if (this.#isStored()) this.of.memory.rememberHead(this);
    return metadata;
  }
  /** Returns the object, or its metadata if a memory budget has dropped its body. */
  #whole() {
    if (this.of.keepsBody(this)) return this.value();
    return this.of.memory.shared(this.#parsed(() => this.of.decode(this)).body);
  }
  #parseBody() {
    if (!this.of.keepsBody(this)) throw this.of.bodyNotKept(this);
    const decoded = this.#parsed(() => this.of.decode(this));
    const body = this.of.memory.shared(decoded.body);
    if (this.#isStored()) this.of.memory.bodies.add(this, body, decoded.size);
    else this.#body = body;
    return body;
  }
};
function withoutManagedFields(metadata) {
  if (metadata.managedFields === void 0) return metadata;
  const { managedFields: _cut, ...rest } = metadata;
  return rest;
}
function ifReadable(look, otherwise) {
  try {
    return look();
  } catch (error) {
    if (hasCode(error, 'OBJECT_MALFORMED')) return otherwise;
    throw error;
  }
}

// packages/informer/src/store/intake.ts
var Intake = class {
  /** The identity of the last object that `read` accepted. */
  identity = NO_IDENTITY;
  #options;
  /** Created for the first frame without positions, and reused for all others. */
  #scratch;
  /** The positions of the last frame. */
  #positions;
  #frame;
  #transformFailed = (error) => void this.#skip('transform', error);
  /** In the context of the first user of the transform. */
  #userCode = new UserCode(this.#transformFailed);
  constructor(options) {
    this.#options = options;
  }
  /**
   * Reads the identity of a frame. Returns false for a frame without an object of this watch, after
   * reporting it.
   */
  read(frame) {
    this.#frame = frame;
    const identity =
      frame.format === void 0 ? identityOf(frame.object) : this.#parseIdentity(frame);
    return identity !== void 0 && this.#accept(identity);
  }
  /** Drops the reference to the last frame, which would keep its whole chunk in memory. */
  done() {
    this.#frame = void 0;
  }
  /** The name of the last object. */
  get name() {
    const { namespace, name = '' } = this.identity;
    return namespace === void 0 ? { name } : { namespace, name };
  }
  /** True if the last object has the same version as `stored`. */
  isUnchanged(stored) {
    const { resourceVersion, uid } = this.identity;
    return (
      resourceVersion !== void 0 &&
      stored.resourceVersion === resourceVersion &&
      stored.uid === (uid ?? '')
    );
  }
  /** The last object, as a state that must be fetched again. */
  get unreadable() {
    return { ...this.name, resourceVersion: this.identity.resourceVersion ?? '' };
  }
  /** Returns `stored` if it has the uid of the last object, and `undefined` otherwise. */
  ofSameUid(stored) {
    return stored?.uid === (this.identity.uid ?? '') ? stored : void 0;
  }
  /**
   * Copies the last object into the target. Returns `undefined` if the object does not parse or its
   * transform failed.
   */
  keep(target) {
    const frame = this.#frame;
    if (frame === void 0) return void 0;
    const { form } = this.#options;
    const object = new StoredObject(form, target.intern(this.identity.namespace), this.identity);
    if (this.#isParsedAtOnce(frame, target)) return this.#keepParsed(object, frame, target);
    if (frame.format !== void 0 && this.#positions !== void 0) {
      const { buffer, from, to } = frame;
      target.content.write(object, frame.format, buffer, from, to, this.#positions);
    }
    return object;
  }
  #isParsedAtOnce(frame, { content }) {
    return (
      frame.format === void 0 ||
      content.retention === 'object' ||
      this.#options.transform !== void 0
    );
  }
  /** Returns `undefined` for bytes that do not parse. */
  #parseIdentity(frame) {
    const { format, buffer, from, to } = frame;
    if (format === void 0) return void 0;
    let problem;
    try {
      const positions = frame.positions ?? this.#scan(frame, format);
      this.#positions = this.#options.form.keepManagedFields ? keepAll(positions) : positions;
      return format.identity(buffer, from, to, positions);
    } catch (error) {
      problem = error;
    }
    this.#skip('malformed', problem);
    return void 0;
  }
  #accept(identity) {
    const { form } = this.#options;
    const { kind } = identity;
    if (kind === 'Table') throw informerError('TABLE_RESPONSE', { kind: form.kind });
    if (!form.accepts(kind)) return this.#skip('other-kind', void 0);
    if (identity.name === void 0) return this.#skip('no-metadata', void 0);
    this.identity = identity;
    return true;
  }
  #keepParsed(object, frame, { content }) {
    const { transform, form } = this.#options;
    const parsed = this.#tryParse(frame);
    if (parsed === void 0) return void 0;
    const whole = form.complete(parsed);
    const kept2 = transform === void 0 ? whole : this.#transformed(transform, whole);
    if (kept2 === void 0) return void 0;
    const text = content.retention === 'compressed' ? textOf(kept2) : void 0;
    if (text === void 0) {
      content.addParsed(object, frame.to - frame.from);
      object.keepParsed(kept2);
    } else content.append(object, jsonFormat, text);
    return object;
  }
  #transformed(transform, whole) {
    const kept2 = this.#userCode.callMethod(transform, 'apply', whole);
    if (kept2 === FAILED) return void 0;
    if (isObject(kept2) && isObject(kept2.metadata)) return kept2;
    this.#transformFailed(informerError('TRANSFORM_RESULT', { transform: transform.name }));
    return void 0;
  }
  #tryParse(frame) {
    try {
      return this.#parse(frame);
    } catch (error) {
      this.#options.onUnreadable(error);
      return void 0;
    }
  }
  /** Cuts `managedFields` before it parses: parsing them costs more. */
  #parse(frame) {
    const { format, buffer, from, to } = frame;
    const positions = this.#positions;
    if (format === void 0 || positions === void 0) return this.#ownCopy(frame.object);
    const bytes = Buffer.allocUnsafe(format.cutLength(from, to, positions));
    const length = format.cut(buffer, from, to, positions, bytes, 0);
    return format.decode(bytes, 0, length);
  }
  /** Copies the object for a transform, which must not change an object of the lister-watcher. */
  #ownCopy(object) {
    const copied = this.#options.transform === void 0 ? object : structuredClone(object);
    return this.#options.form.keepManagedFields ? copied : withoutManagedFields2(copied);
  }
  #scan({ buffer, from, to }, format) {
    const positions = (this.#scratch ??= format.positions());
    format.scan(buffer, from, to, positions);
    return positions;
  }
  #skip(cause, error) {
    this.#options.onSkip(cause, error);
    return false;
  }
};
function keepAll(positions) {
  return { ...positions, managedFieldsFrom: -1, managedFieldsTo: -1 };
}
var NO_IDENTITY = {
  kind: void 0,
  namespace: void 0,
  name: void 0,
  uid: void 0,
  resourceVersion: void 0,
};
function identityOf(object) {
  if (typeof object !== 'object' || object === null) return NO_IDENTITY;
  const { kind, metadata } = object;
  const { namespace, name, uid, resourceVersion } = metadata ?? {};
  return { kind, namespace, name, uid, resourceVersion };
}
function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !('then' in value);
}
function withoutManagedFields2(object) {
  const { metadata } = object;
  if (metadata?.managedFields === void 0) return object;
  const { managedFields: _cut, ...rest } = metadata;
  return { ...object, metadata: rest };
}
function textOf(object) {
  try {
    return Buffer.from(JSON.stringify(object));
  } catch {
    return void 0;
  }
}

// packages/informer/src/store/object-form.ts
import { apiVersionOf } from '@keelson/apimachinery';
var ObjectForm = class {
  apiVersion;
  kind;
  projection;
  memory;
  keepManagedFields;
  /** The memory budget for which the store drops bodies. No reader gets one, also while some are left. */
  droppedFor = void 0;
  /** Called when the bytes of an object do not parse. */
  onUnreadable = () => void 0;
  #positions;
  constructor({ resource, projection, memory, keepManagedFields }) {
    this.apiVersion = apiVersionOf(resource);
    this.kind = resource.kind;
    this.projection = projection;
    this.memory = memory;
    this.keepManagedFields = keepManagedFields;
  }
  /** True if an object of `kind` belongs to the watch. Items of a list have no `kind`. */
  accepts(kind) {
    return (
      kind === void 0 ||
      kind === this.kind ||
      (kind === 'PartialObjectMetadata' && this.projection === 'metadata')
    );
  }
  /** Reports bytes that do not parse, and returns the error for the caller. */
  unreadable(object, cause) {
    this.onUnreadable(object, cause);
    return informerError('OBJECT_MALFORMED', { key: object.key }, cause);
  }
  /** Called when a memory budget drops the bodies of all objects. */
  dropBodies(budget) {
    this.droppedFor = budget;
    this.memory.bodies.release(this);
  }
  /** False for an object whose body a memory budget has dropped or will drop. */
  keepsBody({ slab }) {
    return this.droppedFor === void 0 && slab?.isHeadOnly !== true;
  }
  bodyNotKept({ key } = {}) {
    return informerError('BODY_NOT_KEPT', { kind: this.kind, key, ...this.droppedFor });
  }
  /** Parses the metadata from the bytes of an object. */
  head({ slab, slot }) {
    if (slab === void 0) return {};
    const { format } = slab.encoding;
    const { buffer, from, to } = slab.text(slot);
    const positions = (this.#positions ??= format.positions());
    format.scan(buffer, from, to, positions);
    return format.head(buffer, from, to, positions).metadata;
  }
  /** Parses all bytes of an object. */
  decode({ slab, slot }) {
    if (slab === void 0) return { body: {}, size: 0 };
    const { buffer, from, to } = slab.text(slot);
    const body = this.complete(slab.encoding.format.decode(buffer, from, to));
    return { body, size: to - from };
  }
  /**
   * Adds `apiVersion` and `kind`. Lists of built-in kinds omit them in items, and metadata have the
   * kind `PartialObjectMetadata`.
   */
  complete(decoded) {
    const object = decoded;
    if (object.apiVersion !== void 0 && object.kind === this.kind) return object;
    const type = { apiVersion: this.apiVersion, kind: this.kind };
    return Object.assign({ ...type }, object, type);
  }
};

// packages/informer/src/contract/normal-query.ts
import {
  checkCount as checkCount3,
  checkNamespace,
  checkOptions as checkOptions4,
  invalidOption as invalidOption4,
  normalFieldSelector,
  normalLabelSelector,
  resourceId as resourceId3,
} from '@keelson/apimachinery';

// packages/informer/src/contract/indexer.ts
import {
  checkFunction as checkFunction2,
  invalidOption as invalidOption3,
  resourceId as resourceId2,
} from '@keelson/apimachinery';
var evaluatesSelector = /* @__PURE__ */ Symbol('evaluatesSelector');
function defineIndex(resource, name, values) {
  const compute = typeof values === 'function' ? { body: values } : { head: values?.head };
  const index = { name, resource, ...compute };
  checkIndex(index, 'defineIndex');
  return Object.freeze(index);
}
function checkIndex(index, where) {
  checkIndexer(index, where);
  if (typeof index.resource?.plural !== 'string') {
    throw invalidOption3(`${where}.resource`, 'must be a resource token: use defineIndex');
  }
}
function checkIndexersOf(query, indexers2, where) {
  const known = /* @__PURE__ */ new Map();
  for (const [at, indexer] of indexers2.entries()) {
    const option = `${where}[${at}]`;
    checkIndexerOf(query, indexer, option);
    const shared = indexer;
    const { name } = shared;
    const other = known.get(name);
    if (other !== void 0 && !isSameIndexer(other, shared)) {
      throw informerError('INDEXER_CONFLICT', { indexer: name, option });
    }
    known.set(name, shared);
  }
}
function checkIndexerOf(query, indexer, where) {
  checkIndexer(indexer, where);
  if (query.projection === 'metadata' && 'body' in indexer) {
    throw invalidOption3(where, 'must compute its values by head, for the projection is metadata');
  }
  const [index, resource] = [indexer.resource, query.resource].map(
    (token) => token && resourceId2(token),
  );
  if (index === void 0 || index === resource) return;
  throw invalidOption3(where, 'is an index of another kind', { index, resource });
}
function checkIndexer(indexer, where) {
  checkObject(indexer, where);
  const { name, head, body } = indexer;
  if (typeof name !== 'string' || name === '')
    throw invalidOption3(`${where}.name`, 'must be a name');
  if ((head === void 0) === (body === void 0)) {
    throw invalidOption3(where, 'must have one of the functions head and body');
  }
  checkFunction2(head ?? body, `${where}.${head === void 0 ? 'body' : 'head'}`);
}
function isSameIndexer(a, b) {
  if (a[evaluatesSelector] === true && b[evaluatesSelector] === true) return a.name === b.name;
  if ('head' in a) return 'head' in b && a.head === b.head;
  return 'body' in b && a.body === b.body;
}

// packages/informer/src/contract/normal-query.ts
var MAX_PAGE_SIZE = 1e4;
var members2 = [
  'resource',
  'namespace',
  'labelSelector',
  'fieldSelector',
  'projection',
  'transform',
  'indexers',
  'retain',
  'pageSize',
  'sharing',
];
function normalQuery(query) {
  checkWatchQuery(query, 'acquire.query');
  const { resource, namespace, labelSelector, fieldSelector } = query;
  return {
    resource,
    namespace: namespace === '' ? void 0 : namespace,
    labelSelector: orNone(labelSelector, normalLabelSelector),
    fieldSelector: orNone(fieldSelector, normalFieldSelector),
    projection: projectionOf(query),
  };
}
function projectionOf({ projection, retain }) {
  return retain === 'metadata' ? 'metadata' : (projection ?? 'full');
}
function identityOf2(query, transform) {
  return JSON.stringify([
    resourceId3(query.resource),
    query.namespace,
    query.labelSelector,
    query.fieldSelector,
    query.projection,
    transform,
  ]);
}
function checkWatchQuery(query, where) {
  checkOptions4(query, members2, where);
  checkObjects(query, where);
  const { projection, retain, pageSize, sharing, transform, indexers: indexers2 = [] } = query;
  checkChoice(projection, ['full', 'metadata'], `${where}.projection`);
  checkChoice(retain, ['lazy', 'object', 'compressed', 'metadata'], `${where}.retain`);
  checkMetadata(query, where);
  checkPageSize(pageSize, `${where}.pageSize`);
  checkChoice(sharing, ['views', 'exact'], `${where}.sharing`);
  if (!Array.isArray(indexers2)) {
    throw invalidOption4(`${where}.indexers`, 'must be a list of indexers');
  }
  const indexed = { resource: query.resource, projection: projectionOf(query) };
  checkIndexersOf(indexed, indexers2, `${where}.indexers`);
  if (transform !== void 0) checkTransform(transform, `${where}.transform`);
}
function checkObjects(query, where) {
  const { resource, namespace, labelSelector, fieldSelector } = query;
  if (typeof resource?.plural !== 'string' || resource.plural === '') {
    throw invalidOption4(`${where}.resource`, 'must be a resource token');
  }
  checkText(namespace, `${where}.namespace`);
  if (namespace !== void 0 && namespace !== '') {
    if (!resource.namespaced) {
      throw invalidOption4(`${where}.namespace`, 'the resource is cluster-scoped', {
        resource: resourceId3(resource),
      });
    }
    checkNamespace(namespace);
  }
  checkText(fieldSelector, `${where}.fieldSelector`);
  if (typeof labelSelector !== 'object' || labelSelector === null || Array.isArray(labelSelector))
    checkText(labelSelector, `${where}.labelSelector`);
}
function checkMetadata(query, where) {
  if (query.retain === 'metadata' && query.projection === 'full') {
    throw invalidOption4(`${where}.retain`, 'must not be metadata with the projection full');
  }
}
function checkPageSize(pageSize, where) {
  if (pageSize === void 0) return;
  checkCount3(pageSize, where);
  if (pageSize > MAX_PAGE_SIZE) throw invalidOption4(where, `must be at most ${MAX_PAGE_SIZE}`);
}
function checkTransform(transform, where) {
  const { name, apply } = transform ?? {};
  if (typeof name !== 'string' || name === '' || typeof apply !== 'function') {
    throw invalidOption4(where, 'must have a name and a function');
  }
}
function orNone(selector, normal) {
  const text = selector === void 0 ? '' : normal(selector);
  return text === '' ? void 0 : text;
}
function subjectOf({ resource, namespace }) {
  const id = resourceId3(resource);
  return namespace === void 0 ? id : `${id} in namespace ${namespace}`;
}

// packages/informer/src/reflector/reflector.ts
import { isNotFound as isNotFound2 } from '@keelson/apimachinery';

// packages/informer/src/reflector/idle-watchdog.ts
var LATENESS_MS = 5e3;
var MIN_INTERVALS = 2;
var SERVER_BOOKMARK_INTERVAL_MS = 6e4;
var MIN_INTERVAL_MS = 1e3;
var IdleWatchdog = class {
  #now;
  #lastActivityAt = 0;
  #bookmarkAt;
  #hasBookmarks = false;
  #longestInterval = 0;
  #intervals = 0;
  /** Idle streams in a row that sent no event and no bookmark. */
  #silentStreams = 0;
  #hasEvents = false;
  #bound = 0;
  #timer;
  #onIdle = () => void 0;
  constructor(now) {
    this.#now = now;
  }
  /**
   * Starts to monitor a new stream. `bound`: the longest silence in milliseconds, with or without
   * bookmarks.
   */
  start(bound, onIdle) {
    this.#onIdle = onIdle;
    this.#bookmarkAt = void 0;
    this.#hasEvents = false;
    this.limit(bound);
  }
  /** Sets another bound. */
  limit(bound) {
    this.#bound = bound;
    this.#lastActivityAt = this.#now();
    this.#arm(this.#allowed());
  }
  /** Records the arrival of data. */
  activity() {
    this.#lastActivityAt = this.#now();
  }
  /** Records an event or a bookmark. */
  event() {
    this.#hasEvents = true;
    this.#silentStreams = 0;
  }
  /** Records a bookmark, including the one that ends the initial state. */
  bookmark() {
    const now = this.#now();
    this.#hasBookmarks = true;
    if (this.#bookmarkAt !== void 0) {
      this.#longestInterval = Math.max(this.#longestInterval, now - this.#bookmarkAt);
      this.#intervals++;
    }
    this.#bookmarkAt = now;
    if (this.#intervals <= MIN_INTERVALS) this.#arm(this.#allowed());
  }
  stop() {
    clearTimeout(this.#timer);
    this.#timer = void 0;
  }
  /**
   * A server sends no bookmark at the version where a stream started, so the stream of a quiet kind
   * may be silent for long. Each silent stream doubles the allowed time.
   */
  #allowed() {
    if (!this.#hasBookmarks) return this.#bound;
    const interval =
      this.#intervals < MIN_INTERVALS
        ? SERVER_BOOKMARK_INTERVAL_MS
        : Math.max(this.#longestInterval, MIN_INTERVAL_MS);
    return Math.min(this.#bound, interval * 1.5 * 2 ** this.#silentStreams + LATENESS_MS);
  }
  /**
   * Uses one timer and checks the silence when it fires, instead of a new timer for each arrival of
   * data.
   */
  #arm(delay) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const silent = this.#now() - this.#lastActivityAt;
      const allowed = this.#allowed();
      if (silent >= allowed) this.#fire();
      else this.#arm(allowed - silent);
    }, delay);
  }
  #fire() {
    if (!this.#hasEvents) this.#silentStreams++;
    this.#onIdle();
  }
};

// packages/informer/src/reflector/list-reader.ts
import {
  CycleDetector,
  isGone,
  isResourceVersionTooLarge,
  pause,
  statusOf,
  TimeSlice as TimeSlice4,
} from '@keelson/apimachinery';
var EMPTY_PAGE_PAUSE_MS = 100;
var LONGEST_PAUSE_MS = 1e4;
var ListReader = class {
  #options;
  /**
   * A list at version "0" had several pages. The server respects limits at "0", so it does not
   * serve lists from a watch cache.
   */
  #pagesAtZero = false;
  constructor(options) {
    this.#options = options;
  }
  /**
   * Reads a list, swaps it in and returns its version. `from`: `"0"` for any version that the
   * server has, `""` for the newest, otherwise the last seen version.
   */
  async read(from, signal) {
    try {
      return await this.#readAt(from, signal);
    } catch (error) {
      const cause = newestOnlyCause(error);
      if (cause === void 0 || from === '') throw error;
      this.#options.onRestart(cause);
      return this.#readAt('', signal);
    }
  }
  /** Returns true if the server is behind this version because its versions started again. */
  async isBehind(version, signal) {
    try {
      const request = { resourceVersion: version, limit: 1, signal };
      for await (const { listMetadata } of this.#options.listerWatcher.list(request)) {
        const { resourceVersion } = listMetadata ?? {};
        if (resourceVersion !== void 0) return isOlder(resourceVersion, version);
      }
      return false;
    } catch (error) {
      if (isResourceVersionTooLarge(error)) return true;
      if (isGone(error)) return false;
      throw error;
    }
  }
  async #readAt(resourceVersion, signal) {
    const limit = this.#limit(resourceVersion);
    const pages = new Pages(this.#options, signal);
    let page = await pages.read({ resourceVersion, ...limit });
    if (resourceVersion === '0' && hasMore(page)) this.#pagesAtZero = true;
    const tokens = new CycleDetector(void 0);
    while (hasMore(page)) {
      const token = page.continue ?? '';
      if (tokens.repeats(token)) throw informerError('LIST_ENDLESS');
      await pages.pauseIfEmpty();
      const next = await pages.readNext(token, limit);
      if (next === void 0) return this.#readWhole(resourceVersion, signal);
      page = next;
    }
    return pages.commit(page);
  }
  /** Reads the list again without pages, because the token of the next page has expired. */
  async #readWhole(resourceVersion, signal) {
    this.#options.onRestart('expired');
    const pages = new Pages(this.#options, signal);
    return pages.commit(await pages.read({ resourceVersion }));
  }
  /**
   * A limit at a specific version would make kube-apiserver read from etcd instead of its watch
   * cache.
   */
  #limit(resourceVersion) {
    const isConcrete = resourceVersion !== '' && resourceVersion !== '0';
    return isConcrete && !this.#pagesAtZero ? {} : { limit: this.#options.pageSize() };
  }
};
var Pages = class {
  #options;
  #signal;
  #replacement;
  #receivedAt;
  /** Pages in a row without an object. */
  #empty = 0;
  constructor(options, signal) {
    this.#options = options;
    this.#signal = signal;
    this.#replacement = options.sink.replacement();
    this.#receivedAt = options.now();
  }
  /**
   * Waits after an empty page: a server that sends only empty pages would get thousands of requests
   * per second.
   */
  async pauseIfEmpty() {
    if (this.#empty === 0) return;
    const milliseconds = Math.min(EMPTY_PAGE_PAUSE_MS * 2 ** (this.#empty - 1), LONGEST_PAUSE_MS);
    await pause(milliseconds, [this.#signal]);
  }
  /** Returns `undefined` if the token has expired. */
  async readNext(token, limit) {
    try {
      return await this.read({ continue: token, ...limit });
    } catch (error) {
      if (isGone(error)) return void 0;
      throw error;
    }
  }
  async read(request) {
    const signal = this.#signal;
    const slice = new TimeSlice4(this.#options.now);
    let metadata;
    this.#empty += 1;
    for await (const batch of this.#options.listerWatcher.list({ ...request, signal })) {
      signal.throwIfAborted();
      this.#options.onActivity();
      slice.resume();
      if (batch.frames.length > 0) this.#empty = 0;
      for (const frame of batch.frames) {
        this.#replacement.put(frame);
        if (slice.isDue()) await slice.pause();
      }
      if (batch.frames.length === 0 && slice.isDueWithoutWork()) await slice.pause();
      this.#receivedAt = batch.receivedAt;
      metadata = batch.listMetadata ?? metadata;
    }
    signal.throwIfAborted();
    if (metadata === void 0) throw informerError('LIST_WITHOUT_VERSION');
    return metadata;
  }
  async commit({ resourceVersion }) {
    if (resourceVersion === void 0 || resourceVersion === '') {
      throw informerError('LIST_WITHOUT_VERSION');
    }
    await this.#replacement.commit(resourceVersion, this.#receivedAt);
    return resourceVersion;
  }
};
function hasMore(page) {
  return page.continue !== void 0 && page.continue !== '';
}
function newestOnlyCause(error) {
  if (isResourceVersionTooLarge(error)) return 'too-large';
  if (isGone(error)) return 'expired';
  return [400, 422].includes(statusOf(error)?.code ?? 0) ? 'error' : void 0;
}

// packages/informer/src/reflector/pause.ts
var Pause = class {
  #timer;
  #resolve = () => void 0;
  async wait(milliseconds) {
    await new Promise((resolve) => {
      this.#resolve = resolve;
      this.#timer = setTimeout(resolve, milliseconds);
    });
    this.#timer = void 0;
  }
  /** Ends the present wait. */
  end() {
    clearTimeout(this.#timer);
    this.#resolve();
  }
};

// packages/informer/src/reflector/recovery.ts
import { hasCode as hasCode3, statusOf as statusOf3 } from '@keelson/apimachinery';

// packages/informer/src/reflector/backoff.ts
var Backoff = class {
  #options;
  #failures = 0;
  #quietSince = -Infinity;
  constructor(options) {
    this.#options = options;
  }
  /** True if no failure is counted. */
  get isFresh() {
    return this.#failures === 0;
  }
  /** Counts a failure and returns the milliseconds to wait before the next attempt. */
  next() {
    const { base, max, resetAfter, random, now } = this.#options;
    if (now() - this.#quietSince > resetAfter) this.#failures = 0;
    const whole = Math.min(base * 2 ** this.#failures, max);
    this.#failures++;
    const delay = whole * (0.5 + random() / 2);
    this.#quietSince = now() + delay;
    return delay;
  }
  reset() {
    this.#failures = 0;
  }
};

// packages/informer/src/reflector/transitions.ts
import {
  hasCode as hasCode2,
  isForbidden,
  isGone as isGone2,
  isNotFound,
  isResourceVersionTooLarge as isResourceVersionTooLarge2,
  isTooManyRequests,
  isUnauthorized,
  statusOf as statusOf2,
} from '@keelson/apimachinery';
var transitions = {
  watching: {
    expired: { next: { name: 'relisting', cause: 'expired' }, delay: 'first-free' },
    'too-large': {
      next: { name: 'relisting', cause: 'too-large' },
      delay: 'first-free',
      fromNewest: true,
    },
    throttled: { next: { name: 'watching', cause: 'throttled' }, delay: 'failures' },
    forbidden: { next: { name: 'watching', cause: 'failed' }, delay: 'slow', health: 'forbidden' },
    'not-found': { next: { name: 'listing', cause: 'error' }, delay: 'short' },
    'error-event': { next: { name: 'relisting', cause: 'error' }, delay: 'short' },
    unavailable: { next: { name: 'watching', cause: 'failed' }, delay: 'failures' },
    refused: { next: { name: 'relisting', cause: 'error' }, delay: 'failures' },
    'no-response': { next: { name: 'watching', cause: 'failed' }, delay: 'failures' },
    unordered: { next: { name: 'relisting', cause: 'error' }, delay: 'short', fromNewest: true },
    'over-budget': {
      next: { name: 'relisting', cause: 'error' },
      delay: 'long',
      health: 'over-budget',
    },
    suspect: { next: { name: 'checking' }, delay: 'spread' },
    'suspect-idle': { next: { name: 'checking' }, delay: 'spread', health: 'stale' },
    idle: { next: { name: 'watching' }, delay: 'spread', health: 'stale' },
    ended: { next: { name: 'watching' }, delay: 'short' },
    'instant-ends': { next: { name: 'relisting', cause: 'instant-ends' }, delay: 'short' },
  },
  'watch-listing': {
    throttled: { next: { name: 'relisting' }, delay: 'failures' },
    expired: { next: { name: 'relisting', cause: 'expired' }, delay: 'none', fromNewest: true },
    'too-large': {
      next: { name: 'relisting', cause: 'too-large' },
      delay: 'none',
      fromNewest: true,
    },
    unsupported: { next: { name: 'listing' }, delay: 'none', withoutWatchList: true },
    refused: { next: { name: 'listing' }, delay: 'none' },
    'no-headers': { next: { name: 'listing' }, delay: 'none' },
    idle: { next: { name: 'listing' }, delay: 'none', withoutWatchList: true },
    'no-response': { next: { name: 'relisting' }, delay: 'failures' },
    foreign: { next: { name: 'listing' }, delay: 'none' },
    cut: { next: { name: 'relisting' }, delay: 'short' },
    'cut-again': { next: { name: 'listing' }, delay: 'none', withoutWatchList: true },
    'over-budget': { next: { name: 'relisting' }, delay: 'long', health: 'over-budget' },
  },
  listing: {
    forbidden: { next: { name: 'relisting' }, delay: 'slow', health: 'forbidden' },
    'over-budget': { next: { name: 'relisting' }, delay: 'long', health: 'over-budget' },
    failed: { next: { name: 'relisting' }, delay: 'failures' },
  },
  discovery: {
    'not-served': {
      next: { name: 'relisting', cause: 'initial' },
      delay: 'slow',
      health: 'parked',
    },
  },
  checking: {
    'server-behind': {
      next: { name: 'relisting', cause: 'too-large' },
      delay: 'none',
      fromNewest: true,
    },
  },
  loop: {
    defect: { next: { name: 'relisting', cause: 'restart' }, delay: 'failures' },
  },
};
var INSTANT_ENDS_UNTIL_RELIST = { ended: 3, broken: 10 };
function watchResult(end, history) {
  if (end.how === 'status') return statusResult(end);
  if (!end.opened) return 'no-response';
  if (isOverBudget(end.error)) return 'over-budget';
  if (hasCode2(end.error, 'WATCH_WENT_BACK') && history.isUnordered) return 'unordered';
  if (end.how === 'idle') return history.mayBeBehind ? 'suspect-idle' : 'idle';
  if (history.mayBeBehind) return 'suspect';
  return history.instantEnds < INSTANT_ENDS_UNTIL_RELIST[end.how] ? 'ended' : 'instant-ends';
}
function statusResult({ error, opened }) {
  if (isGone2(error)) return 'expired';
  if (isResourceVersionTooLarge2(error)) return 'too-large';
  if (isTooManyRequests(error)) return 'throttled';
  if (isForbidden(error)) return 'forbidden';
  if (isNotFound(error)) return 'not-found';
  if (opened) return 'error-event';
  const code = statusOf2(error)?.code ?? 0;
  const isUnavailable = code >= 500 || code === 408 || isUnauthorized(error);
  return isUnavailable ? 'unavailable' : 'refused';
}
var CUTS_UNTIL_LIST = 2;
var UNSUPPORTED_CODES = /* @__PURE__ */ new Set([400, 405, 406, 415, 422]);
function watchListResult(end, history) {
  if (end.how === 'status') return watchListStatusResult(end.error, history.fromNewest);
  if (isOverBudget(end.error)) return 'over-budget';
  if (end.how === 'idle') return end.opened ? 'idle' : 'no-headers';
  if (!end.opened) return isForeign(end.error) ? 'foreign' : 'no-response';
  return history.cuts > CUTS_UNTIL_LIST ? 'cut-again' : 'cut';
}
function watchListStatusResult(error, fromNewest) {
  if (isTooManyRequests(error)) return 'throttled';
  if (isResourceVersionTooLarge2(error) && !fromNewest) return 'too-large';
  if (isGone2(error) && !fromNewest) return 'expired';
  return UNSUPPORTED_CODES.has(statusOf2(error)?.code ?? 0) ? 'unsupported' : 'refused';
}
function listResult(error) {
  if (isOverBudget(error)) return 'over-budget';
  return isForbidden(error) ? 'forbidden' : 'failed';
}
function isForeign(error) {
  return hasCode2(error, 'UNEXPECTED_RESPONSE');
}
function isOverBudget(error) {
  return hasCode2(error, 'MEMORY_BUDGET_EXCEEDED');
}

// packages/informer/src/reflector/recovery.ts
var STABLE_CONNECTION_MS = 1e4;
var INSTANT_END_MS = 1e3;
var STEPS_BACK_UNTIL_UNORDERED = 3;
var MAX_RETRY_AFTER_MS = 5 * 6e4;
var LONG_DELAY_MS = 10 * 6e4;
var Recovery = class {
  #options;
  /** After connections that were not stable. */
  #short;
  /** After failed attempts. */
  #failures;
  /** For errors that an administrator must repair: a missing permission, a missing kind. */
  #slow;
  #fromNewest = false;
  #instantEnds = 0;
  /** Initial states in a row that were cut. */
  #cuts = 0;
  /** Watches in a row whose versions went back. */
  #versionsWentBack = 0;
  /** The server has sent nothing since a watch broke or was silent for long, so that it may be another server. */
  #isServerUnverified = false;
  constructor(options) {
    const { now, random } = options;
    this.#options = options;
    this.#short = new Backoff({ base: 50, max: 8e3, resetAfter: Infinity, now, random });
    this.#failures = new Backoff({ base: 800, max: 3e4, resetAfter: 12e4, now, random });
    this.#slow = new Backoff({ base: 2e3, max: 6e4, resetAfter: 12e4, now, random });
  }
  /** The next list has to begin at the server's newest version, because the last one cannot be listed from. */
  get needsNewest() {
    return this.#fromNewest;
  }
  /** The versions of the server decreased three times in a row: they are no longer compared. */
  get isUnordered() {
    return this.#versionsWentBack >= STEPS_BACK_UNTIL_UNORDERED;
  }
  /** A list, or the initial state of a WatchList, is complete. */
  synced() {
    this.#fromNewest = false;
    this.#instantEnds = 0;
    this.#cuts = 0;
    this.#slow.reset();
  }
  /** After a watch, or a WatchList whose initial state was complete. */
  afterWatch(end) {
    const mayBeBehind = this.#mayBeBehind(end);
    this.#countWatch(end, mayBeBehind);
    const { isUnordered } = this;
    const result = watchResult(end, { instantEnds: this.#instantEnds, mayBeBehind, isUnordered });
    const transition = transitions.watching[result];
    return this.#follow(transition, stateAfterWatch(transition.next, end), {
      error: end.error,
      end,
    });
  }
  afterWatchList(end, cause) {
    if (end.complete) return this.afterWatch(end);
    if (end.opened && (end.how === 'ended' || end.how === 'broken')) this.#cuts++;
    const history = { cuts: this.#cuts, fromNewest: this.#fromNewest };
    const transition = transitions['watch-listing'][watchListResult(end, history)];
    return this.#follow(transition, stateAfterList(transition.next, cause), {
      error: end.error,
      end,
    });
  }
  afterFailedList(error, cause) {
    const transition = transitions.listing[listResult(error)];
    return this.#follow(transition, stateAfterList(transition.next, cause), { error });
  }
  /** Discovery confirmed that the kind is not served. The reflector looks again from time to time. */
  afterNotServed(error) {
    const transition = transitions.discovery['not-served'];
    return this.#follow(transition, transition.next, { error });
  }
  /** The server has not reached the version last seen: it was restored or replaced. */
  afterServerBehind() {
    const transition = transitions.checking['server-behind'];
    return this.#follow(transition, transition.next, {});
  }
  /** The loop of the reflector threw. */
  afterDefect(error) {
    return this.#follow(transitions.loop.defect, transitions.loop.defect.next, { error });
  }
  /** The request for the server's version failed: it is sent again after the next silent watch. */
  versionUnknown() {
    this.#isServerUnverified = true;
  }
  /**
   * A server that was restored or replaced sends nothing to a watch that starts at a version it has not reached. So
   * if a watch broke or was silent for long, and the next one is silent for long too, the server has to confirm the
   * version, unless versions have no order.
   */
  #mayBeBehind({ opened, lived, frames }) {
    const isSilent = opened && frames === 0;
    return (
      this.#isServerUnverified && isSilent && lived >= STABLE_CONNECTION_MS && !this.isUnordered
    );
  }
  #countWatch(end, mayBeBehind) {
    const { how, opened, lived, frames, error } = end;
    const isSilent = opened && frames === 0;
    const isStable = lived >= STABLE_CONNECTION_MS;
    const broke = how === 'idle' ? !isSilent : how !== 'ended';
    const leavesUnverified = this.#isServerUnverified || isStable;
    this.#isServerUnverified = broke || (isSilent && leavesUnverified && !mayBeBehind);
    if (isStable) this.#short.reset();
    if (how === 'status' || !opened) return;
    if (hasCode3(error, 'WATCH_WENT_BACK')) this.#versionsWentBack++;
    else if (isStable && !this.isUnordered) this.#versionsWentBack = 0;
    if (how === 'idle') return;
    this.#instantEnds = isSilent && lived < INSTANT_END_MS ? this.#instantEnds + 1 : 0;
  }
  #follow(transition, next, attempt) {
    if (transition.fromNewest === true) this.#fromNewest = true;
    if (transition.withoutWatchList === true) {
      this.#options.support.unsupported();
      this.#cuts = 0;
    }
    this.#reportHealth(transition, attempt);
    const delay = this.#delay(transition.delay, attempt);
    return delay === 0 ? next : { name: 'waiting', delay, next };
  }
  #delay(delay, attempt) {
    const { error, end } = attempt;
    const isStable = end !== void 0 && end.lived >= STABLE_CONNECTION_MS;
    switch (delay) {
      case 'none':
        return 0;
      case 'spread':
        return end?.reachedTimeout === true ? 0 : this.#options.spread.delay();
      case 'short':
        return isStable ? this.#delay('spread', attempt) : this.#unstable(error);
      case 'first-free':
        return this.#first(attempt);
      case 'failures':
        return this.#failed(error);
      case 'slow':
        return this.#slow.next();
      case 'long':
        return LONG_DELAY_MS;
    }
  }
  /** The first attempt is not delayed. It counts, so that the next one is. */
  #first(attempt) {
    if (!this.#short.isFresh) return this.#delay('short', attempt);
    this.#short.next();
    return this.#delay('spread', attempt);
  }
  #unstable(error) {
    this.#options.health.bad('backing-off', 'the connection did not last', error);
    return this.#short.next();
  }
  #failed(error) {
    const retryAfter = retryAfterMs(error);
    const reason = retryAfter > 0 ? 'the server asked to wait' : 'the attempt failed';
    this.#options.health.bad('backing-off', reason, error);
    return Math.max(this.#failures.next(), retryAfter);
  }
  #reportHealth({ health, next }, { error }) {
    const { subject, health: record } = this.#options;
    if (health === 'stale') record.bad('stale', 'the stream has been silent for too long', error);
    if (health === 'parked') record.bad('parked', `the server does not serve ${subject}`, error);
    if (health === 'over-budget') record.bad('over-budget', 'the memory budget is used up', error);
    if (health !== 'forbidden') return;
    const verb = next.name === 'watching' ? 'watch' : 'list';
    record.bad('forbidden', `the server does not allow to ${verb} ${subject}`, error, verb);
  }
};
function stateAfterWatch(next, end) {
  switch (next.name) {
    case 'watching':
    case 'checking':
      return { name: next.name, cause: next.cause ?? restartCause(end) };
    case 'listing':
    case 'relisting':
      return next;
  }
}
function stateAfterList({ name, cause }, last) {
  return { name, cause: cause ?? last };
}
function restartCause({ how }) {
  if (how === 'idle') return 'idle';
  return how === 'ended' ? 'end' : 'broken';
}
function retryAfterMs(error) {
  const seconds = statusOf3(error)?.details?.retryAfterSeconds;
  return typeof seconds === 'number' ? Math.min(seconds * 1e3, MAX_RETRY_AFTER_MS) : 0;
}

// packages/informer/src/reflector/requested-relist.ts
var RequestedRelist = class {
  #isDue = false;
  /** A reflector begins with a list. */
  #isListing = true;
  #result;
  /** True if the reflector must list again instead of the present attempt. */
  get isDue() {
    return this.#isDue;
  }
  /**
   * Resolves after the next list. A list that has begun and not ended counts too. `interrupt` ends
   * the present attempt or pause; it is called once per relist.
   */
  async request(interrupt) {
    if (this.#result === void 0) {
      this.#result = Promise.withResolvers();
      this.#isDue = !this.#isListing;
      interrupt();
    }
    await this.#result.promise;
  }
  /** Returns true once if the reflector must list again. */
  take() {
    const isDue = this.#isDue;
    this.#isDue = false;
    return isDue;
  }
  listing() {
    this.#isListing = true;
  }
  /** The handlers have received the differences of a list. */
  synced() {
    this.#isListing = false;
    this.#result?.resolve();
    this.#result = void 0;
  }
  /** The reflector stops. */
  stop(error) {
    this.#result?.reject(error);
    this.#result = void 0;
  }
};

// packages/informer/src/reflector/watch-stream.ts
import {
  hasCode as hasCode4,
  statusOf as statusOf4,
  StatusError,
  TimeSlice as TimeSlice5,
} from '@keelson/apimachinery';

// packages/informer/src/reflector/bookmark.ts
function readBookmark(frame) {
  const { metadata } = objectOf(frame);
  return {
    // An empty version is ignored: a watch from it would start with the initial state again.
    resourceVersion: metadata?.resourceVersion || void 0,
    endsInitialEvents: metadata?.annotations?.['k8s.io/initial-events-end'] === 'true',
  };
}
function objectOf({ format, buffer, from, to, object }) {
  try {
    return (format === void 0 ? object : format.decode(buffer, from, to)) ?? {};
  } catch (error) {
    throw informerError('OBJECT_MALFORMED', {}, error);
  }
}

// packages/informer/src/reflector/watch-stream.ts
var OPEN_TIMEOUT_MS = 3e4;
var INITIAL_IDLE_TIMEOUT_MS = 1e4;
var INITIAL_STATE_TIMEOUT_MS = 12e4;
var LIFETIME_MARGIN_MS = 1e4;
var CLOCK_TOLERANCE_MS = 1e3;
var MIN_WATCH_SECONDS = 300;
var MAX_WATCH_SECONDS = 600;
var OUTER_FAULTS = ['OBJECT_MALFORMED', 'WATCH_WENT_BACK', 'MEMORY_BUDGET_EXCEEDED'];
var WatchStream = class {
  #options;
  #request;
  #slice;
  /** The initial state while it arrives. */
  #replacement;
  #openedAt;
  #frames = 0;
  #idle = false;
  #defect;
  #complete = false;
  constructor(options, request) {
    this.#options = options;
    this.#request = request;
    this.#slice = new TimeSlice5(options.now);
  }
  /** Throws only on a bug in Keelson; every other end is a `StreamEnd`. */
  async run() {
    const { sink, watchdog } = this.#options;
    if (this.#request.sendInitialEvents === true) this.#replacement = sink.replacement();
    watchdog.start(OPEN_TIMEOUT_MS, () => this.#abortIdle());
    try {
      await this.#read();
      return this.#end('ended', informerError('WATCH_ENDED'));
    } catch (error) {
      return this.#failed(error);
    } finally {
      watchdog.stop();
    }
  }
  async #read() {
    const { listerWatcher, abort, onActivity, watchdog } = this.#options;
    for await (const batch of listerWatcher.watch({ ...this.#request, signal: abort.signal })) {
      abort.signal.throwIfAborted();
      onActivity();
      if (this.#openedAt === void 0) this.#opened();
      if (batch.frames.length > 0) watchdog.event();
      await this.#take(batch).catch((error) => this.#recordDefect(error));
      if (this.#replacement !== void 0 && this.#age() > INITIAL_STATE_TIMEOUT_MS) this.#abortIdle();
    }
    abort.signal.throwIfAborted();
  }
  /**
   * Records an error of the sink as a bug, unless it comes from outside or the stream was aborted.
   */
  #recordDefect(error) {
    const isOuterFault =
      statusOf4(error) !== void 0 || OUTER_FAULTS.some((code) => hasCode4(error, code));
    if (!isOuterFault && !this.#options.abort.signal.aborted) this.#defect = { error };
    throw error;
  }
  async #take({ frames, receivedAt }) {
    this.#slice.resume();
    for (const frame of frames) {
      this.#frames++;
      const replacement = this.#replacement;
      if (replacement === void 0) this.#change(frame, receivedAt);
      else if (frame.type !== 'BOOKMARK') this.#initial(replacement, frame);
      else await this.#initialBookmark(replacement, frame, receivedAt);
      if (this.#slice.isDue()) await this.#pause();
    }
    if (frames.length === 0 && this.#slice.isDueWithoutWork()) await this.#pause();
  }
  async #pause() {
    await this.#slice.pause();
    this.#options.abort.signal.throwIfAborted();
  }
  #opened() {
    const { now, watchdog, onLive, onSyncing } = this.#options;
    this.#openedAt = now();
    if (this.#replacement === void 0) {
      watchdog.limit(this.#lifetime());
      return onLive();
    }
    watchdog.limit(INITIAL_IDLE_TIMEOUT_MS);
    return onSyncing();
  }
  /** Processes a frame after the initial state. */
  #change(frame, receivedAt) {
    if (frame.type === 'ERROR') throw errorOf(frame);
    if (frame.type === 'BOOKMARK') {
      this.#options.watchdog.bookmark();
      this.#progress(readBookmark(frame).resourceVersion);
      return;
    }
    const version = this.#options.sink.apply(frame, receivedAt);
    if (version !== void 0) this.#options.onVersion(version);
  }
  /** Processes a frame of the initial state. Readers do not see the state until it is complete. */
  #initial(replacement, frame) {
    if (frame.type === 'ERROR') throw errorOf(frame);
    if (frame.type === 'DELETED') replacement.delete(frame);
    else replacement.put(frame);
  }
  async #initialBookmark(replacement, frame, receivedAt) {
    const { resourceVersion, endsInitialEvents } = readBookmark(frame);
    if (!endsInitialEvents || resourceVersion === void 0) return;
    this.#replacement = void 0;
    this.#options.watchdog.stop();
    await replacement.commit(resourceVersion, receivedAt);
    this.#options.abort.signal.throwIfAborted();
    this.#complete = true;
    this.#options.onVersion(resourceVersion);
    this.#options.onSynced();
    this.#options.watchdog.limit(this.#lifetime());
    this.#options.watchdog.bookmark();
    this.#options.onLive();
  }
  #progress(resourceVersion) {
    if (resourceVersion === void 0) return;
    this.#options.sink.progress(resourceVersion);
    this.#options.onVersion(resourceVersion);
  }
  #lifetime() {
    return this.#requestedMs() + LIFETIME_MARGIN_MS;
  }
  #requestedMs() {
    return (this.#request.timeoutSeconds ?? 0) * 1e3;
  }
  #age() {
    return this.#openedAt === void 0 ? 0 : this.#options.now() - this.#openedAt;
  }
  #abortIdle() {
    this.#idle = true;
    this.#options.abort.abort();
  }
  #failed(error) {
    if (this.#defect !== void 0) throw this.#defect.error;
    if (this.#idle) {
      const code = this.#replacement === void 0 ? 'WATCH_IDLE' : 'WATCH_LIST_SILENT';
      return this.#end('idle', informerError(code));
    }
    const how = statusOf4(error) === void 0 ? 'broken' : 'status';
    return this.#end(how, asError(error));
  }
  #end(how, error) {
    return {
      how,
      error,
      opened: this.#openedAt !== void 0,
      lived: this.#age(),
      frames: this.#frames,
      complete: this.#complete,
      reachedTimeout: how === 'ended' && this.#age() >= this.#requestedMs() - CLOCK_TOLERANCE_MS,
    };
  }
};
function watchSeconds(random) {
  return Math.round(MIN_WATCH_SECONDS + random() * (MAX_WATCH_SECONDS - MIN_WATCH_SECONDS));
}
function errorOf(frame) {
  return new StatusError(objectOf(frame));
}

// packages/informer/src/reflector/reflector.ts
var IDLE_TIMEOUT_MS = 6e4;
var Reflector = class {
  #options;
  #recovery;
  #watchdog;
  #pause = new Pause();
  #relist = new RequestedRelist();
  #source;
  #abort = new AbortController();
  /** The server has started to serve the kind; the present attempt may have started before. */
  #wakeRequested = false;
  #stopped = false;
  /** The version up to which the store is current; `""` before the first sync. */
  #version = '';
  #listCause = 'initial';
  #lastActivityAt;
  constructor(options) {
    this.#options = options;
    this.#recovery = new Recovery(options);
    this.#watchdog = new IdleWatchdog(options.now);
  }
  /** The time of the last data from the server, in monotonic milliseconds. */
  get lastActivityAt() {
    return this.#lastActivityAt;
  }
  /** Runs until `stop`; the promise settles when the last request has ended. */
  async run() {
    let state = { name: 'relisting', cause: 'initial' };
    while (!this.#stopped) {
      if (this.#relist.take()) state = { name: 'relisting', cause: 'requested' };
      state = await this.#step(state).catch((error) => this.#restart(error));
    }
  }
  stop() {
    this.#stopped = true;
    this.#abort.abort();
    this.#pause.end();
    this.#relist.stop(informerError('CACHE_CLOSED'));
  }
  /** Lists again at once. Resolves when the handlers have received the differences. */
  async relist() {
    if (this.#stopped) throw informerError('CACHE_CLOSED');
    await this.#relist.request(() => {
      if (this.#relist.isDue) this.#abort.abort();
      this.#pause.end();
    });
  }
  /** Retries now, or after a running attempt: the server has started to serve the kind. */
  wake() {
    this.#wakeRequested = true;
    if (this.#isParked) this.#pause.end();
  }
  /** True while the reflector waits to be woken. */
  get #isParked() {
    const { state } = this.#options.health.current;
    return state === 'parked' || state === 'over-budget';
  }
  async #step(state) {
    switch (state.name) {
      case 'relisting': {
        this.#wakeRequested = false;
        if (this.#recovery.isUnordered) this.#options.sink.distrustVersions();
        const name = this.#options.support.isExpected ? 'watch-listing' : 'listing';
        return { name, cause: state.cause };
      }
      case 'watch-listing':
        return this.#watchList(state.cause);
      case 'listing':
        return this.#list(state.cause);
      case 'watching':
        return this.#watch(state.cause);
      case 'checking':
        return this.#checkVersion(state.cause);
      case 'waiting':
        if (!(this.#wakeRequested && this.#isParked)) await this.#pause.wait(state.delay);
        this.#wakeRequested = false;
        return state.next;
    }
  }
  async #watchList(cause) {
    this.#beginList(cause);
    const end = await this.#stream({
      resourceVersion: this.#recovery.needsNewest ? '' : this.#version,
      resourceVersionMatch: 'NotOlderThan',
      sendInitialEvents: true,
    });
    if (this.#relist.isDue) return { name: 'relisting', cause: 'requested' };
    if (end.how !== 'ended' || !end.complete) this.#report(end.error);
    return this.#recovery.afterWatchList(end, cause);
  }
  async #list(cause) {
    this.#beginList(cause);
    const signal = this.#begin();
    this.#watchdog.start(IDLE_TIMEOUT_MS, () => this.#abort.abort(informerError('WATCH_IDLE')));
    try {
      const start = this.#recovery.needsNewest ? '' : this.#version || '0';
      this.#version = await this.#open().lists.read(start, signal);
      this.#synced();
      return { name: 'watching', cause: void 0 };
    } catch (error) {
      return await this.#afterFailedList(asError(signal.aborted ? signal.reason : error), cause);
    } finally {
      this.#watchdog.stop();
    }
  }
  #beginList(cause) {
    this.#relist.listing();
    this.#listCause = cause;
    this.#options.health.listing(cause);
    this.#options.observer.listing(cause);
  }
  async #afterFailedList(error, cause) {
    this.#report(error);
    if (!(await this.#isGone(error))) return this.#recovery.afterFailedList(error, cause);
    if (this.#version !== '') await this.#removeAll();
    return this.#recovery.afterNotServed(error);
  }
  /** Returns true if a 404 means that the kind is not served; discovery must confirm it. */
  async #isGone(error) {
    if (!isNotFound2(error) || this.#stopped) return false;
    const { listerWatcher } = this.#open();
    if (listerWatcher.isServed === void 0) return true;
    const signal = this.#begin();
    this.#watchdog.start(IDLE_TIMEOUT_MS, () => this.#abort.abort(informerError('WATCH_IDLE')));
    try {
      const isServed = await listerWatcher.isServed(signal);
      return !isServed && !signal.aborted;
    } catch (unconfirmed) {
      this.#report(asError(unconfirmed));
      return false;
    } finally {
      this.#watchdog.stop();
    }
  }
  /** Removes every object, because the server does not serve the kind. */
  async #removeAll() {
    this.#version = '';
    await this.#options.sink.replacement().commit('', this.#options.now());
  }
  async #watch(cause) {
    if (cause !== void 0) this.#options.observer.restarting(cause);
    const end = await this.#stream({ resourceVersion: this.#version });
    if (this.#relist.isDue) return { name: 'relisting', cause: 'requested' };
    if (end.how !== 'ended') this.#report(end.error);
    return this.#recovery.afterWatch(end);
  }
  /** Reads one object at the last seen version to check that the server has reached it. */
  async #checkVersion(cause) {
    const signal = this.#begin();
    this.#watchdog.start(IDLE_TIMEOUT_MS, () => this.#abort.abort(informerError('WATCH_IDLE')));
    try {
      if (await this.#open().lists.isBehind(this.#version, signal)) {
        this.#options.sink.forgetVersions();
        return this.#recovery.afterServerBehind();
      }
    } catch (error) {
      this.#report(asError(error));
      this.#recovery.versionUnknown();
    } finally {
      this.#watchdog.stop();
    }
    return { name: 'watching', cause };
  }
  async #stream(request) {
    const { sink, now, random, health } = this.#options;
    this.#begin();
    return new WatchStream(
      {
        listerWatcher: this.#open().listerWatcher,
        sink,
        now,
        watchdog: this.#watchdog,
        abort: this.#abort,
        onActivity: () => this.#onActivity(),
        onSyncing: () => health.syncing(this.#listCause),
        onLive: () => health.live(),
        onSynced: () => this.#synced(),
        onVersion: (version) => void (this.#version = version),
      },
      {
        ...request,
        allowWatchBookmarks: true,
        timeoutSeconds: watchSeconds(random),
      },
    ).run();
  }
  #synced() {
    this.#recovery.synced();
    this.#relist.synced();
  }
  /** Starts a new request, which `stop` can abort. */
  #begin() {
    this.#abort = new AbortController();
    if (this.#stopped) this.#abort.abort();
    return this.#abort.signal;
  }
  /** Creates the source in the first step, so that its errors cause a retry like other failures. */
  #open() {
    if (this.#source !== void 0) return this.#source;
    const { sink, pageSize, now, observer, health } = this.#options;
    const listerWatcher = this.#options.listerWatcher();
    const lists = new ListReader({
      listerWatcher,
      sink,
      pageSize,
      now,
      onRestart: (cause) => observer.listing(cause),
      onActivity: () => {
        health.syncing(this.#listCause);
        this.#onActivity();
      },
    });
    this.#source = { listerWatcher, lists };
    return this.#source;
  }
  #onActivity() {
    this.#watchdog.activity();
    this.#lastActivityAt = this.#options.now();
  }
  #report(error) {
    if (!this.#stopped && !this.#relist.isDue) this.#options.observer.error(error);
  }
  #restart(error) {
    if (!this.#stopped) this.#options.observer.loopRestarted(error);
    return this.#recovery.afterDefect(asError(error));
  }
};

// packages/informer/src/informer/informer-reflector.ts
function reflectorOf(options, parts) {
  const { identity, observer, support, spread, pageSize, now, random } = options;
  explainForbidden(parts.health, parts.listerWatcher);
  return new Reflector({
    ...parts,
    subject: subjectOf(identity.query),
    support,
    spread,
    pageSize,
    now,
    random,
    observer: {
      listing: (cause) => observer.listing?.(identity, cause),
      restarting: (cause) => observer.restarting?.(identity, cause),
      error: (error) => observer.watchError?.(identity, error),
      loopRestarted: (error) => observer.loopRestarted?.(identity, error),
    },
  });
}
function explainForbidden(health, listerWatcher) {
  const stop = new AbortController();
  let explained = 0;
  const changed = (current) => {
    if (current.state === 'stopped') stop.abort();
    if (current.state !== 'forbidden' || current.attempts === explained) return;
    explained = current.attempts;
    void explain(current, health, () =>
      listerWatcher().missingRule?.(current.verb ?? 'list', stop.signal),
    );
  };
  health.onChange(changed, () => void 0);
}
async function explain({ verb, lastError }, health, find) {
  try {
    const rule = await find();
    if (rule !== void 0) health.explain(verb, `${userOf(lastError)} ${textOf2(rule)}`);
  } catch {}
}
function userOf(error) {
  const [, user] = /User "([^"]*)"/.exec(error?.message ?? '') ?? [];
  return `the rules of ${user ?? 'its user'} lack`;
}
function textOf2({ apiGroups, resources, verbs }) {
  const [groups, plurals, actions] = [apiGroups, resources, verbs].map((list) =>
    Array.from(list, (each) => `'${each}'`).join(', '),
  );
  return `{ apiGroups: [${groups}], resources: [${plurals}], verbs: [${actions}] }`;
}

// packages/informer/src/store/store.ts
import { TimeSlice as TimeSlice8 } from '@keelson/apimachinery';

// packages/informer/src/memory/slab.ts
var SAMPLES = 8;
var Slab = class {
  encoding;
  buffer;
  /** Bytes of the objects that are in the store. */
  live = 0;
  /**
   * The object of each slot. A retired slot is `undefined`, so that the slab does not keep its
   * object alive.
   */
  tenants = [];
  /** Objects that left the store; user code may have views of them. */
  #retired = [];
  /** The end of each slot; a slot starts at the end of the previous one. */
  ends = [];
  /** The slots before this one are free. */
  #firstSlot = 0;
  constructor(encoding, memory) {
    this.encoding = encoding;
    this.buffer = memory;
  }
  get used() {
    return this.ends.at(-1) ?? 0;
  }
  start(slot) {
    return slot === 0 ? 0 : (this.ends[slot - 1] ?? 0);
  }
  end(slot) {
    return this.ends[slot] ?? 0;
  }
  bytes(slot) {
    return this.buffer.subarray(this.start(slot), this.end(slot));
  }
  /** Returns where the object of a slot is as its format has it. */
  text(slot) {
    const { compression } = this.encoding;
    if (compression === void 0) {
      return { buffer: this.buffer, from: this.start(slot), to: this.end(slot) };
    }
    const buffer = compression.inflate(this.bytes(slot));
    return { buffer, from: 0, to: buffer.length };
  }
  /** The first object of the slab that is in the store. */
  get first() {
    while (this.tenants[this.#firstSlot] === void 0 && this.#firstSlot < this.ends.length) {
      this.#firstSlot++;
    }
    return this.tenants[this.#firstSlot];
  }
  /** True if user code may have views of objects that left the store. */
  get mayHaveViews() {
    return this.#retired.length > 0;
  }
  /** True if the slab has only the metadata of its objects. */
  get isHeadOnly() {
    return this.encoding.isHeadOnly;
  }
  /** The bytes of some objects, from all parts of the slab. */
  *samples() {
    const count = this.ends.length;
    const step = Math.max(1, Math.floor(count / SAMPLES));
    for (let slot = 0; slot < count; slot += step) yield this.bytes(slot);
  }
  /** Marks an object that left the store. */
  retire(tenant) {
    this.tenants[tenant.slot] = void 0;
    this.#retired.push(new WeakRef(tenant));
  }
  /** Marks all objects of the slab as outside the store. */
  retireAll() {
    for (const tenant of this.tenants) if (tenant !== void 0) this.retire(tenant);
  }
  /** The retired objects that the garbage collector has not collected. */
  views() {
    return this.#retired.flatMap((retired) => {
      const tenant = retired.deref();
      return tenant?.slab === this ? [tenant] : [];
    });
  }
};

// packages/informer/src/memory/slab-pool.ts
import { TimeSlice as TimeSlice6 } from '@keelson/apimachinery';
var POOLED_SLAB_BYTES = 256 * 1024;
var MAX_FREE_SLABS = 64;
var SlabPool = class _SlabPool {
  /**
   * Its registered objects have no other reference, so its callbacks run after a garbage
   * collection. All pools share it, because a registry must not be garbage-collected itself: if that
   * happens while V8 is about to call its callbacks, V8 calls those of no registry any more.
   */
  static #collections = new FinalizationRegistry((next) => next());
  #now;
  #free = [];
  /** Bytes of slabs that were given up and wait for a garbage collection. */
  #waiting = 0;
  /** Slabs of single views, which hold a copy of their bytes. */
  #copies = [];
  #abandoned = [];
  constructor(now = () => performance.now()) {
    this.#now = now;
  }
  /** Bytes that the pool can reuse. */
  get free() {
    return this.#free.length * POOLED_SLAB_BYTES;
  }
  /**
   * Bytes of objects that left their store but whose views user code keeps or, before the next
   * garbage collection, may keep.
   */
  get pinned() {
    this.#copies = this.#copies.filter((copy) => copy.deref() !== void 0);
    const copied = this.#copies.map((copy) => copy.deref()?.buffer.length ?? 0);
    return copied.reduce((sum, bytes) => sum + bytes, this.#waiting);
  }
  /** Returns memory with arbitrary contents. */
  take(size) {
    const free = size === POOLED_SLAB_BYTES ? this.#free.pop() : void 0;
    return free ?? Buffer.allocUnsafeSlow(size);
  }
  /**
   * Reuses the slab: at once if all its objects have moved, otherwise after the next garbage
   * collection. No store may have an object in it or write to it.
   */
  giveUp(slab) {
    if (!slab.mayHaveViews) {
      this.#reuse(slab);
      return;
    }
    this.#waiting += slab.buffer.length;
    this.#afterCollection(() => this.#recycle(slab));
  }
  /**
   * Frees a slab of a removed store. Usually the garbage collector frees the slab with the store.
   */
  abandon(slab) {
    const watched = new WeakRef(slab);
    this.#afterCollection(() => {
      const kept2 = watched.deref();
      if (kept2 === void 0) return;
      this.#abandoned.push(kept2);
      if (this.#abandoned.length === 1) void this.#retireAbandoned();
    });
  }
  #afterCollection(next) {
    _SlabPool.#collections.register({}, next);
  }
  /**
   * One view keeps its slab, and so all other objects in it. Works in slices, because the slabs may
   * be those of a whole store.
   */
  async #retireAbandoned() {
    const slice = new TimeSlice6(this.#now);
    for (let slab = this.#abandoned[0]; slab !== void 0; slab = this.#abandoned[0]) {
      slab.retireAll();
      this.giveUp(slab);
      if (slice.isDue()) await slice.pause();
      this.#abandoned.shift();
    }
  }
  #recycle(slab) {
    this.#waiting -= slab.buffer.length;
    const views = slab.views();
    if (slab.ends.length === 1) {
      if (views.length > 0) this.#copies.push(new WeakRef(slab));
      return;
    }
    for (const view of views) this.#copyOut(view, slab);
    this.#reuse(slab);
  }
  #reuse({ buffer }) {
    if (buffer.length === POOLED_SLAB_BYTES && this.#free.length < MAX_FREE_SLABS) {
      this.#free.push(buffer);
    }
  }
  #copyOut(view, from) {
    const bytes = from.buffer.subarray(from.start(view.slot), from.end(view.slot));
    const copy = Buffer.allocUnsafeSlow(bytes.length);
    bytes.copy(copy);
    const slab = new Slab(from.encoding, copy);
    slab.ends.push(copy.length);
    view.slab = slab;
    view.slot = 0;
    this.#copies.push(new WeakRef(slab));
  }
};

// packages/informer/src/memory/arena.ts
var MIN_SLAB_BYTES = 16 * 1024;
var MAX_SLAB_BYTES = POOLED_SLAB_BYTES;
var OWN_SLAB_BYTES = MAX_SLAB_BYTES / 8;
var MIN_LIVE_FRACTION = 1 / 2;
var Arena = class {
  /** Bytes of the objects that are in the store. */
  live = 0;
  /** Bytes of the slabs that contain them. */
  allocated = 0;
  #pool;
  #slabs = /* @__PURE__ */ new Set();
  #current;
  #plain;
  constructor(pool) {
    this.#pool = pool;
  }
  /**
   * Copies the bytes of an object, except those that `positions` marks to cut, and records the
   * place in `tenant`.
   */
  write(tenant, format, buffer, from, to, positions) {
    const room = format.cutLength(from, to, positions);
    const slab = this.#slabFor(this.encoding(format), room);
    const at = slab.used;
    const length = format.cut(buffer, from, to, positions, slab.buffer, at);
    this.#settle(tenant, slab, at, length);
  }
  /** Copies bytes as they are, and records the place in `tenant`. */
  append(tenant, encoding, bytes) {
    const slab = this.#slabFor(encoding, bytes.length);
    const at = slab.used;
    slab.buffer.set(bytes, at);
    this.#settle(tenant, slab, at, bytes.length);
  }
  /** The encoding of objects as the format has them. */
  encoding(format) {
    if (this.#plain?.format !== format) {
      this.#plain = { format, compression: void 0, isHeadOnly: false };
    }
    return this.#plain;
  }
  /** Returns the object that was written first, and its place. */
  oldest() {
    for (const slab of this.#slabs) {
      const tenant = slab.first;
      if (tenant !== void 0) return { tenant, slab };
    }
    return void 0;
  }
  contains({ tenant, slab }) {
    return slab === tenant.slab && slab.tenants[tenant.slot] === tenant && this.#slabs.has(slab);
  }
  /** Frees the bytes of an object that gets others. */
  vacate(tenant) {
    const slab = tenant.slab;
    if (slab === void 0) return;
    const length = slab.end(tenant.slot) - slab.start(tenant.slot);
    slab.tenants[tenant.slot] = void 0;
    slab.live -= length;
    this.live -= length;
    if (slab.live === 0) this.#evacuate(slab);
  }
  /** Frees the bytes of an object that left the store. Views of it remain readable. */
  discard(tenant) {
    const slab = tenant.slab;
    if (slab === void 0 || slab.tenants[tenant.slot] !== tenant) return;
    const length = slab.end(tenant.slot) - slab.start(tenant.slot);
    slab.retire(tenant);
    slab.live -= length;
    this.live -= length;
    if (slab.live === 0 || this.#isMostlyDead(slab)) this.#evacuate(slab);
  }
  /**
   * Takes over all slabs of another arena, which is empty afterwards.
   */
  adopt(other) {
    this.live += other.live;
    this.allocated += other.allocated;
    for (const slab of other.#slabs) this.#slabs.add(slab);
    if (other.#current !== void 0) this.#current = other.#current;
    other.#forget();
  }
  /** Frees all slabs. Views of the objects remain readable. */
  abandon() {
    for (const slab of this.#slabs) this.#pool.abandon(slab);
    this.#forget();
  }
  #forget() {
    this.#slabs.clear();
    this.#current = void 0;
    this.live = 0;
    this.allocated = 0;
  }
  #isMostlyDead(slab) {
    return slab !== this.#current && slab.live < slab.buffer.length * MIN_LIVE_FRACTION;
  }
  #evacuate(slab) {
    if (slab === this.#current) {
      if (slab.live > 0) return;
      this.#current = void 0;
    }
    this.allocated -= slab.buffer.length;
    this.live -= slab.live;
    slab.live = 0;
    slab.tenants.forEach((tenant, slot) => {
      if (tenant !== void 0) this.#move(tenant, slab, slot);
    });
    slab.tenants.length = 0;
    this.#slabs.delete(slab);
    this.#pool.giveUp(slab);
  }
  #move(tenant, from, slot) {
    const start = from.start(slot);
    const length = from.end(slot) - start;
    const slab = this.#slabFor(from.encoding, length);
    const at = slab.used;
    from.buffer.copy(slab.buffer, at, start, start + length);
    this.#settle(tenant, slab, at, length);
  }
  #settle(tenant, slab, at, length) {
    tenant.slab = slab;
    tenant.slot = slab.ends.length;
    slab.tenants.push(tenant);
    slab.ends.push(at + length);
    slab.live += length;
    this.live += length;
  }
  #slabFor(encoding, room) {
    const current = this.#current;
    if (room >= OWN_SLAB_BYTES) return this.#allocate(encoding, room);
    if (current !== void 0 && hasRoom(current, encoding, room)) return current;
    const size = Math.min(MAX_SLAB_BYTES, Math.max(MIN_SLAB_BYTES, this.live / 4, room));
    const slab = this.#allocate(encoding, Math.ceil(size));
    this.#current = slab;
    return slab;
  }
  #allocate(encoding, size) {
    this.allocated += size;
    const slab = new Slab(encoding, this.#pool.take(size));
    this.#slabs.add(slab);
    return slab;
  }
};
function hasRoom({ encoding, buffer, used }, wanted, room) {
  const { format, compression } = encoding;
  const isSame2 = format === wanted.format && compression === wanted.compression;
  return isSame2 && buffer.length - used >= room;
}

// packages/informer/src/memory/compression.ts
import { deflateRaw, deflateRawSync, inflateRawSync } from 'node:zlib';
import { promisify } from 'node:util';
var DICTIONARY_BYTES = 8 * 1024;
var LEVEL = 3;
var WINDOW_BITS = 14;
var MEMORY_LEVEL = 6;
var INFLATED_CHUNK_BYTES = 8 * 1024;
var deflateInThread = promisify(deflateRaw);
var Compression = class {
  #dictionary;
  #encoding;
  /** True if the dictionary is known, which never changes again. */
  get hasLearned() {
    return this.#dictionary !== void 0;
  }
  /** Makes the dictionary from objects. */
  learn(samples) {
    const parts = [];
    let room = DICTIONARY_BYTES;
    for (const sample of samples) {
      if (room <= 0) break;
      parts.push(sample.subarray(0, room));
      room -= sample.length;
    }
    this.#dictionary = Buffer.concat(parts);
  }
  /** The encoding of the slabs with the deflated objects of a format. */
  encoding(format) {
    if (this.#encoding?.format !== format) {
      this.#encoding = { format, compression: this, isHeadOnly: false };
    }
    return this.#encoding;
  }
  deflate(bytes) {
    return deflateRawSync(bytes, this.#deflateOptions());
  }
  /** Deflates in another thread. `bytes` must not change meanwhile. */
  deflateLarge(bytes) {
    return deflateInThread(bytes, this.#deflateOptions());
  }
  inflate(bytes) {
    const dictionary = this.#dictionary ?? NOTHING;
    return inflateRawSync(bytes, { dictionary, chunkSize: INFLATED_CHUNK_BYTES });
  }
  #deflateOptions() {
    const dictionary = this.#dictionary ?? NOTHING;
    return { dictionary, level: LEVEL, windowBits: WINDOW_BITS, memLevel: MEMORY_LEVEL };
  }
};
var NOTHING = Buffer.alloc(0);

// packages/informer/src/memory/head-only.ts
import { jsonFormat as jsonFormat2 } from '@keelson/apimachinery';
var headOnly = { format: jsonFormat2, compression: void 0, isHeadOnly: true };
function headOf(slab, slot) {
  const { buffer, from, to } = slab.text(slot);
  try {
    const { metadata } = slab.encoding.format.decode(buffer, from, to);
    return Buffer.from(JSON.stringify({ metadata }));
  } catch {
    return buffer.subarray(from, to);
  }
}

// packages/informer/src/memory/packer.ts
import { inspect as inspect2 } from 'node:util';
import { startTimer as startTimer2, TimeSlice as TimeSlice7 } from '@keelson/apimachinery';
var REST_MS = 1e3;
var Packer = class {
  #options;
  #stopTimer;
  #isRunning = false;
  #isStopped = false;
  #hasFailed = false;
  constructor(options) {
    this.#options = options;
  }
  /** Starts in a second, unless it runs or will start. */
  startLater() {
    if (this.#isStopped || this.#isRunning) return;
    this.#stopTimer ??= startTimer2(REST_MS, () => this.start());
  }
  /** Starts with the next turn of the event loop. */
  start() {
    this.#stopTimer?.();
    this.#stopTimer = void 0;
    if (this.#isStopped || this.#isRunning) return;
    this.#isRunning = true;
    void this.#run();
  }
  stop() {
    this.#isStopped = true;
    this.#stopTimer?.();
    this.#stopTimer = void 0;
  }
  async #run() {
    try {
      await this.#packAll();
      this.#isRunning = false;
    } catch (error) {
      this.#isRunning = false;
      this.#warn(error);
      this.startLater();
    }
  }
  async #packAll() {
    const slice = new TimeSlice7(this.#options.now);
    await slice.pause();
    while (!this.#isStopped) {
      const packed = this.#options.packNext();
      if (packed === false) break;
      if (packed !== true) await packed;
      if (slice.isDue()) await slice.pause();
    }
  }
  /** Reports the first failure as a process warning: no call of user code waits for the result. */
  #warn(error) {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    process.emitWarning(`objects stay uncompressed: ${inspect2(error)}`, {
      type: 'KeelsonWarning',
      code: 'COMPRESSION_FAILED',
    });
  }
};

// packages/informer/src/memory/object-bytes.ts
var MAX_WAITING_BYTES = 16 * 1024 * 1024;
var PACKED_PER_WRITE = 2;
var LARGE_OBJECT_BYTES = 64 * 1024;
var EXPECTED_RATIO = 1 / 8;
var HEAP_PER_PARSED_BYTE = 1.5;
var HEAP_PER_OBJECT = 300;
var ObjectBytes = class _ObjectBytes {
  #options;
  #compression;
  /** Objects as they came. */
  #plain;
  #compressed;
  #heads;
  #packer;
  #retention;
  #parsed = 0;
  /** Bytes before and after packing, with the present retention. */
  #packed = { from: 0, to: 0 };
  constructor(options) {
    const { slabs, now, retention = 'lazy', compression = new Compression() } = options;
    this.#options = options;
    this.#retention = retention;
    this.#compression = compression;
    this.#plain = new Arena(slabs);
    this.#compressed = new Arena(slabs);
    this.#heads = new Arena(slabs);
    this.#packer = new Packer({ now, packNext: () => this.#packNext() });
  }
  /** How new objects are kept. */
  get retention() {
    return this.#retention;
  }
  /** Keeps new objects in this way. Stored objects stay as they are, except those to pack. */
  retainAs(retention) {
    if (retention === this.#retention) return;
    this.#retention = retention;
    this.#packed = { from: 0, to: 0 };
  }
  /** Bytes of the objects that are in the store. */
  get live() {
    return this.#plain.live + this.#compressed.live + this.#heads.live;
  }
  /** Bytes of the objects that are as they came. */
  get plain() {
    return this.#plain.live;
  }
  /** Bytes of the slabs that contain them. */
  get allocated() {
    return this.#plain.allocated + this.#compressed.allocated + this.#heads.allocated;
  }
  /** The length of the text of the objects that are kept parsed. */
  get parsed() {
    return this.#parsed;
  }
  /** True if some objects have no body, because of the retention `metadata`. */
  get hasDroppedBodies() {
    return this.#heads.live > 0;
  }
  /** The bytes that packing will free. */
  get packable() {
    if (!this.#isPacking) return 0;
    const waiting = this.#plain.live + (this.#retention === 'metadata' ? this.#compressed.live : 0);
    return waiting * (1 - this.#ratio);
  }
  /** The bytes that the packed objects would take in addition if they were not packed. */
  get packedAway() {
    if (!this.#isPacking) return 0;
    const { live } = this.#retention === 'metadata' ? this.#heads : this.#compressed;
    return live / this.#ratio - live;
  }
  /** Returns empty bytes for the next state of the store, kept in the same way. */
  successor() {
    const { retention } = this;
    return new _ObjectBytes({ ...this.#options, retention, compression: this.#compression });
  }
  /**
   * Copies the bytes of an object, except those that `positions` marks to cut, and records the
   * place in `tenant`.
   */
  write(tenant, format, buffer, from, to, positions) {
    this.#options.growth?.add(to - from);
    this.#plain.write(tenant, format, buffer, from, to, positions);
    if (this.#isPacking) this.#limitWaiting();
  }
  /** Copies the bytes of an object as they are. */
  append(tenant, format, bytes) {
    this.#options.growth?.add(bytes.length);
    this.#plain.append(tenant, this.#plain.encoding(format), bytes);
    if (this.#isPacking) this.#limitWaiting();
  }
  /** Counts an object that is kept parsed, by the length of its text. */
  addParsed(tenant, length) {
    this.#options.growth?.add(length);
    tenant.slot = length;
    this.#parsed += length;
  }
  /** Replaces the metadata of an object by its whole bytes. */
  restore(tenant, source) {
    if (tenant.slab === void 0 || source.slab === void 0) return;
    const { format } = source.slab.encoding;
    this.#arenaOf(tenant.slab).vacate(tenant);
    this.#plain.append(tenant, this.#plain.encoding(format), source.slab.bytes(source.slot));
  }
  /** Frees the bytes of an object that left the store. Views of it remain readable. */
  discard(tenant) {
    if (tenant.slab === void 0) {
      this.#parsed -= tenant.slot;
      tenant.slot = 0;
    } else this.#arenaOf(tenant.slab).discard(tenant);
  }
  /** Packs what waits for it, a second later. Called after each change of the store. */
  settle() {
    if (this.#isPacking && this.#oldest() !== void 0) this.#packer.startLater();
  }
  /** Takes over all bytes of a stage, which has none afterwards. */
  adopt(stage) {
    this.#plain.adopt(stage.#plain);
    this.#compressed.adopt(stage.#compressed);
    this.#heads.adopt(stage.#heads);
    this.#parsed += stage.#parsed;
    stage.#parsed = 0;
    this.settle();
  }
  /** Frees all bytes. Views of the objects remain readable. */
  abandon() {
    this.#packer.stop();
    this.#parsed = 0;
    for (const arena of [this.#plain, this.#compressed, this.#heads]) arena.abandon();
  }
  get #isPacking() {
    return this.#retention === 'compressed' || this.#retention === 'metadata';
  }
  get #ratio() {
    const { from, to } = this.#packed;
    return from === 0 ? EXPECTED_RATIO : to / from;
  }
  #arenaOf({ encoding }) {
    if (encoding.isHeadOnly) return this.#heads;
    return encoding.compression === void 0 ? this.#plain : this.#compressed;
  }
  /** The object that has waited longest to be packed. */
  #oldest() {
    const plain = this.#plain.oldest();
    return plain ?? (this.#retention === 'metadata' ? this.#compressed.oldest() : void 0);
  }
  /** Bounds the memory of a burst, which a list of very many objects is too. */
  #limitWaiting() {
    for (let count = 0; this.#plain.live > MAX_WAITING_BYTES; count++) {
      const next = this.#oldest();
      const isDone = next === void 0 || count === PACKED_PER_WRITE || isLarge(next);
      if (isDone || !this.#tryPack(next)) return this.#packer.start();
    }
  }
  /** Packs while an object is stored, which must not fail with it. The packer tries again and reports the error. */
  #tryPack(place) {
    try {
      this.#pack(place);
    } catch {
      return false;
    }
    return true;
  }
  /**
   * Packs the object that has waited longest. Returns false if none is left, and a promise for a
   * large one.
   */
  #packNext() {
    const next = this.#isPacking ? this.#oldest() : void 0;
    if (next === void 0) return false;
    if (this.#retention === 'compressed' && isLarge(next)) return this.#deflateLarge(next);
    this.#pack(next);
    return true;
  }
  #pack(place) {
    if (this.#retention === 'metadata') this.#cut(place);
    else this.#deflate(place);
  }
  #deflate(place) {
    this.#learn(place);
    this.#replace(place, this.#compression.deflate(place.slab.bytes(place.tenant.slot)));
  }
  async #deflateLarge(place) {
    this.#learn(place);
    const bytes = place.slab.bytes(place.tenant.slot);
    const deflated = await this.#compression.deflateLarge(bytes);
    if (this.#plain.contains(place)) this.#replace(place, deflated);
  }
  #learn({ slab }) {
    if (!this.#compression.hasLearned) this.#compression.learn(slab.samples());
  }
  #replace({ tenant, slab }, deflated) {
    const encoding = this.#compression.encoding(slab.encoding.format);
    this.#count(tenant, deflated);
    this.#plain.vacate(tenant);
    this.#compressed.append(tenant, encoding, deflated);
  }
  #cut({ tenant, slab }) {
    const head = headOf(slab, tenant.slot);
    this.#count(tenant, head);
    this.#arenaOf(slab).vacate(tenant);
    this.#heads.append(tenant, headOnly, head);
  }
  #count({ slab, slot }, packed) {
    this.#packed.from += slab?.bytes(slot).length ?? 0;
    this.#packed.to += packed.length;
  }
};
function isLarge({ tenant, slab }) {
  return slab.end(tenant.slot) - slab.start(tenant.slot) > LARGE_OBJECT_BYTES;
}
function memoryOf(objects, content) {
  return objects * HEAP_PER_OBJECT + content.live + content.parsed * HEAP_PER_PARSED_BYTE;
}

// packages/informer/src/store/object-index.ts
var NONE = [];
var ObjectIndex = class _ObjectIndex {
  indexer;
  #entries = /* @__PURE__ */ new Map();
  /**
   * The values that the indexer returned when the object was added: a second call might return
   * others.
   */
  #values = /* @__PURE__ */ new Map();
  #onError;
  #failed = (error) => this.#onError(this.indexer.name, error);
  /** Shared with the successors, which are created by a relist. */
  #userCode;
  /** Objects that are not indexed yet, last one first. Some may have left the store. */
  #rest = [];
  #isStored = () => false;
  /** The error of a body that a memory budget has dropped: the index is incomplete until the next list. */
  #notKept;
  constructor(indexer, onError, userCode) {
    this.indexer = indexer;
    this.#onError = onError;
    this.#userCode = userCode ?? new UserCode(this.#failed);
  }
  /** Returns an empty index with the same indexer. */
  successor() {
    return new _ObjectIndex(this.indexer, this.#onError, this.#userCode);
  }
  /** True if every stored object is indexed. */
  get isComplete() {
    return this.#rest.length === 0;
  }
  /** The number of values that have entries. */
  get size() {
    return this.#entries.size;
  }
  add(object) {
    const values = this.#compute(object);
    if (values.length === 0) return;
    this.#values.set(object, kept(values.map((value) => this.#enter(value, object))));
  }
  remove(object) {
    for (const value of listOf(this.#values.get(object))) {
      const objects = this.#entries.get(value)?.objects;
      objects?.delete(object);
      if (objects?.size === 0) this.#entries.delete(value);
    }
    this.#values.delete(object);
  }
  /**
   * Takes objects that were stored before the index existed. `get` finds them at once; `indexNext`
   * indexes them.
   */
  adopt(objects, isStored) {
    this.#rest = Array.from(objects);
    this.#isStored = isStored;
  }
  /** Indexes one of the adopted objects; returns false after the last one. */
  indexNext() {
    const object = this.#rest.pop();
    if (object !== void 0 && this.#isStored(object)) this.add(object);
    return this.#rest.length > 0;
  }
  /**
   * Returns the objects with a value. It costs a lookup and a scan of the objects that are not
   * indexed yet.
   */
  get(value) {
    this.#checkBodies();
    const found = this.#entries.get(value)?.objects ?? [];
    if (this.#rest.length === 0) return found;
    const scanned = this.#scan(value);
    this.#checkBodies();
    return [...found, ...scanned];
  }
  /** Returns every value, including those of objects that are not indexed yet. */
  values() {
    const rest = this.#unindexed().flatMap((object) => this.valuesOf(object));
    this.#checkBodies();
    return [.../* @__PURE__ */ new Set([...this.#entries.keys(), ...rest])];
  }
  /** Returns the values of an object, which may be of another store. */
  valuesOf(object) {
    const known = this.#values.get(object);
    return known === void 0 ? this.#compute(object) : listOf(known);
  }
  /** The number of objects that `get` returns at most. */
  count(value) {
    return (this.#entries.get(value)?.objects.size ?? 0) + this.#rest.length;
  }
  /** True if the indexer returns the value for an object, which may be of another store. */
  matches(object, value) {
    return this.valuesOf(object).includes(value);
  }
  /** Throws `BODY_NOT_KEPT`: without the values of some objects, a result would be incomplete. */
  #checkBodies() {
    if (this.#notKept !== void 0) throw this.#notKept;
  }
  /** Adds an object to the entry of a value, and returns the string of the entry. */
  #enter(value, object) {
    const found = this.#entries.get(value);
    const entry = found ?? { value, objects: /* @__PURE__ */ new Set() };
    if (found === void 0) this.#entries.set(value, entry);
    entry.objects.add(object);
    return entry.value;
  }
  #scan(value) {
    return this.#unindexed().filter((object) => this.matches(object, value));
  }
  #unindexed() {
    return this.#rest.filter((object) => this.#isStored(object));
  }
  /** A body that does not parse has no values until the object is fetched again. */
  #fromBody(indexer, object) {
    try {
      const body = ifReadable(() => object.value(), void 0);
      return body === void 0 ? NONE : this.#userCode.callMethod(indexer, 'body', body);
    } catch (error) {
      this.#notKept = error;
      return FAILED;
    }
  }
  /** An indexer that fails removes the object from the index, not from the store. */
  #compute(object) {
    const { indexer } = this;
    const values =
      'head' in indexer
        ? this.#userCode.callMethod(indexer, 'head', object)
        : this.#fromBody(indexer, object);
    if (values === FAILED) return NONE;
    if (areTexts(values)) return values;
    this.#failed(informerError('INDEXER_RESULT', { indexer: indexer.name }));
    return NONE;
  }
};
function kept(values) {
  const [only] = values;
  return only !== void 0 && values.length === 1 ? only : values;
}
function listOf(values) {
  return typeof values === 'string' ? [values] : (values ?? NONE);
}
function areTexts(values) {
  return Array.isArray(values) && values.every((value) => typeof value === 'string');
}

// packages/informer/src/store/object-table.ts
var ObjectTable = class {
  #buckets = /* @__PURE__ */ new Map();
  /** The bucket of the last object: objects of one namespace often arrive in sequence. */
  #last;
  #size = 0;
  get size() {
    return this.#size;
  }
  /** The number of objects of one namespace, or of all. */
  count(namespace) {
    return namespace === void 0 ? this.#size : (this.#bucket(namespace)?.objects.size ?? 0);
  }
  get({ namespace, name }) {
    return this.#bucket(namespace ?? '')?.objects.get(name);
  }
  /** Stores an object and returns the one that it replaces. */
  set(object) {
    const { objects } = this.#makeBucket(object.namespace ?? '');
    const previous = objects.get(object.name);
    objects.set(object.name, object);
    if (previous === void 0) this.#size++;
    return previous;
  }
  delete({ namespace = '', name }) {
    const bucket = this.#bucket(namespace);
    if (bucket?.objects.delete(name) !== true) return;
    this.#size--;
    if (bucket.objects.size > 0) return;
    this.#buckets.delete(namespace);
    this.#last = void 0;
  }
  /**
   * Returns the one string that all objects of a namespace share; `undefined` for cluster-scoped
   * objects.
   */
  intern(namespace) {
    if (namespace === void 0 || namespace === '') return void 0;
    return this.#makeBucket(namespace).namespace;
  }
  /**
   * Returns the objects of one namespace, or all. One namespace needs no generator, which would be
   * slower.
   */
  values(namespace) {
    if (namespace !== void 0) return this.#bucket(namespace)?.objects.values() ?? [];
    if (this.#buckets.size > 1) return this.#all();
    const [only] = this.#buckets.values();
    return only?.objects.values() ?? [];
  }
  *#all() {
    for (const bucket of this.#buckets.values()) yield* bucket.objects.values();
  }
  #bucket(namespace) {
    if (this.#last?.namespace === namespace) return this.#last;
    const bucket = this.#buckets.get(namespace);
    if (bucket !== void 0) this.#last = bucket;
    return bucket;
  }
  #makeBucket(namespace) {
    const found = this.#bucket(namespace);
    if (found !== void 0) return found;
    const bucket = { namespace, objects: /* @__PURE__ */ new Map() };
    this.#buckets.set(namespace, bucket);
    this.#last = bucket;
    return bucket;
  }
};

// packages/informer/src/store/difference.ts
function* differences(before, after, retire) {
  for (const previous of before.values()) {
    if (after.get(previous) !== void 0) continue;
    retire(previous);
    yield { previous, object: void 0 };
  }
  for (const object of after.values()) {
    const previous = before.get(object);
    if (previous === object) continue;
    if (previous !== void 0) retire(previous);
    yield { previous, object };
  }
}

// packages/informer/src/store/read-scope.ts
import { invalidOption as invalidOption5 } from '@keelson/apimachinery';
function checkName(resource, object) {
  const { namespace, name } = object ?? {};
  if (typeof name !== 'string' || !isText(namespace)) {
    throw invalidOption5('name', 'must be { namespace, name }');
  }
  if (!isOfOtherScope(resource, namespace)) return;
  if (namespace) throw namespaceNotAllowed(resource, namespace);
  throw informerError('NAMESPACE_REQUIRED', { kind: resource.kind, name });
}
function checkNamespaceOf(resource, namespace) {
  if (namespace && isOfOtherScope(resource, namespace)) {
    throw namespaceNotAllowed(resource, namespace);
  }
}
function isOfOtherScope({ namespaced }, namespace) {
  return namespaced === !namespace;
}
function isText(namespace) {
  return namespace === void 0 || typeof namespace === 'string';
}
function namespaceNotAllowed({ kind }, namespace) {
  return informerError('NAMESPACE_NOT_ALLOWED', { kind, namespace });
}

// packages/informer/src/store/selection.ts
import {
  matchesFields,
  matchesLabels,
  parseFieldSelector,
  parseLabelSelector,
  printFieldSelector,
} from '@keelson/apimachinery';
async function readSelection({ candidates, condition }, slice, signal, show = (object) => object) {
  const found = [];
  const take = (object) => {
    if (condition?.(object) === false) return;
    ifReadable(() => void found.push(show(object).value()), void 0);
  };
  await slice.each(Array.from(candidates), take, signal);
  return found;
}
function selection(options, watched) {
  const conditions = [inNamespace(options), byLabels(options), byFields(options, watched)].filter(
    (condition) => condition !== void 0,
  );
  if (conditions.length === 0) return void 0;
  const isSelected = (view) => conditions.every((condition) => condition(view));
  return (view) => ifReadable(() => isSelected(view), false);
}
function inNamespace({ namespace }) {
  if (!namespace) return void 0;
  return (view) => view.namespace === namespace;
}
function byLabels({ labelSelector }) {
  if (labelSelector === void 0 || labelSelector === '') return void 0;
  const requirements = parseLabelSelector(labelSelector);
  return (view) => matchesLabels(requirements, view.metadata.labels);
}
function byFields({ fieldSelector }, watched) {
  if (fieldSelector === void 0 || fieldSelector === '') return void 0;
  const requirements = unwatchedFields(fieldSelector, watched);
  if (requirements.length === 0) return void 0;
  const inHead = requirements.every(({ path }) => path.startsWith('metadata.'));
  return (view) => matchesFields(requirements, inHead ? { metadata: view.metadata } : view.value());
}
function unwatchedFields(fieldSelector, watched = '') {
  const known = new Set(parseFieldSelector(watched).map((one) => printFieldSelector([one])));
  return parseFieldSelector(fieldSelector).filter((one) => !known.has(printFieldSelector([one])));
}

// packages/informer/src/store/selector-lookup.ts
import { parseLabelSelector as parseLabelSelector2 } from '@keelson/apimachinery';
function lookUpSelectors(options, store) {
  let best;
  for (const { name, values } of equalities(options, store.watched)) {
    const index = store.indexOf(name);
    if (index?.indexer[evaluatesSelector] !== true) continue;
    const count = values.reduce((sum, value) => sum + index.count(value), 0);
    if (count < (best?.count ?? store.scanned)) best = { index, values, count };
  }
  return best === void 0 ? void 0 : objectsOf(best);
}
function objectsOf({ index, values }) {
  const [only = ''] = values;
  return values.length === 1 ? index.get(only) : values.flatMap((value) => [...index.get(value)]);
}
function* equalities({ labelSelector = '', fieldSelector = '' }, watched) {
  for (const { key, operator, values } of parseLabelSelector2(labelSelector)) {
    if (operator === 'in') yield { name: `label:${key}`, values };
  }
  for (const { path, operator, value } of unwatchedFields(fieldSelector, watched)) {
    if (operator === '=') yield { name: `field:${path}`, values: [value] };
  }
}

// packages/informer/src/store/stage.ts
var Stage = class {
  table = new ObjectTable();
  content;
  indices;
  #current;
  #stored;
  /** `current` are the objects of the store, of which unchanged ones are taken, and their bytes. */
  constructor(current, next) {
    this.#current = current.objects;
    this.#stored = current.content;
    this.indices = next.indices;
    this.content = next.content;
  }
  /** The memory of the objects in bytes, without that of the bytes that the store has. */
  get memoryUsed() {
    return memoryOf(this.table.size, this.content);
  }
  intern(namespace) {
    return this.table.intern(namespace);
  }
  /** Stores the last object that the intake read. */
  put(intake) {
    const stored = this.#current.get(intake.name);
    const isUnchanged = stored !== void 0 && intake.isUnchanged(stored);
    if (isUnchanged && stored.slab?.isHeadOnly === true) this.#restore(stored, intake);
    const object = isUnchanged ? stored : (intake.keep(this) ?? intake.ofSameUid(stored));
    if (object === void 0) return;
    const previous = this.table.set(object);
    if (previous === object) return;
    if (previous !== void 0) this.#forget(previous);
    for (const index of this.indices) index.add(object);
  }
  /** Deletes the last object that the intake read. */
  delete(intake) {
    const object = this.table.get(intake.name);
    if (object === void 0) return;
    this.table.delete(object);
    this.#forget(object);
  }
  /** Gives a stored object its body again, which a memory budget had dropped. */
  #restore(stored, intake) {
    const { retention } = this.content;
    if (retention === 'metadata') return;
    this.content.retainAs('lazy');
    const whole = intake.keep(this);
    this.content.retainAs(retention);
    if (whole === void 0) return;
    this.#stored.restore(stored, whole);
    this.content.discard(whole);
  }
  #forget(object) {
    for (const index of this.indices) index.remove(object);
    if (this.#current.get(object) === object) return;
    object.retire();
    this.content.discard(object);
  }
};

// packages/informer/src/store/store.ts
var Store = class {
  /** The resourceVersion up to which the objects are known to be current. */
  resourceVersion = '';
  #settings;
  #bytes;
  #table = new ObjectTable();
  #indices = /* @__PURE__ */ new Map();
  /** The last stage. A list that fails drops it. */
  #staged;
  constructor(settings) {
    this.#settings = settings;
    const { slabs, now, growth } = settings;
    this.#bytes = new ObjectBytes({ slabs, now, growth });
  }
  get transform() {
    return this.#settings.transform;
  }
  get size() {
    return this.#table.size;
  }
  get bytes() {
    return this.#bytes.live;
  }
  get content() {
    return this.#bytes;
  }
  /** The bytes of the objects, and of a list that is arriving. */
  get contents() {
    const stage = this.#staged?.deref();
    return stage === void 0 ? [this.#bytes] : [this.#bytes, stage.content];
  }
  /** Keeps new objects in this way. Stored objects stay as they are, except those to pack. */
  retainAs(retention) {
    for (const content of this.contents) content.retainAs(retention);
    this.#bytes.settle();
  }
  /** The memory of the objects in bytes, or that of a list that is arriving if it is more. */
  get memoryUsed() {
    return this.memoryAfter(0);
  }
  /** The same after a growth of the list, or of the store if no list is arriving. */
  memoryAfter(growth) {
    const used = memoryOf(this.#table.size, this.#bytes);
    const stage = this.#staged?.deref();
    return stage === void 0 ? used + growth : Math.max(used, stage.memoryUsed + growth);
  }
  get indices() {
    return Array.from(this.#indices.values(), ({ index }) => index);
  }
  intern(namespace) {
    return this.#table.intern(namespace);
  }
  get(name) {
    return this.view(name)?.value();
  }
  has(name) {
    return this.view(name) !== void 0;
  }
  view(name) {
    checkName(this.#settings.resource, name);
    return this.find(name);
  }
  /**
   * Returns the view of a name without checking its scope: the name is checked already, or the
   * server sent it.
   */
  find(name) {
    return this.#table.get(name);
  }
  /** Returns every object, or those of one namespace, in no particular order. */
  all(namespace) {
    return this.#table.values(namespace);
  }
  list(options) {
    return this.views(options).flatMap((view) => ifReadable(() => [view.value()], []));
  }
  async listAsync(options = {}) {
    await this.built(options.index?.name);
    return readSelection(this.select(options), this.slice(), options.signal);
  }
  /** Starts a slice of 5 ms. */
  slice() {
    return new TimeSlice8(this.#settings.now);
  }
  views(options = {}) {
    const { candidates, condition } = this.select(options);
    return condition === void 0 ? [...candidates] : [...candidates].filter(condition);
  }
  select(options) {
    const { resource, fieldSelector: watched } = this.#settings;
    checkNamespaceOf(resource, options.namespace);
    const candidates = this.#lookUp(options);
    if (candidates !== void 0) return { candidates, condition: selection(options, watched) };
    const { namespace, ...selectors } = options;
    return {
      candidates: this.#table.values(namespace || void 0),
      condition: selection(selectors, watched),
    };
  }
  indexOf(name) {
    return this.#indices.get(name)?.index;
  }
  indexValues(name) {
    return this.indexOf(name)?.values();
  }
  /** Resolves when a list can use the index without a scan. */
  async built(index) {
    if (index !== void 0) await this.#indices.get(index)?.built;
  }
  /** Stores an object and removes `previous`, the version that it replaces. */
  put(object, previous) {
    this.#table.set(object);
    if (previous !== void 0) this.#forget(previous);
    for (const { index } of this.#indices.values()) index.add(object);
    this.#bytes.settle();
  }
  delete(object) {
    this.#table.delete(object);
    this.#forget(object);
  }
  /**
   * Returns a stage to fill and to swap in. With `isAnew`, it takes no unchanged objects from this
   * store.
   */
  stage(isAnew = false) {
    const content = this.#bytes.successor();
    const indices = this.indices.map((index) => index.successor());
    const objects = isAnew ? new ObjectTable() : this.#table;
    const stage = new Stage({ objects, content: this.#bytes }, { indices, content });
    this.#staged = new WeakRef(stage);
    return stage;
  }
  /**
   * Replaces all objects by those of the stage at once. Returns the differences: first deleted
   * objects, then new and changed ones. The caller must read all of them before it writes to the
   * store again.
   */
  swap(stage, resourceVersion) {
    const before = this.#table;
    this.#table = stage.table;
    this.#staged = void 0;
    this.#bytes.adopt(stage.content);
    this.#adoptIndices(stage.indices);
    this.resourceVersion = resourceVersion;
    return differences(before, stage.table, (object) => this.#retire(object));
  }
  /** Removes all objects, because the watch has ended. Views remain readable. */
  clear() {
    this.#table = new ObjectTable();
    this.#indices.clear();
    this.#bytes.abandon();
  }
  /**
   * Adds an index and indexes the stored objects in slices (see `built`). The index exists until
   * its last registration is removed.
   */
  addIndexer(indexer, registration) {
    const found = this.#indices.get(indexer.name);
    if (found !== void 0 && !isSameIndexer(found.index.indexer, indexer)) {
      throw informerError('INDEXER_CONFLICT', { indexer: indexer.name });
    }
    const shared = found ?? this.#addIndex(indexer);
    shared.registrations.add(registration);
  }
  removeIndexer({ name }, registration) {
    const shared = this.#indices.get(name);
    if (shared?.registrations.delete(registration) === true && shared.registrations.size === 0) {
      this.#indices.delete(name);
    }
  }
  /** Finds objects by an index, of all namespaces; `undefined` if a scan reads no more of them. */
  #lookUp(options) {
    const { index } = options;
    if (index !== void 0) return this.#index(index.name).index.get(index.value);
    return lookUpSelectors(options, {
      scanned: this.#table.count(options.namespace || void 0),
      watched: this.#settings.fieldSelector,
      indexOf: (name) => this.indexOf(name),
    });
  }
  #forget(object) {
    for (const { index } of this.#indices.values()) index.remove(object);
    this.#retire(object);
  }
  #retire(object) {
    object.retire();
    this.#bytes.discard(object);
  }
  #index(name) {
    const shared = this.#indices.get(name);
    if (shared === void 0) throw informerError('INDEX_UNKNOWN', { index: name });
    return shared;
  }
  #addIndex(indexer) {
    const index = new ObjectIndex(indexer, this.#settings.onIndexerError);
    const shared = { index, built: Promise.resolve(), registrations: /* @__PURE__ */ new Set() };
    this.#indices.set(indexer.name, shared);
    shared.built = this.#build(shared);
    return shared;
  }
  /**
   * Replaces the indices by those of the stage. Indices may have been added or removed after its
   * creation.
   */
  #adoptIndices(staged) {
    for (const shared of this.#indices.values()) {
      const successor = staged.find(({ indexer }) => indexer === shared.index.indexer);
      shared.index = successor ?? shared.index.successor();
      shared.built = successor === void 0 ? this.#build(shared) : Promise.resolve();
    }
  }
  /** Indexes the first slice before it returns. Ends early if the index is replaced or removed. */
  async #build(shared) {
    const { index } = shared;
    const table = this.#table;
    index.adopt(table.values(), (object) => table.get(object) === object);
    const slice = new TimeSlice8(this.#settings.now);
    const isWanted = () =>
      shared.index === index && this.#indices.get(index.indexer.name) === shared;
    while (isWanted() && index.indexNext()) if (slice.isDue()) await slice.pause();
    if (shared.index !== index) await shared.built;
  }
};

// packages/informer/src/store/object-repair.ts
import { pause as pause2 } from '@keelson/apimachinery';
var DELAYS_MS = [0, 1e3, 5e3, 25e3];
var REQUEST_TIMEOUT_MS = 3e4;
var ObjectRepair = class {
  #options;
  #running = /* @__PURE__ */ new Map();
  constructor(options) {
    this.#options = options;
  }
  /** True if no object is being fetched. Called for every event, so it must be cheap. */
  get isIdle() {
    return this.#running.size === 0;
  }
  /** Fetches an object. Returns false if that version is already being fetched. */
  fetch(wanted) {
    const key = keyOf(wanted);
    const running = this.#running.get(key);
    if (running?.wanted.resourceVersion === wanted.resourceVersion) return false;
    running?.abort.abort();
    const repair = { wanted, abort: new AbortController() };
    this.#running.set(key, repair);
    void this.#run(key, repair);
    return true;
  }
  /** Stops the fetch of an object, because the watch has sent a later version. */
  cancel(name) {
    const key = keyOf(name);
    this.#running.get(key)?.abort.abort();
    this.#running.delete(key);
  }
  stop() {
    for (const { abort } of this.#running.values()) abort.abort();
    this.#running.clear();
  }
  async #run(key, { wanted, abort: { signal } }) {
    const last = DELAYS_MS.length - 1;
    for (let attempt = 0; attempt <= last; attempt++) {
      await pause2(DELAYS_MS[attempt] ?? 0, [signal]).catch(() => void 0);
      if (signal.aborted) return;
      const result = await this.#fetch(wanted, signal);
      if (result === 'readable') break;
      if (result === 'failed' && attempt === last) attempt--;
    }
    if (!signal.aborted) this.#running.delete(key);
  }
  async #fetch(wanted, signal) {
    const { listerWatcher, onFetched, onError } = this.#options;
    const { namespace, name: own } = wanted;
    const name = namespace === void 0 ? { name: own } : { namespace, name: own };
    const attempt = new AbortController();
    const giveUp = () => attempt.abort(informerError('WATCH_IDLE'));
    const timer = setTimeout(giveUp, REQUEST_TIMEOUT_MS);
    signal.addEventListener('abort', giveUp);
    const request = { resourceVersion: '', name, signal: attempt.signal };
    try {
      let isWhole = true;
      for await (const { frames } of listerWatcher().list(request)) {
        if (attempt.signal.aborted) return 'failed';
        for (const frame of frames) isWhole = onFetched(frame, wanted) && isWhole;
      }
      return isWhole ? 'readable' : 'unreadable';
    } catch (error) {
      if (!signal.aborted) onError(error instanceof Error ? error : new Error(String(error)));
      return 'failed';
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', giveUp);
    }
  }
};
function keyOf({ namespace = '', name }) {
  return `${namespace}/${name}`;
}

// packages/informer/src/store/store-repair.ts
var StoreRepair = class {
  #options;
  #repair;
  /**
   * Collects the objects that do not parse while a stage is filled. They are fetched after the
   * swap.
   */
  #staged;
  constructor(options) {
    this.#options = options;
    const { listerWatcher, onError } = options;
    const onFetched = (frame, wanted) => this.#take(frame, wanted);
    this.#repair = new ObjectRepair({ listerWatcher, onError, onFetched });
  }
  /** True if no object is being fetched. */
  get isIdle() {
    return this.#repair.isIdle;
  }
  /** Fetches the last object that the intake read: it does not parse and was not stored. */
  fetchLast(error) {
    this.#fetch(this.#options.intake.unreadable, error);
  }
  /**
   * Fetches an object that a reader could not parse, but only if the store still has that version.
   */
  fetchIfCurrent(object, error) {
    const current = this.#options.store.find(object);
    const isCurrent = current?.resourceVersion === object.resourceVersion;
    if (isCurrent || this.#staged !== void 0) this.#fetch(object, error);
  }
  /** Collects objects that do not parse instead of fetching them, while a stage is filled. */
  collectInto(collected) {
    this.#staged = collected;
  }
  /** Fetches the collected objects after the swap. */
  fetchCollected(collected) {
    this.#repair.stop();
    for (const object of collected) this.#repair.fetch(object);
  }
  /** Stops the fetch of the last object that the intake read: it is a later version. */
  cancelLast() {
    if (!this.#repair.isIdle) this.#repair.cancel(this.#options.intake.name);
  }
  stop() {
    this.#repair.stop();
  }
  #fetch({ namespace, name, resourceVersion }, error) {
    const wanted = { namespace, name, resourceVersion };
    if (this.#staged === void 0 && !this.#repair.fetch(wanted)) return;
    this.#staged?.push(wanted);
    this.#options.onUnreadable(error);
  }
  /** Ignores a version other than the wanted one: the watch sends it in the correct order. */
  #take(frame, wanted) {
    const { intake } = this.#options;
    try {
      const isWanted =
        intake.read(frame) && intake.identity.resourceVersion === wanted.resourceVersion;
      return !isWanted || this.#put();
    } finally {
      intake.done();
    }
  }
  #put() {
    const { intake, store, onRepaired } = this.#options;
    const previous = store.find(intake.name);
    const object = intake.keep(store);
    if (object === void 0) return false;
    if (ifReadable(() => object.value(), void 0) === void 0) {
      store.content.discard(object);
      return false;
    }
    store.put(object, previous);
    onRepaired(previous, object);
    return true;
  }
};

// packages/informer/src/informer/informer.ts
var Informer = class {
  identity;
  transform;
  store;
  form;
  health = new HealthRecord();
  #options;
  #intake;
  #fanOut;
  #reflector;
  #repair;
  #progress;
  #passed;
  #source;
  #trust = new VersionTrust();
  #synced = new Deferred();
  #hasSynced = false;
  #running;
  #stopped = false;
  constructor(options) {
    const { identity, observer, now, memory, keepManagedFields } = options;
    this.#options = options;
    this.identity = identity;
    this.transform = options.transform;
    this.#progress = new InformerProgress(options.timeline);
    this.#passed = new PassedWrites(options.pendingWrites);
    this.store = new Store({
      resource: identity.query.resource,
      fieldSelector: identity.query.fieldSelector,
      transform: options.transform?.name,
      slabs: memory.slabs,
      growth: options.growth?.(this),
      now,
      onIndexerError: (indexer, error) => observer.indexerError?.(identity, indexer, error),
    });
    this.form = new ObjectForm({ ...identity.query, memory, keepManagedFields });
    this.form.onUnreadable = (object, error) => this.#repair.fetchIfCurrent(object, error);
    this.#intake = new Intake({
      form: this.form,
      transform: options.transform,
      onSkip: (cause, error) => this.#skip(cause, error),
      onUnreadable: (error) => this.#repair.fetchLast(error),
    });
    this.#repair = new StoreRepair({
      store: this.store,
      intake: this.#intake,
      listerWatcher: () => this.#open(),
      onUnreadable: (error) => this.#skipped('malformed', error),
      onRepaired: (previous, object) => this.#fanOut.deliverRepaired({ previous, object }),
      onError: (error) => observer.watchError?.(identity, error),
    });
    this.#fanOut = fanOutOf(options, { store: this.store, progress: this.#progress });
    this.#reflector = reflectorOf(options, {
      sink: this,
      health: this.health,
      listerWatcher: () => this.#open(),
    });
    this.health.onChange(
      (health) => observer.healthChanged?.(identity, health),
      () => void 0,
    );
  }
  /** Resolves when the store first has the complete state. */
  get synced() {
    return this.#synced.promise;
  }
  get hasSynced() {
    return this.#hasSynced;
  }
  /** Milliseconds since the server last sent data. */
  get lastEventAge() {
    const lastActivityAt = this.#reflector.lastActivityAt;
    return lastActivityAt === void 0 ? void 0 : this.#options.now() - lastActivityAt;
  }
  start() {
    this.#options.observer.watchStarted?.(this.identity);
    this.#running = this.#reflector.run();
  }
  /**
   * Stops the watch. After it returns no handler is called; the promise settles when the last
   * request has ended.
   */
  async stop() {
    if (!this.#stopped) {
      this.#stopped = true;
      this.#reflector.stop();
      this.#repair.stop();
      for (const registration of this.#fanOut.registrations) registration.remove();
      this.health.bad('stopped', 'the watch was stopped', void 0);
      this.#synced.reject(informerError('CACHE_CLOSED'));
      this.#options.memory.release(this.form);
      this.store.clear();
      this.#options.observer.watchStopped?.(this.identity);
    }
    await this.#running;
  }
  /** Retries at once, because the server has started to serve the kind. */
  wake() {
    this.#reflector.wake();
  }
  /** Lists again. Resolves when the handlers have received the differences. */
  async relist() {
    await this.#reflector.relist();
  }
  retainAs(retention) {
    this.store.retainAs(retention);
  }
  /** Adds a health listener. It is called now if it knows another state, of its former watch. */
  onHealthChange(owner, listener, known = this.health.current) {
    const { observer } = this.#options;
    const failed = (error) => observer.handlerError?.(this.identity, owner, error);
    const { current } = this.health;
    if (known.state !== current.state) callUserCode(failed, listener, current);
    return this.health.onChange(listener, failed);
  }
  addHandler(added) {
    const snapshot = this.hasSynced ? this.store.all(added.lens?.namespace) : void 0;
    return this.#fanOut.add(added, snapshot);
  }
  /** False if the order of what the handlers have seen is unknown: they do not move. */
  get isOrdered() {
    return !this.#hasSynced || this.#trust.isOrdered(this.store.resourceVersion);
  }
  /** True if this store has every state that the handlers of another watch have seen. */
  includes(other) {
    if (!other.hasSynced) return true;
    if (!this.isOrdered || !this.#repair.isIdle) return false;
    return this.#progress.includes(this.store.resourceVersion, other.#progress);
  }
  /** Takes handlers from another watch, of whose store they have seen the objects `before`. */
  takeHandlers(from, registrations, move) {
    const seen2 = from.hasSynced ? move : void 0;
    this.#fanOut.take(registrations, {
      ...move,
      from: from.#fanOut,
      store: this.store,
      seen: seen2,
    });
  }
  replacement() {
    const stage = this.store.stage(!this.#trust.knowsVersions);
    const unreadable = [];
    return {
      put: (frame) => {
        this.#repair.collectInto(unreadable);
        try {
          if (this.#intake.read(frame)) stage.put(this.#intake);
        } finally {
          this.#repair.collectInto(void 0);
          this.#intake.done();
        }
      },
      delete: (frame) => {
        if (this.#intake.read(frame)) stage.delete(this.#intake);
        this.#intake.done();
      },
      commit: async (resourceVersion, receivedAt) => {
        if (this.#stopped) return;
        this.#trust.parsed();
        this.#trust.knowsVersions = true;
        this.#passed.collect();
        this.#progress.listed(resourceVersion, this.store.resourceVersion);
        const differences2 = this.store.swap(stage, resourceVersion);
        this.#repair.fetchCollected(unreadable);
        await this.#deliverAll(this.#passed.addTo(differences2, this.store), receivedAt);
      },
    };
  }
  apply(frame, receivedAt) {
    const intake = this.#intake;
    if (this.#stopped || !intake.read(frame)) return void 0;
    const version = intake.identity.resourceVersion || void 0;
    if (version !== void 0) this.#trust.checkOrder(version, this.store.resourceVersion);
    const previous = this.store.find(intake.name);
    this.#repair.cancelLast();
    if (frame.type === 'DELETED') this.#delete(previous, receivedAt);
    else if (previous === void 0 || !intake.isUnchanged(previous)) {
      this.#put(previous, receivedAt);
    }
    this.#reached();
    intake.done();
    this.#trust.parsed();
    this.#options.onProgress();
    return version;
  }
  /** Advances the store to the version of the last object, before the handlers may read it. */
  #reached() {
    const { resourceVersion } = this.#intake.identity;
    if (!resourceVersion) return;
    this.store.resourceVersion = resourceVersion;
    this.#progress.changed(resourceVersion);
  }
  progress(resourceVersion) {
    this.#trust.checkOrder(resourceVersion, this.store.resourceVersion);
    this.store.resourceVersion = resourceVersion;
    this.#options.onProgress();
  }
  forgetVersions() {
    this.#trust.knowsVersions = false;
    this.#passed.collect();
    this.#progress.wentBack();
  }
  distrustVersions() {
    this.#trust.distrustVersions();
  }
  #skip(cause, error) {
    if (cause === 'malformed') this.#trust.malformed(error);
    this.#skipped(cause, error);
  }
  #skipped(cause, error) {
    this.#fanOut.skipped();
    this.#options.observer.skipped?.(this.identity, cause, error);
  }
  #open() {
    return (this.#source ??= this.#options.listerWatcher());
  }
  #put(previous, receivedAt) {
    const object = this.#intake.keep(this.store);
    if (object === void 0) return;
    this.store.put(object, previous);
    this.#reached();
    this.#fanOut.deliver({ previous, object }, this.#fanOut.delivery(receivedAt));
  }
  /** Deletes an object. The event has a view of the last state. Its bytes are freed when user code drops the view. */
  #delete(previous, receivedAt) {
    if (previous === void 0) return;
    const isSame2 = previous.uid === (this.#intake.identity.uid ?? '');
    const last = isSame2 ? (this.#intake.keep(this.store) ?? previous) : previous;
    if (last !== previous) this.store.content.discard(last);
    this.store.delete(previous);
    this.#reached();
    const delivery = this.#fanOut.delivery(receivedAt);
    this.#fanOut.deliverDeleted({ last, previous, finalStateUnknown: !isSame2 }, delivery);
  }
  async #deliverAll(differences2, receivedAt) {
    const delivery = this.#fanOut.delivery(receivedAt, !this.#hasSynced);
    this.#hasSynced = true;
    this.#progress.isDelivering = true;
    this.#synced.resolve();
    await this.#fanOut.deliverAll(differences2, delivery, () => this.#stopped);
    this.#progress.isDelivering = false;
    this.#options.onProgress();
  }
};

// packages/informer/src/budget/memory-budgets.ts
import { resourceId as resourceId4, startTimer as startTimer3 } from '@keelson/apimachinery';

// packages/informer/src/memory/growth.ts
var Growth = class {
  #step;
  #onStep;
  #grown = 0;
  /**
   * `onStep` receives the bytes since its last call, which include those of the next object. It may
   * throw to refuse that object.
   */
  constructor(step, onStep) {
    this.#step = step;
    this.#onStep = onStep;
  }
  /** Called before memory is used for an object of so many bytes. */
  add(bytes) {
    this.#grown += bytes;
    if (this.#grown < this.#step) return;
    this.#onStep(this.#grown);
    this.#grown = 0;
  }
};

// packages/informer/src/budget/budget.ts
var LOW_FRACTION = 0.8;
var Budget = class {
  #options;
  /** For a watch that was refused: the memory that it needed then, with the object that did not fit. */
  #limited = /* @__PURE__ */ new Map();
  #isExceeded = false;
  constructor(options) {
    this.#options = options;
  }
  get use() {
    const { name, policy, bytes, watches } = this.#options;
    const used = watches().reduce((sum, { informer }) => sum + informer.store.memoryUsed, 0);
    return { budget: name, policy, bytes, used: Math.round(used) };
  }
  /** True while the policy applies to a watch, or the limit is exceeded. */
  get isActive() {
    return this.#isExceeded || this.#limited.size > 0;
  }
  /**
   * Called before a watch uses more memory; it has grown by `grown` bytes with it. Throws
   * `MEMORY_BUDGET_EXCEEDED` if the policy refuses it, so that the store never exceeds the limit: a
   * list could otherwise not replace it.
   */
  grew(watch, grown) {
    const { name, policy, watches, bytes } = this.#options;
    if (policy !== 'refuse' || watch === void 0 || !watches().includes(watch)) return;
    const { used } = this.use;
    const { store } = watch.informer;
    const needed = store.memoryAfter(grown);
    if (used - store.memoryUsed + needed <= bytes) return;
    if (!this.#limited.has(watch)) this.#report('limited', watch);
    this.#limited.set(watch, needed);
    throw informerError('MEMORY_BUDGET_EXCEEDED', { budget: name, bytes, used });
  }
  /** Applies the policy to more watches, or lifts it. */
  review() {
    this.#forgetEnded();
    if (this.#options.policy !== 'refuse') this.#limitLargest();
    for (const watch of this.#limited.keys()) if (this.#mayLift(watch)) this.lift(watch);
    if (!this.#isExceeded || this.use.used > this.#options.bytes * LOW_FRACTION) return;
    this.#isExceeded = false;
    this.#report('within', void 0);
  }
  /** Ends the policy on a watch. */
  lift(watch) {
    this.#limited.delete(watch);
    this.#report('lifted', watch);
    if (this.#options.policy === 'refuse') watch.informer.wake();
    else watch.limitTo(this, void 0, {});
  }
  #limitLargest() {
    const { name, bytes, policy } = this.#options;
    while (this.#expected() > bytes) {
      const watch = this.#largest();
      if (watch === void 0) {
        this.#exceeded();
        return;
      }
      this.#limited.set(watch, 0);
      this.#report('limited', watch);
      watch.limitTo(this, policy, { budget: name, bytes });
    }
  }
  #exceeded() {
    if (this.#isExceeded) return;
    this.#isExceeded = true;
    this.#report('exceeded', void 0);
  }
  /** The use after all objects that wait for it are packed. */
  #expected() {
    const contents = this.#options.watches().flatMap(({ informer }) => informer.store.contents);
    return contents.reduce((sum, { packable }) => sum - packable, this.use.used);
  }
  /** The watch that the policy helps most. */
  #largest() {
    const { policy, watches } = this.#options;
    const able = watches()
      .filter((watch) => !this.#limited.has(watch))
      .map((watch) => ({ watch, bytes: bytesToPack(watch, policy) }))
      .filter(({ bytes }) => bytes > 0);
    return able.toSorted((one, other) => other.bytes - one.bytes)[0]?.watch;
  }
  /** True if the use stays below 80 % of the limit without the policy on this watch. */
  #mayLift(watch) {
    const { bytes, policy } = this.#options;
    const { content, contents, memoryUsed } = watch.informer.store;
    const needed = this.#limited.get(watch) ?? 0;
    const growth = policy === 'refuse' ? needed - memoryUsed : content.packedAway;
    const isPacking = policy !== 'refuse' && contents.some(({ packable }) => packable > 0);
    return !isPacking && this.use.used + growth <= bytes * LOW_FRACTION;
  }
  #forgetEnded() {
    const watches = new Set(this.#options.watches());
    for (const watch of this.#limited.keys()) {
      const { state } = watch.informer.health.current;
      const isAdmitted = this.#options.policy === 'refuse' && state === 'live';
      if (!watches.has(watch) || isAdmitted) this.#limited.delete(watch);
    }
  }
  #report(change, watch) {
    this.#options.onChange({ ...this.use, change, watch: watch?.informer.identity });
  }
};
function bytesToPack({ informer }, policy) {
  const { transform, store, identity } = informer;
  const { retention } = store.content;
  const sum = (member) => store.contents.reduce((bytes, content) => bytes + content[member], 0);
  if (policy === 'compress') return retention === 'compressed' ? 0 : sum('plain');
  const needsBodies = store.indices.some(({ indexer }) => 'body' in indexer);
  const isWhole = identity.query.projection === 'full' && transform === void 0;
  return isWhole && !needsBodies && retention !== 'metadata' ? sum('live') : 0;
}

// packages/informer/src/budget/memory-budgets.ts
var STEP_FRACTION = 0.01;
var REVIEW_INTERVAL_MS = 1e4;
var MemoryBudgets = class {
  #options;
  #budgets;
  #step;
  #stopTimer;
  #isScheduled = false;
  #isClosed = false;
  constructor(options) {
    const { bytes, kinds = [] } = options.budget;
    this.#options = options;
    this.#budgets = [
      ...(bytes === void 0 ? [] : [this.#budget('all', bytes, options.watches)]),
      ...kinds.map((kind) => this.#budgetOf(kind)),
    ];
    this.#step = Math.min(...this.uses.map((use) => use.bytes)) * STEP_FRACTION;
  }
  get uses() {
    return this.#budgets.map(({ use }) => use);
  }
  /** Creates the reports of the growth of an informer. */
  growthOf(informer) {
    return new Growth(this.#step, (grown) => this.#grew(informer, grown));
  }
  close() {
    this.#isClosed = true;
    this.#stopTimer?.();
  }
  #budgetOf({ resource, bytes, policy }) {
    const id = resourceId4(resource);
    const watches = () =>
      this.#options
        .watches()
        .filter(({ informer }) => resourceId4(informer.identity.query.resource) === id);
    return this.#budget(id, bytes, watches, policy);
  }
  #budget(name, bytes, watches, policy = this.#options.budget.policy ?? 'compress') {
    return new Budget({ name, bytes, policy, watches, onChange: this.#options.onChange });
  }
  #grew(informer, grown) {
    this.#schedule();
    const watch = this.#options.watches().find((one) => one.informer === informer);
    for (const budget of this.#budgets) budget.grew(watch, grown);
  }
  /** A review changes how a store keeps objects, so it must not run inside of a change of the store. */
  #schedule() {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => this.#review());
  }
  #review() {
    this.#isScheduled = false;
    this.#stopTimer?.();
    this.#stopTimer = void 0;
    if (this.#isClosed) return;
    for (const budget of this.#budgets) budget.review();
    if (this.#budgets.every(({ isActive }) => !isActive)) return;
    this.#stopTimer = startTimer3(REVIEW_INTERVAL_MS, () => this.#review());
  }
};

// packages/informer/src/memory/parsed-bodies.ts
import { LRUCache } from 'lru-cache';
var PROTECTED_FRACTION = 0.8;
var ParsedBodies = class {
  #limit;
  #protected;
  #readOnce;
  constructor(limit) {
    this.#limit = limit;
    this.#readOnce = new LRUCache({ maxSize: limit, sizeCalculation: sizeOf });
    this.#protected = new LRUCache({
      maxSize: Math.max(1, Math.floor(limit * PROTECTED_FRACTION)),
      sizeCalculation: sizeOf,
      dispose: (entry, owner, reason) => {
        if (reason === 'evict') this.#readOnce.set(owner, entry);
      },
    });
  }
  /** Returns a body that was added; this read protects it. */
  get(owner) {
    return (this.#protected.get(owner) ?? this.#protect(owner))?.body;
  }
  /** `size` is the length of the JSON text, in bytes. */
  add(owner, body, size) {
    this.#readOnce.set(owner, { body, size });
    const room = this.#limit - this.#protected.calculatedSize;
    while (this.#readOnce.calculatedSize > room) this.#readOnce.pop();
  }
  /** Returns the body of an object that leaves its store, and forgets it. */
  take(owner) {
    const entry = this.#protected.peek(owner) ?? this.#readOnce.peek(owner);
    if (entry === void 0) return void 0;
    this.#protected.delete(owner);
    this.#readOnce.delete(owner);
    return entry.body;
  }
  /** Forgets all objects of a watch that has ended. */
  release(of) {
    for (const bodies of [this.#protected, this.#readOnce]) {
      for (const owner of bodies.keys()) if (owner.of === of) bodies.delete(owner);
    }
  }
  #protect(owner) {
    const entry = this.#readOnce.get(owner);
    if (entry === void 0) return void 0;
    this.#protected.set(owner, entry);
    if (this.#protected.has(owner)) this.#readOnce.delete(owner);
    return entry;
  }
};
function sizeOf({ size }) {
  return size + 1;
}

// packages/informer/src/memory/memory.ts
var MAX_PARSED_HEADS = 512;
var Memory = class {
  freeze;
  slabs;
  bodies;
  #heads = Array.from({ length: MAX_PARSED_HEADS });
  #nextHead = 0;
  constructor(options) {
    this.freeze = options.freeze;
    this.slabs = new SlabPool(options.now);
    this.bodies = new ParsedBodies(options.parsedBytes);
  }
  /**
   * Remembers that an object has parsed metadata; the oldest of 512 such objects forgets its own.
   */
  rememberHead(owner) {
    this.#heads[this.#nextHead]?.forgetHead();
    this.#heads[this.#nextHead] = owner;
    this.#nextHead = (this.#nextHead + 1) % MAX_PARSED_HEADS;
  }
  /** Forgets all objects of a watch that has ended. */
  release(of) {
    this.bodies.release(of);
    this.#heads.forEach((owner, at) => {
      if (owner?.of === of) this.#heads[at] = void 0;
    });
  }
  /** Prepares a value for readers: deeply frozen if the cache has the option `freeze`. */
  shared(value) {
    return this.freeze ? deepFreeze(value) : value;
  }
};
function deepFreeze(value) {
  const rest = [value];
  while (rest.length > 0) {
    const next = rest.pop();
    if (Object.isFrozen(next)) continue;
    Object.freeze(next);
    for (const member of Object.values(next)) rest.push(member);
  }
  return value;
}

// packages/informer/src/reflector/reconnect-spread.ts
var MS_APART = 0.5;
var MAX_DELAY_MS = 100;
var ONE_EVENT_MS = 100;
var ReconnectSpread = class {
  #now;
  #random;
  #lastCut = -Infinity;
  #cuts = 0;
  constructor(now, random) {
    this.#now = now;
    this.#random = random;
  }
  /** Counts a watch that was cut, and returns the milliseconds until it may reconnect. */
  delay() {
    const now = this.#now();
    this.#cuts = now - this.#lastCut > ONE_EVENT_MS ? 0 : this.#cuts + 1;
    this.#lastCut = now;
    const turn = this.#cuts === 0 ? 0 : this.#cuts - this.#random();
    return (turn * MS_APART) % MAX_DELAY_MS;
  }
};

// packages/informer/src/reflector/watch-list-support.ts
var UNSUPPORTED_TTL_MS = 10 * 6e4;
var WatchListSupport = class {
  #now;
  #unsupportedSince;
  constructor(now) {
    this.#now = now;
  }
  get isExpected() {
    return (
      this.#unsupportedSince === void 0 || this.#now() - this.#unsupportedSince > UNSUPPORTED_TTL_MS
    );
  }
  unsupported() {
    this.#unsupportedSince = this.#now();
  }
};
var WatchListSupports = class {
  #now;
  #groups = /* @__PURE__ */ new Map();
  constructor(now) {
    this.#now = now;
  }
  of(group) {
    const found = this.#groups.get(group) ?? new WatchListSupport(this.#now);
    this.#groups.set(group, found);
    return found;
  }
};

// packages/informer/src/sharing/kind-watches.ts
import { resourceId as resourceId5 } from '@keelson/apimachinery';

// packages/informer/src/contract/coverage.ts
import {
  matchesLabels as matchesLabels3,
  parseFieldSelector as parseFieldSelector2,
  parseLabelSelector as parseLabelSelector3,
} from '@keelson/apimachinery';

// packages/informer/src/contract/selector-implication.ts
import { matchesLabels as matchesLabels2 } from '@keelson/apimachinery';
function impliesLabels(read, watched) {
  return watched.every((wanted) =>
    impliesLabel(
      read.filter(({ key }) => key === wanted.key),
      wanted,
    ),
  );
}
function impliesLabel(given, wanted) {
  const { key } = wanted;
  const values = given.find(({ operator }) => operator === 'in')?.values;
  if (values !== void 0) {
    const left = values.filter((value) => matchesLabels2(given, { [key]: value }));
    return left.every((value) => matchesLabels2([wanted], { [key]: value }));
  }
  if (given.some(({ operator }) => operator === 'notexists')) return matchesLabels2([wanted], {});
  return impliesOpenSet(given, wanted);
}
function impliesOpenSet(given, { key, operator, values }) {
  const boundsOf = (side) =>
    given.flatMap((one) => (one.operator === side ? one.values.map(BigInt) : []));
  const [bound = ''] = values;
  switch (operator) {
    case 'exists':
      return given.some((one) => one.operator !== 'notin');
    case 'notin':
      return values.every((value) => !matchesLabels2(given, { [key]: value }));
    case 'gt':
      return boundsOf('gt').some((least) => least >= BigInt(bound));
    case 'lt':
      return boundsOf('lt').some((most) => most <= BigInt(bound));
    default:
      return false;
  }
}
function impliesFields(read, watched) {
  return watched.every((wanted) => read.some((given) => impliesField(given, wanted)));
}
function impliesField(given, wanted) {
  if (given.path !== wanted.path) return false;
  if (given.operator === wanted.operator) return given.value === wanted.value;
  if (!isName(wanted)) return false;
  return wanted.operator === '!=' && given.value !== wanted.value;
}
function excludesFields(read, watched) {
  return watched.some((wanted) => read.some((given) => excludesField(given, wanted)));
}
function excludesField(given, wanted) {
  if (given.path !== wanted.path || !isName(wanted)) return false;
  const isSame2 = given.value === wanted.value;
  if (given.operator === wanted.operator) return given.operator === '=' && !isSame2;
  return isSame2;
}
function isName({ path }) {
  return path === 'metadata.name' || path === 'metadata.namespace';
}

// packages/informer/src/contract/coverage.ts
var Coverage = class {
  /**
   * The watch selects every object of its kind, in full and without a transform: it covers every
   * read.
   */
  isWhole;
  transform;
  #query;
  #labels;
  /** The field selector of the watch; its namespace is one more requirement. */
  #fields;
  constructor(query, transform) {
    const { namespace, labelSelector, fieldSelector, projection } = query;
    this.#query = query;
    this.transform = transform;
    this.#labels = parseLabelSelector3(labelSelector ?? '');
    const inNamespace2 = {
      path: 'metadata.namespace',
      operator: '=',
      value: namespace ?? '',
    };
    const fields = parseFieldSelector2(fieldSelector ?? '');
    this.#fields = namespace === void 0 ? fields : [...fields, inNamespace2];
    this.isWhole =
      projection === 'full' &&
      transform === void 0 &&
      this.#labels.length === 0 &&
      this.#fields.length === 0;
  }
  /** True if the watch has every object that the read can return, in the requested form. */
  covers(read) {
    return (
      this.#servesAll(read) ||
      (this.#isWideEnough(read) &&
        this.transform === read.transform &&
        impliesLabels(read.labels, this.#labels) &&
        impliesFields(read.fields, this.#fields))
    );
  }
  /**
   * True if the read selects only namespaces and names of the watch. The selectors of the watch
   * then limit the result. A transform that the read does not name is accepted.
   */
  reaches(read) {
    return (
      this.#servesAll(read) ||
      (this.#isWideEnough(read) &&
        (read.transform === void 0 || this.transform === read.transform) &&
        !excludesFields(read.fields, this.#fields))
    );
  }
  /**
   * Returns why a watch of this query cannot serve another query as a view; `undefined` if it can.
   * A view evaluates labels, names and namespaces itself. Only the server evaluates other fields, so
   * both queries must contain those word for word. A transform may change labels and metadata, so
   * transformed objects are selected by equal labels only.
   */
  obstacleTo(other) {
    if (this.transform !== other.transform) return 'transform';
    const isTransformed = this.transform !== void 0;
    const { projection, labelSelector } = this.#query;
    const isSameForm = projection === other.#query.projection;
    if (isTransformed ? !isSameForm : !this.#isWideEnough(other.#query)) return 'projection';
    if (isTransformed && labelSelector !== other.#query.labelSelector) return 'selectors';
    const isWider2 =
      impliesLabels(other.#labels, this.#labels) && impliesFields(other.#fields, this.#fields);
    return isWider2 && other.#fields.every((field) => this.#evaluates(field))
      ? void 0
      : 'selectors';
  }
  #evaluates(field) {
    return isName(field) || impliesFields(this.#fields, [field]);
  }
  /** True if the label selector of the watch selects an object with these labels. */
  selectsLabels(labels) {
    return matchesLabels3(this.#labels, labels ?? {});
  }
  #servesAll({ transform }) {
    return this.isWhole && transform === void 0;
  }
  #isWideEnough({ projection }) {
    return this.#query.projection === 'full' || projection === 'metadata';
  }
};

// packages/informer/src/informer/timeline.ts
var Timeline = class {
  #current = 0;
  /** The number of the present state of the server. */
  get current() {
    return this.#current;
  }
  /**
   * Called when a watch that last listed at `listedAt` finds that the server went back. If another
   * watch has found it since then, it is the same event.
   */
  wentBack(listedAt) {
    if (listedAt === this.#current) this.#current++;
  }
};

// packages/informer/src/sharing/placement.ts
import { startTimer as startTimer4 } from '@keelson/apimachinery';
var Placement = class {
  #kind;
  #delay;
  #onDue;
  #moves = /* @__PURE__ */ new Map();
  #stopTimer;
  #dueIn = Infinity;
  /** `onDue` is called when a delayed takeover is possible. */
  constructor(kind, delay, onDue) {
    this.#kind = kind;
    this.#delay = delay;
    this.#onDue = onDue;
  }
  get hasMoves() {
    return this.#moves.size > 0;
  }
  /** The watch to which a view moves when it is ready. */
  moveOf(view) {
    return this.#moves.get(view);
  }
  /** True if the watch gave handles back before, and may not take over others yet. */
  isDelayed(watch) {
    return this.#delay.remaining(watch) > 0;
  }
  /** The watches to which views move. */
  get targets() {
    return new Set(this.#moves.values());
  }
  /** Decides again where each view moves. Starts the watches that are needed for it. */
  plan() {
    this.stop();
    const views = Array.from(this.#kind.views).toSorted((a, b) => a.wider.size - b.wider.size);
    for (const view of views) {
      const host = this.#hostOf(view);
      const isServed = host === void 0 || host.id === view.watch.id;
      if (isServed || !view.informer.isOrdered) continue;
      this.#moves.set(view, this.#kind.ownWatch(host) ?? this.#kind.begin(host));
    }
  }
  /** Moves every view whose target has reached the state that its handlers have seen. */
  advance() {
    let hasMoved = false;
    for (const [view, target] of this.#moves) {
      if (!canMove(view, target)) continue;
      this.#moves.delete(view);
      const { id } = view.watch;
      const isWidening = target.coverage.obstacleTo(view.watch.coverage) === void 0;
      view.moveTo(target);
      if (!isWidening) this.#delay.gaveBack(id);
      hasMoved = true;
    }
    return hasMoved;
  }
  remove(view) {
    this.#moves.delete(view);
  }
  stop() {
    this.#moves.clear();
    this.#stopTimer?.();
    this.#stopTimer = void 0;
    this.#dueIn = Infinity;
  }
  /** Returns the widest ready watch that can serve a new view. */
  static startOf(wider, kind) {
    const hosts = wider.filter((host2) => {
      const watch = kind.ownWatch(host2);
      return watch !== void 0 && watch.isAble && watch.informer.hasSynced;
    });
    const host = widest(hosts);
    return host === void 0 ? void 0 : kind.ownWatch(host);
  }
  /** Returns the view whose own watch should serve a view. */
  #hostOf(view) {
    if (view.isExact) return view;
    const hosts = [view, ...view.wider];
    const ready = hosts.filter((host) => this.#canServe(view, host));
    const current = ready.find(({ id }) => id === view.watch.id);
    if (ready.length > 0) return widest(ready, current);
    if (view.handles.size === 0) return void 0;
    if (this.#kind.ownWatch(view)?.isAble === false) return view;
    return widest(hosts.filter((host) => this.#mayServe(view, host))) ?? view;
  }
  /** True if the watch of the host may serve the view once it has synced. A view starts no watch but its own. */
  #mayServe(view, host) {
    if (host.handles.size === 0) return false;
    const watch = this.#kind.ownWatch(host);
    return watch === void 0 ? host === view : watch.isAble;
  }
  #canServe(view, host) {
    const watch = this.#kind.ownWatch(host);
    if (watch === void 0 || !watch.isAble || !watch.informer.hasSynced) return false;
    if (watch === view.watch || watch.id === view.id) return true;
    if (!watch.isReady || host.handles.size === 0) return false;
    const remaining = this.#delay.remaining(watch);
    if (remaining > 0) this.#wakeIn(remaining);
    return remaining === 0;
  }
  #wakeIn(ms) {
    if (ms >= this.#dueIn) return;
    this.#stopTimer?.();
    this.#dueIn = ms;
    this.#stopTimer = startTimer4(ms, this.#onDue);
  }
};
function canMove(view, target) {
  return target.isReady && target.informer.includes(view.informer) && view.isAtRest;
}
function widest(views, current) {
  let found = current ?? views[0];
  for (const view of views) if (found !== void 0 && isWider(view, found)) found = view;
  return found;
}
function isWider(a, b) {
  return b.wider.has(a) && (!a.wider.has(b) || a.order < b.order);
}

// packages/informer/src/overlay/serving-store.ts
var DerivedStore = class {
  base;
  constructor(base) {
    this.base = base;
  }
  get transform() {
    return this.base.transform;
  }
  get resourceVersion() {
    return this.base.resourceVersion;
  }
  get(name) {
    return this.view(name)?.value();
  }
  has(name) {
    return this.view(name) !== void 0;
  }
  list(options) {
    return this.views(options).flatMap((view) => ifReadable(() => [view.value()], []));
  }
  async listAsync(options = {}) {
    await this.built(options.index?.name);
    const show = (object) => this.show(object);
    return readSelection(this.select(options), this.slice(), options.signal, show);
  }
  views(options = {}) {
    return this.selected(options).map((object) => this.show(object));
  }
  indexOf(name) {
    return this.base.indexOf(name);
  }
  indexValues(name) {
    return this.base.indexValues(name);
  }
  built(index) {
    return this.base.built(index);
  }
  slice() {
    return this.base.slice();
  }
  /** Returns the form in which readers see an object. */
  show(object) {
    return object;
  }
  selected(options) {
    const { candidates, condition } = this.select(options);
    return Array.from(candidates).filter((object) => condition?.(object) !== false);
  }
};

// packages/informer/src/overlay/overlaid-store.ts
var OverlaidStore = class extends DerivedStore {
  #overlay;
  constructor(store, overlay) {
    super(store);
    this.#overlay = overlay;
  }
  get size() {
    const { size } = this.base;
    if (this.#overlay.size === 0) return size;
    const { hidden, shown: shown2 } = this.#overlay.difference();
    return size - hidden.size + shown2.length;
  }
  get bytes() {
    return this.base.bytes;
  }
  view(name) {
    return this.#over(name, this.base.view(name));
  }
  find(name) {
    return this.#over(name, this.base.find(name));
  }
  select(options) {
    const { candidates, condition } = this.base.select(options);
    if (this.#overlay.size === 0) return { candidates, condition };
    const { hidden, shown: shown2 } = this.#overlay.difference();
    const added = shown2.filter((object) => this.#isCandidate(object, options));
    return { candidates: replaced(candidates, hidden, added), condition };
  }
  indexValues(name) {
    const index = this.base.indexOf(name);
    if (this.#overlay.size === 0 || index === void 0) return index?.values();
    const own = this.#overlay.difference().shown.flatMap((object) => index.valuesOf(object));
    return [...index.values(), ...own];
  }
  /** Without an entry, a read costs one comparison more than a read of the store. */
  #over(name, stored) {
    return this.#overlay.size === 0 ? stored : this.#overlay.find(name, stored);
  }
  /** True if the store would find the object by the index or namespace of a list. */
  #isCandidate(object, { index, namespace }) {
    if (index === void 0) return !namespace || object.namespace === namespace;
    return this.base.indexOf(index.name)?.matches(object, index.value) === true;
  }
};
function* replaced(candidates, hidden, added) {
  for (const object of candidates) if (!hidden.has(object)) yield object;
  yield* added;
}

// packages/informer/src/sharing/shared-watch.ts
var DEFAULT_PAGE_SIZE = 500;
var fastestFirst = ['object', 'lazy', 'compressed'];
var UNABLE = /* @__PURE__ */ new Set(['forbidden', 'parked', 'over-budget', 'stopped']);
var SharedWatch = class {
  informer;
  overlay;
  /** The objects of the watch as readers see them. */
  store;
  coverage;
  users = /* @__PURE__ */ new Set();
  #now;
  #readySince;
  /** The budgets that limit the watch, and their policies. */
  #limits = /* @__PURE__ */ new Map();
  /** The list that brings back the bodies which a budget dropped. */
  #restored;
  constructor(informer, overlay, now) {
    this.informer = informer;
    this.overlay = overlay;
    this.store = new OverlaidStore(informer.store, overlay);
    this.coverage = new Coverage(informer.identity.query, informer.transform?.name);
    this.#now = now;
    this.checkHealth();
  }
  get id() {
    return this.informer.identity.id;
  }
  /** The handles of all queries. */
  get handles() {
    return [...this.users].flatMap(({ handles }) => [...handles]);
  }
  /** The number of objects in one page of a list: the largest that a handle requests. */
  get pageSize() {
    const given = this.handles.flatMap(({ pageSize }) => pageSize ?? []);
    return given.length === 0 ? DEFAULT_PAGE_SIZE : Math.max(...given);
  }
  /** True while the server serves and allows the watch, as far as is known. */
  get isAble() {
    const { state } = this.informer.health.current;
    return !UNABLE.has(state);
  }
  /** True if the watch can take over handles now. */
  get isReady() {
    const { hasSynced, health } = this.informer;
    return hasSynced && health.current.state === 'live' && !this.#hasLimit('metadata');
  }
  /** How long the watch has been able to take over handles, in milliseconds. */
  get readyFor() {
    return this.#readySince === void 0 ? 0 : this.#now() - this.#readySince;
  }
  /** Called after each change of the health. */
  checkHealth() {
    if (!this.isAble) this.#readySince = void 0;
    else if (this.isReady) this.#readySince ??= this.#now();
  }
  add(user) {
    this.users.add(user);
    this.retain();
  }
  remove(user) {
    this.users.delete(user);
    this.retain();
  }
  /** Called after each change of the handles. */
  retain() {
    this.informer.retainAs(this.#retention());
  }
  /** Applies the policy of a memory budget, or ends it. `facts` describe the budget in errors. */
  limitTo(budget, policy, facts) {
    const hadBodies = !this.#hasLimit('metadata');
    if (policy === void 0) this.#limits.delete(budget);
    else this.#limits.set(budget, policy);
    this.retain();
    const hasBodies = !this.#hasLimit('metadata');
    if (hadBodies && !hasBodies) this.informer.form.dropBodies(facts);
    if (!hadBodies && hasBodies) this.#restored = this.#restoreBodies();
  }
  /**
   * Ends the policy `metadata` of the memory budgets, because an indexer needs the bodies. Resolves when
   * the store has them again. Until then, reads of a dropped body and of an index over bodies throw.
   */
  async keepBodies() {
    for (const [budget, policy] of this.#limits) if (policy === 'metadata') budget.lift(this);
    this.informer.form.droppedFor = void 0;
    await this.#restored;
  }
  /** Lists again for the bodies. Until then, no reader gets any, unless an indexer needs them. */
  async #restoreBodies() {
    const { informer } = this;
    for (let lists = 0; lists < 2 && informer.store.content.hasDroppedBodies; lists++) {
      await informer.relist().catch(() => void 0);
    }
    if (!this.#hasLimit('metadata')) informer.form.droppedFor = void 0;
  }
  #retention() {
    if (this.#hasLimit('metadata')) return 'metadata';
    if (this.#hasLimit('compress')) return 'compressed';
    const wanted = new Set(this.handles.map(({ retain }) => retain));
    return fastestFirst.find((retention) => wanted.has(retention)) ?? 'lazy';
  }
  #hasLimit(policy) {
    for (const limit of this.#limits.values()) if (limit === policy) return true;
    return false;
  }
};

// packages/informer/src/sharing/takeover-delay.ts
var LONGEST_DELAY_MS = 5 * 6e4;
var FORGET_AFTER_MS = 10 * 6e4;
var TakeoverDelay = class {
  #linger;
  #now;
  #givenBack = /* @__PURE__ */ new Map();
  constructor(linger, now) {
    this.#linger = linger;
    this.#now = now;
  }
  /** A watch of this identity has given handles back to narrower watches. */
  gaveBack(id) {
    const known = this.#known(id);
    const times = (known?.times ?? 0) + 1;
    this.#givenBack.set(id, { times, lastAt: this.#now() });
  }
  /** Returns the milliseconds until a watch may take over handles. */
  remaining(watch) {
    const known = this.#known(watch.id);
    if (known === void 0) return 0;
    const delay = Math.min(this.#linger * 2 ** (known.times - 1), LONGEST_DELAY_MS);
    return Math.max(0, delay - watch.readyFor);
  }
  #known(id) {
    const known = this.#givenBack.get(id);
    if (known === void 0 || this.#now() - known.lastAt < FORGET_AFTER_MS) return known;
    this.#givenBack.delete(id);
    return void 0;
  }
};

// packages/informer/src/sharing/view.ts
import { AsyncLocalStorage } from 'node:async_hooks';
import { startTimer as startTimer5 } from '@keelson/apimachinery';

// packages/informer/src/informer/metadata-view.ts
var MetadataView = class {
  #object;
  constructor(object) {
    this.#object = object;
  }
  get key() {
    return this.#object.key;
  }
  get namespace() {
    return this.#object.namespace;
  }
  get name() {
    return this.#object.name;
  }
  get uid() {
    return this.#object.uid;
  }
  get resourceVersion() {
    return this.#object.resourceVersion;
  }
  get apiVersion() {
    return this.#object.apiVersion;
  }
  get kind() {
    return this.#object.kind;
  }
  get metadata() {
    return this.#object.metadata;
  }
  value() {
    return this.#object.partial();
  }
};

// packages/informer/src/informer/lens.ts
var Lens = class {
  /** The namespace that the query adds to those of the watch. */
  namespace;
  #isMetadata;
  #condition;
  /** The last decisions: all handlers of a query decide about the same change. */
  #last;
  #secondLast;
  constructor(query, watched) {
    const { labelSelector, fieldSelector } = query;
    this.namespace = query.namespace === watched.namespace ? void 0 : query.namespace;
    this.#isMetadata = query.projection !== watched.projection;
    const labels =
      labelSelector === void 0 || labelSelector === watched.labelSelector ? {} : { labelSelector };
    const fields = fieldSelector === void 0 ? {} : { fieldSelector };
    this.#condition = selection({ ...labels, ...fields }, watched.fieldSelector);
  }
  /** True if the namespace alone decides which objects the query selects. */
  get isNamespaceOnly() {
    return this.#condition === void 0;
  }
  selects(object) {
    if (this.#last?.object === object) return this.#last.isSelected;
    if (this.#secondLast?.object === object) return this.#secondLast.isSelected;
    this.#secondLast = this.#last;
    this.#last = { object, isSelected: this.#decide(object) };
    return this.#last.isSelected;
  }
  /** Returns the object in the projection of the query. */
  show(object) {
    return this.#isMetadata ? new MetadataView(object) : object;
  }
  #decide(object) {
    if (this.namespace !== void 0 && object.namespace !== this.namespace) return false;
    return this.#condition?.(object) !== false;
  }
};
function lensOf(query, watched) {
  const isSame2 =
    query.namespace === watched.namespace &&
    query.labelSelector === watched.labelSelector &&
    query.fieldSelector === watched.fieldSelector &&
    query.projection === watched.projection;
  return isSame2 ? void 0 : new Lens(query, watched);
}

// packages/informer/src/informer/lens-store.ts
var SELECTED = 'selected';
var LensIndex = class {
  #store;
  #lens;
  #indexer;
  constructor(store, lens, name) {
    this.#store = store;
    this.#lens = lens;
    const isSelected = (view) => lens.selects(view);
    this.#indexer = { name, head: (view) => (isSelected(view) ? [SELECTED] : []) };
  }
  /** Returns the lookup of the selected objects, or adds the index for a later scan. */
  lookup() {
    if (this.#lens.isNamespaceOnly) return void 0;
    const { name } = this.#indexer;
    const index = this.#store.indexOf(name);
    if (index === void 0) this.#store.addIndexer(this.#indexer, this);
    return index?.isComplete === true ? { name, value: SELECTED } : void 0;
  }
  /** Removes the index. A later scan would add it again. */
  close() {
    this.#store.removeIndexer(this.#indexer, this);
  }
};
var LensStore = class extends DerivedStore {
  #lens;
  #index;
  constructor(base, lens, index) {
    super(base);
    this.#lens = lens;
    this.#index = index;
  }
  get size() {
    return this.selected({}).length;
  }
  get bytes() {
    return this.selected({}).reduce((bytes, { byteLength }) => bytes + byteLength, 0);
  }
  view(name) {
    const object = this.base.view(name);
    return object !== void 0 && this.#lens.selects(object) ? this.show(object) : void 0;
  }
  find(name) {
    const object = this.base.find(name);
    return object !== void 0 && this.#lens.selects(object) ? object : void 0;
  }
  select(options) {
    const isWhole = options.index === void 0 && !options.namespace;
    const index = isWhole ? this.#index.lookup() : void 0;
    if (index !== void 0) return this.base.select({ ...options, index });
    const { candidates, condition } = this.base.select(this.#narrowed(options));
    const isSelected = (view) => this.#lens.selects(view) && condition?.(view) !== false;
    return { candidates, condition: isSelected };
  }
  show(object) {
    return this.#lens.show(object);
  }
  /** Scans only the namespace of the query, unless the caller names one or uses an index. */
  #narrowed(options) {
    const { namespace } = this.#lens;
    return options.namespace || namespace === void 0 ? options : { ...options, namespace };
  }
};

// packages/informer/src/sharing/view.ts
var View = class {
  id;
  query;
  transform;
  isExact;
  coverage;
  order;
  /** The async context of the first handle, in which the transform runs. */
  inContext = AsyncLocalStorage.snapshot();
  /** The views whose own watch could serve this view. */
  wider = /* @__PURE__ */ new Set();
  #options;
  #handles = /* @__PURE__ */ new Set();
  #registrations = /* @__PURE__ */ new Set();
  #indexers = /* @__PURE__ */ new Map();
  #listeners = /* @__PURE__ */ new Set();
  #watch;
  #lens;
  #stores;
  #stopTimer;
  constructor(options, watch) {
    this.id = options.id;
    this.query = options.query;
    this.transform = options.transform;
    this.isExact = options.isExact;
    this.coverage = options.coverage;
    this.order = options.order;
    this.#options = options;
    this.#watch = watch;
    this.#lens = lensOf(this.query, watch.informer.identity.query);
    this.#stores = this.#storesOf(watch);
    watch.add(this);
    this.#followSync();
  }
  /** The watch that serves the view. */
  get watch() {
    return this.#watch;
  }
  get informer() {
    return this.#watch.informer;
  }
  /** The objects of the view, as reads return them. */
  get store() {
    return this.#stores.store;
  }
  /** The same without own writes: only what the watch has received. */
  get received() {
    return this.#stores.received;
  }
  get hasSynced() {
    const { hasSynced, health } = this.informer;
    return hasSynced && health.current.state !== 'over-budget';
  }
  get handles() {
    return this.#handles;
  }
  get isLingering() {
    return this.#stopTimer !== void 0;
  }
  /** True if every handler has received all states that the watch has delivered. */
  get isAtRest() {
    for (const { isAtRest } of this.#registrations) if (!isAtRest) return false;
    return true;
  }
  addHandle(handle) {
    this.#stopTimer?.();
    this.#stopTimer = void 0;
    this.#handles.add(handle);
    this.#watch.retain();
    if (this.#handles.size === 1) this.#options.onHeld();
    if (this.hasSynced) handle.onSynced();
  }
  /** Removes a handle. A second call has no effect, because a handle can only remove itself. */
  removeHandle(handle) {
    if (!this.#handles.delete(handle)) return;
    this.#watch.retain();
    if (this.#handles.size > 0) return;
    const { linger, onEnd, onHeld } = this.#options;
    onHeld();
    if (linger === 0) onEnd(this);
    else this.#stopTimer = startTimer5(linger, () => onEnd(this));
  }
  addHandler(added) {
    const registration = this.informer.addHandler({
      ...added,
      lens: this.#lens,
      onRemove: () => {
        this.#registrations.delete(registration);
        added.onRemove();
      },
    });
    this.#registrations.add(registration);
    return registration;
  }
  /**
   * Adds an index, which exists until `removeIndexer`. One over bodies ends the policy `metadata` of a
   * memory budget. Throws `INDEXER_CONFLICT`.
   */
  addIndexer(indexer, token) {
    this.#options.checkIndexer(indexer);
    const { store } = this.informer;
    const restored = 'body' in indexer ? this.#watch.keepBodies() : void 0;
    store.addIndexer(indexer, token);
    this.#indexers.set(token, { indexer, inContext: AsyncLocalStorage.snapshot() });
    const built = () => store.built(indexer.name);
    return restored === void 0 ? built() : restored.then(built);
  }
  removeIndexer(token) {
    const added = this.#indexers.get(token);
    if (added === void 0) return;
    this.#indexers.delete(token);
    this.informer.store.removeIndexer(added.indexer, token);
  }
  onHealthChange(owner, listener) {
    const listening = this.informer.onHealthChange(owner, listener);
    const added = { owner, listener, listening, inContext: AsyncLocalStorage.snapshot() };
    this.#listeners.add(added);
    return {
      [Symbol.dispose]: () => {
        this.#listeners.delete(added);
        added.listening[Symbol.dispose]();
      },
    };
  }
  /** Makes the watch list again. If the view moves in the meantime, its new watch does so. */
  async relist() {
    for (;;) {
      const { informer } = this;
      try {
        await informer.relist();
        return;
      } catch (error) {
        if (informer === this.informer) throw error;
      }
    }
  }
  /** Moves the handles to another watch. Readers see its store at once, handlers the difference. */
  moveTo(watch) {
    const from = this.#watch;
    const lensBefore = this.#lens;
    const hasHandlers = this.#registrations.size > 0;
    const before = hasHandlers ? Array.from(from.informer.store.all(lensBefore?.namespace)) : [];
    this.#watch = watch;
    this.#lens = lensOf(this.query, watch.informer.identity.query);
    this.#moveIndexers(from.informer, watch.informer);
    this.#stores.index?.close();
    this.#stores = this.#storesOf(watch);
    watch.add(this);
    const passed = hasHandlers ? watch.overlay.passedOf(from.overlay) : [];
    const move = { before, lensBefore, lens: this.#lens, passed };
    watch.informer.takeHandlers(from.informer, [...this.#registrations], move);
    from.remove(this);
    this.#moveListeners(from.informer, watch.informer);
    this.#followSync();
  }
  /** Ends the view, even if it has handles. */
  end() {
    this.#stopTimer?.();
    this.#stopTimer = void 0;
    const handles = [...this.#handles];
    this.#handles.clear();
    for (const handle of handles) handle.onClosed();
    this.#stores.index?.close();
    this.#watch.remove(this);
  }
  #storesOf({ informer, store }) {
    const lens = this.#lens;
    if (lens === void 0) return { store, received: informer.store };
    const index = new LensIndex(informer.store, lens, `view ${this.id}`);
    return {
      store: new LensStore(store, lens, index),
      received: new LensStore(informer.store, lens, index),
      index,
    };
  }
  #followSync() {
    const { informer } = this.#watch;
    const synced = () => {
      if (this.informer !== informer) return;
      for (const handle of this.#handles) handle.onSynced();
    };
    if (informer.hasSynced) synced();
    else informer.synced.then(synced, () => void 0);
  }
  #moveIndexers(from, to) {
    for (const [token, { indexer, inContext }] of this.#indexers) {
      inContext(() => to.store.addIndexer(indexer, token));
      from.store.removeIndexer(indexer, token);
    }
  }
  #moveListeners(from, to) {
    for (const added of this.#listeners) {
      added.listening[Symbol.dispose]();
      const { owner, listener, inContext } = added;
      const known = from.health.current;
      added.listening = inContext(() => to.onHealthChange(owner, listener, known));
    }
  }
};

// packages/informer/src/sharing/watch-text.ts
function watchText({ kind }, options) {
  const members3 = Object.entries(options)
    .filter(([, value]) => value !== void 0)
    .map(([name, value]) => `, ${name}: ${JSON.stringify(value)}`);
  return `{ resource: ${kind}${members3.join('')} }`;
}
function viewText({ query, transform }) {
  const { resource, projection, ...narrowing } = query;
  const form = projection === 'full' ? {} : { projection };
  return watchText(resource, { ...narrowing, ...form, transform: transform?.name });
}

// packages/informer/src/sharing/kind-watches.ts
var KindWatches = class {
  #options;
  #watches = /* @__PURE__ */ new Map();
  #views = /* @__PURE__ */ new Map();
  #timeline = new Timeline();
  #placement;
  #order = 0;
  #isScheduled = false;
  #mustPlan = false;
  #isClosed = false;
  constructor(options) {
    const { linger, now } = options;
    this.#options = options;
    this.#placement = new Placement(this, new TakeoverDelay(linger, now), () => this.#replan());
  }
  get watches() {
    return this.#watches.values();
  }
  get views() {
    return this.#views.values();
  }
  get placement() {
    return this.#placement;
  }
  /** Yields the views with a handle, in the order of their creation. */
  *held() {
    for (const view of this.#views.values()) if (view.handles.size > 0) yield view;
  }
  ownWatch({ id }) {
    return this.#watches.get(id);
  }
  /** Returns the view of a query. A new one is served by a running watch, or starts its own. */
  view({ query, transform, isExact }) {
    for (const view2 of this.#outdated(transform)) this.#remove(view2);
    const id = identityOf2(query, transform?.name);
    const key = isExact ? `exact ${id}` : id;
    const found = this.#views.get(key);
    if (found !== void 0) return found;
    const coverage = new Coverage(query, transform?.name);
    const wider = [...this.views].filter((other) => canServe(other.coverage, coverage));
    const watch =
      (isExact ? void 0 : Placement.startOf(wider, this)) ??
      this.#watches.get(id) ??
      this.#begin(id, query, transform);
    const view = new View(
      {
        id,
        query,
        transform,
        coverage,
        isExact,
        order: this.#order++,
        linger: this.#options.linger,
        onHeld: () => this.#replan(),
        onEnd: (ended) => this.#end(ended),
        checkIndexer: (indexer) => this.checkIndexer(indexer),
      },
      watch,
    );
    this.#add(key, view, wider);
    return view;
  }
  begin({ id, query, transform, inContext }) {
    return inContext(() => this.#begin(id, query, transform));
  }
  /** Records a state that the server returned for a write. Returns true if a watch did not have it. */
  written(write) {
    const isNews = Array.from(this.watches, ({ overlay }) => overlay.written(write));
    return isNews.includes(true);
  }
  /** Records that an object no longer exists. Returns true if a watch did not know it. */
  deleted(object) {
    const isNews = Array.from(this.watches, ({ overlay }) => overlay.deleted(object));
    return isNews.includes(true);
  }
  /** Throws `TRANSFORM_CONFLICT` if a view with a handle has another function of this name. */
  checkTransform(transform) {
    for (const view of this.held()) {
      if (!differs(view, transform)) continue;
      throw informerError('TRANSFORM_CONFLICT', {
        transform: transform?.name,
        resource: resourceId5(view.query.resource),
        watch: viewText(view),
      });
    }
  }
  /** Throws `INDEXER_CONFLICT` if a watch has another function of this name. */
  checkIndexer(indexer) {
    for (const view of this.views) {
      const known = view.informer.store.indexOf(indexer.name)?.indexer;
      if (known === void 0 || isSameIndexer(known, indexer)) continue;
      throw informerError('INDEXER_CONFLICT', {
        indexer: indexer.name,
        resource: resourceId5(view.query.resource),
        watch: viewText(view),
      });
    }
  }
  /** Ends all views and watches, even if they have handles. */
  close() {
    this.#isClosed = true;
    this.#placement.stop();
    for (const view of this.views) view.end();
    this.#views.clear();
    for (const watch of this.watches) this.#endWatch(watch);
    this.#options.onEmpty();
  }
  #add(key, view, wider) {
    for (const other of wider) view.wider.add(other);
    for (const other of this.views) {
      if (canServe(view.coverage, other.coverage)) other.wider.add(view);
    }
    this.#views.set(key, view);
    this.#replan();
  }
  #end(view) {
    this.#remove(view);
    if (this.#watches.size === 0) this.#options.onEmpty();
  }
  #remove(view) {
    for (const [key, known] of this.#views) if (known === view) this.#views.delete(key);
    for (const other of this.views) other.wider.delete(view);
    this.#placement.remove(view);
    view.end();
    this.#endUnused();
    this.#replan();
  }
  #begin(id, query, transform) {
    const informer = this.#options.informer({
      identity: { id, query },
      transform,
      timeline: this.#timeline,
      pageSize: () => watch.pageSize,
      pendingWrites: () => overlay.pending(),
      onProgress: () => {
        overlay.progressed();
        this.#progress();
      },
      onRemove: (object) => overlay.removed(object),
    });
    const overlay = this.#options.overlay(informer, () => this.#timeline.current);
    for (const other of this.watches) overlay.adopt(other.overlay);
    const watch = new SharedWatch(informer, overlay, this.#options.now);
    this.#watches.set(id, watch);
    const changed = () => {
      watch.checkHealth();
      this.#replan();
      this.#options.onChange();
    };
    informer.synced.then(changed, () => void 0);
    informer.health.onChange(changed, () => void 0);
    this.#options.start(informer);
    return watch;
  }
  /** Ends the watches that serve no view, and that no view waits for. */
  #endUnused() {
    const { targets } = this.#placement;
    for (const watch of this.watches) {
      if (watch.users.size === 0 && !targets.has(watch)) this.#endWatch(watch);
    }
  }
  #endWatch(watch) {
    this.#watches.delete(watch.id);
    watch.overlay.close();
    this.#options.onEnding(watch.informer.stop());
  }
  #progress() {
    if (this.#placement.hasMoves) this.#schedule();
  }
  #replan() {
    this.#mustPlan = true;
    this.#schedule();
  }
  /** Handlers are called for a move, so a move must not run inside of another change. */
  #schedule() {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => this.#settle());
  }
  #settle() {
    this.#isScheduled = false;
    if (this.#isClosed) return;
    if (this.#mustPlan) {
      this.#mustPlan = false;
      this.#placement.plan();
      this.#endUnused();
    }
    if (!this.#placement.advance()) return;
    this.#endUnused();
    this.#replan();
    this.#options.onChange();
  }
  /**
   * Returns lingering views whose transform is another function of this name: a new handle cannot
   * use their watch.
   */
  #outdated(transform) {
    return [...this.views].filter((view) => view.handles.size === 0 && differs(view, transform));
  }
};
function canServe(wider, other) {
  return wider.obstacleTo(other) === void 0;
}
function differs({ transform: known }, given) {
  return known?.name === given?.name && known?.apply !== given?.apply;
}

// packages/informer/src/overlay/overlay.ts
import { objectKey as objectKey2 } from '@keelson/apimachinery';

// packages/informer/src/overlay/overlay-entries.ts
import { objectKey, startTimer as startTimer6 } from '@keelson/apimachinery';
var MAX_ENTRIES = 1e4;
var MAX_BYTES = 16 * 1024 * 1024;
var MAX_AGE_MS = 5 * 6e4;
var MAX_REPLACED = 16;
var OverlayEntries = class {
  #options;
  #states = /* @__PURE__ */ new Map();
  #deletions = /* @__PURE__ */ new Map();
  #bytes = 0;
  #stopTimer;
  constructor(options) {
    this.#options = options;
  }
  get size() {
    return this.#states.size + this.#deletions.size;
  }
  get states() {
    return this.#states.values();
  }
  get deletions() {
    return this.#deletions.values();
  }
  stateOf(key) {
    return this.#states.get(key);
  }
  deletionOf(uid) {
    return this.#deletions.get(uid);
  }
  /** Returns the names of all entries, each once. */
  names() {
    const names = /* @__PURE__ */ new Map();
    for (const [key, { write }] of this.#states) names.set(key, write.name);
    for (const { deleted } of this.#deletions.values()) names.set(objectKey(deleted), deleted);
    return names.values();
  }
  /** Adds a state, which replaces that of the same name. */
  addState(state) {
    const { key } = state.write;
    const former = this.#states.get(key);
    const replaced2 = former === void 0 ? [] : this.#replace(former);
    this.#states.set(key, { ...state, replaced: replaced2 });
    this.#bytes += state.write.bytes.length;
    this.#bound();
  }
  addDeletion(deletion) {
    this.#deletions.set(deletion.deleted.uid, deletion);
    this.#bound();
  }
  end(entry, cause) {
    if ('deleted' in entry) this.#deletions.delete(entry.deleted.uid);
    else {
      this.#states.delete(entry.write.key);
      for (const state of [...entry.replaced, entry]) this.#forget(state);
    }
    this.#options.onEnd(cause, entry);
  }
  /** Ends all entries. */
  close() {
    for (let entry = this.#oldest(); entry !== void 0; entry = this.#oldest()) {
      this.end(entry, 'closed');
    }
    this.#stopTimer?.();
  }
  /** Ends a state for readers, and returns it with those that it replaced. */
  #replace(former) {
    this.#states.delete(former.write.key);
    const replaced2 = [...former.replaced, { ...former, replaced: [] }];
    for (const state of replaced2.splice(0, replaced2.length - MAX_REPLACED)) this.#forget(state);
    this.#options.onEnd('replaced', former);
    return replaced2;
  }
  #forget({ write, object }) {
    this.#bytes -= write.bytes.length;
    if (object !== void 0) this.#options.onUnused(object);
  }
  #bound() {
    const oldest = this.size > MAX_ENTRIES ? this.#oldest() : void 0;
    if (oldest !== void 0) this.end(oldest, 'evicted');
    for (const state of this.#states.values()) {
      if (this.#bytes <= MAX_BYTES) break;
      this.end(state, 'evicted');
    }
    if (this.#stopTimer === void 0 && this.size > 0) this.#startTimer(MAX_AGE_MS);
  }
  #startTimer(milliseconds) {
    this.#stopTimer = startTimer6(milliseconds, () => this.#expire());
  }
  #expire() {
    this.#stopTimer = void 0;
    const limit = this.#options.now() - MAX_AGE_MS;
    for (let entry = this.#oldest(); entry !== void 0; entry = this.#oldest()) {
      if (entry.at > limit) return this.#startTimer(entry.at - limit);
      this.end(entry, 'expired');
    }
  }
  #oldest() {
    const [state] = this.#states.values();
    const [deletion] = this.#deletions.values();
    if (state === void 0 || deletion === void 0) return state ?? deletion;
    return state.at < deletion.at ? state : deletion;
  }
};

// packages/informer/src/overlay/recent-deletions.ts
var MAX_UIDS = 256;
var RecentDeletions = class {
  #uids = /* @__PURE__ */ new Set();
  add(uid) {
    this.#uids.add(uid);
    if (this.#uids.size <= MAX_UIDS) return;
    const [oldest = ''] = this.#uids;
    this.#uids.delete(oldest);
  }
  has(uid) {
    return this.#uids.has(uid);
  }
};

// packages/informer/src/overlay/write-scope.ts
import {
  matchesFields as matchesFields2,
  matchesLabels as matchesLabels4,
  parseFieldSelector as parseFieldSelector3,
  parseLabelSelector as parseLabelSelector4,
} from '@keelson/apimachinery';
var WriteScope = class {
  /** False if only the server can decide which objects the query selects. */
  isDecidable;
  /** True if an object never leaves the query before it is deleted. */
  isLasting;
  #namespace;
  #labels;
  #fields;
  constructor({ namespace, labelSelector = '', fieldSelector = '' }) {
    this.#namespace = namespace;
    this.#labels = parseLabelSelector4(labelSelector);
    this.#fields = parseFieldSelector3(fieldSelector);
    this.isDecidable = this.#fields.every(isName);
    this.isLasting = this.#labels.length === 0;
  }
  /** False if no version of the object can be in the store. */
  concerns(name) {
    if (!this.isDecidable) return false;
    if (this.#namespace !== void 0 && this.#namespace !== name.namespace) return false;
    return matchesFields2(this.#fields, { metadata: name });
  }
  /** True if the query selects this state of an object. */
  selects({ labels }) {
    return matchesLabels4(this.#labels, labels);
  }
};

// packages/informer/src/overlay/overlay.ts
var Overlay = class {
  #options;
  #scope;
  #entries;
  #recent = new RecentDeletions();
  constructor(options) {
    const { watch, keeper, observer, now, onLost } = options;
    this.#options = options;
    this.#scope = new WriteScope(watch.identity.query);
    this.#entries = new OverlayEntries({
      now,
      onEnd: (cause, entry) => {
        observer.ownWriteEnded?.(watch.identity, cause, now() - entry.at);
        if (cause === 'expired' || cause === 'evicted') onLost({ key: keyOf2(entry) });
      },
      onUnused: (object) => keeper.discard(object),
    });
  }
  /** The number of entries. */
  get size() {
    return this.#entries.size;
  }
  /**
   * Records a state that the server returned. Returns false if the watch has that state or a later
   * one, or never has the object.
   */
  written(write, arrival = this.#arrival()) {
    if (!this.#isNews(write)) return false;
    const isSelected = this.#scope.selects(write);
    const object = isSelected ? this.#options.keeper.keep(write) : void 0;
    if (isSelected && object === void 0) return false;
    this.#entries.addState({ epoch: arrival.epoch, at: arrival.at, write, object });
    return true;
  }
  /** Records that an object no longer exists. Returns false if the watch has seen the deletion. */
  deleted(deleted, arrival = this.#arrival()) {
    const { uid } = deleted;
    if (!this.#scope.concerns(deleted) || !this.#options.watch.isOrdered) return false;
    if (this.#recent.has(uid) || this.#entries.deletionOf(uid) !== void 0) return false;
    this.#entries.addDeletion({ epoch: arrival.epoch, at: arrival.at, deleted });
    return true;
  }
  /** Takes the entries of another watch of the kind, whose handles may move to this one. */
  adopt(other) {
    for (const deletion of other.#entries.deletions) this.deleted(deletion.deleted, deletion);
    for (const state of other.#entries.states) {
      for (const each of [...state.replaced, state]) this.written(each.write, each);
    }
  }
  /** Returns the object that readers see. `stored` is that of the store. */
  find(name, stored) {
    if (!this.#options.watch.isOrdered) return stored;
    const state = this.#entries.stateOf(objectKey2(name));
    const object = state !== void 0 && this.#counts(state) ? state.object : stored;
    return object !== void 0 && this.#isDeleted(object) ? void 0 : object;
  }
  /** Returns what a read of many objects must change. */
  difference() {
    const { store } = this.#options.watch;
    const hidden = /* @__PURE__ */ new Set();
    const shown2 = [];
    for (const name of this.#entries.names()) {
      const stored = store.find(name);
      const object = this.find(name, stored);
      if (object === stored) continue;
      if (stored !== void 0) hidden.add(stored);
      if (object !== void 0) shown2.push(object);
    }
    return { hidden, shown: shown2 };
  }
  /** Returns every state that readers saw and that the watch has not reached, in the order of their versions. */
  pending() {
    return this.#ahead().flatMap(({ object }) => object ?? []);
  }
  /** Returns the states that count in another watch and that this one has passed, as this one keeps them. */
  passedOf(other) {
    return other.#ahead().flatMap(({ write }) => {
      if (this.#isAhead(write.resourceVersion) || !this.#selects(write)) return [];
      const object = this.#options.keeper.keep(write);
      if (object === void 0) return [];
      this.#options.keeper.discard(object);
      return [object];
    });
  }
  /** Called after each change of the version of the store: ends the states that it has reached. */
  progressed() {
    for (const state of this.#entries.states) {
      if (this.#counts(state)) break;
      this.#entries.end(state, 'reached');
    }
    for (const deletion of this.#entries.deletions) {
      if (this.#isOfPresent(deletion)) break;
      this.#entries.end(deletion, 'reached');
    }
  }
  /** Called when an object has left the store. */
  removed({ uid }) {
    if (!this.#scope.isLasting) return;
    this.#recent.add(uid);
    const deletion = this.#entries.deletionOf(uid);
    if (deletion !== void 0) this.#entries.end(deletion, 'reached');
  }
  /** Drops all entries, because the watch has ended. */
  close() {
    this.#entries.close();
    this.#options.keeper.close();
  }
  /** False for a state that the watch or another response has superseded. */
  #isNews({ name, key, resourceVersion }) {
    const { isOrdered } = this.#options.watch;
    if (!this.#scope.concerns(name) || !isOrdered || !hasReached(resourceVersion, '1'))
      return false;
    if (!this.#isAhead(resourceVersion)) return false;
    const known = this.#entries.stateOf(key);
    return (
      known === void 0 ||
      !this.#isOfPresent(known) ||
      isOlder(known.write.resourceVersion, resourceVersion)
    );
  }
  /** Returns the states that count, and the replaced ones that would. */
  #ahead() {
    return [...this.#entries.states]
      .flatMap((state) => [...state.replaced, state])
      .filter((state) => this.#counts(state));
  }
  #selects(write) {
    return this.#scope.concerns(write.name) && this.#scope.selects(write);
  }
  #counts(state) {
    const { isOrdered } = this.#options.watch;
    return isOrdered && this.#isOfPresent(state) && this.#isAhead(state.write.resourceVersion);
  }
  /** True if the store has not reached the version. */
  #isAhead(version) {
    const reached = this.#options.watch.store.resourceVersion;
    return reached === '' || isOlder(reached, version);
  }
  /** False for an entry from before the server was replaced or restored from a backup. */
  #isOfPresent({ epoch }) {
    return epoch === this.#options.epoch();
  }
  /** True unless the version is later than the last one of a deleted object, which then still exists. */
  #isDeleted({ uid, resourceVersion }) {
    const deletion = this.#entries.deletionOf(uid);
    if (deletion === void 0 || !this.#isOfPresent(deletion)) return false;
    const last = deletion.deleted.resourceVersion;
    return last === void 0 || !isOlder(last, resourceVersion);
  }
  #arrival() {
    return { epoch: this.#options.epoch(), at: this.#options.now() };
  }
};
function keyOf2(entry) {
  return 'deleted' in entry ? objectKey2(entry.deleted) : entry.write.key;
}

// packages/informer/src/overlay/own-write.ts
import {
  apiVersionOf as apiVersionOf2,
  invalidOption as invalidOption6,
  jsonFormat as jsonFormat3,
  objectKey as objectKey3,
} from '@keelson/apimachinery';
function checkDeleted(object) {
  checkObject(object, 'deleted.object');
  const { name, uid } = object;
  for (const text of [name, uid]) {
    if (typeof text === 'string' && text !== '') continue;
    throw invalidOption6('deleted.object', 'must have a name and a uid');
  }
}
var OwnWrite = class _OwnWrite {
  name;
  key;
  uid;
  resourceVersion;
  labels;
  #object;
  #bytes;
  constructor(object, { namespace, name, uid, resourceVersion }) {
    this.name = namespace === void 0 ? { name } : { namespace, name };
    this.key = objectKey3(this.name);
    this.uid = uid;
    this.resourceVersion = resourceVersion ?? '';
    this.labels = { ...object.metadata?.labels };
    this.#object = object;
  }
  /**
   * Returns the write for a response. `undefined` for a response that has no stored object of the
   * kind: a `Scale`, a review or metadata alone.
   */
  static of(resource, object) {
    const { apiVersion, kind, metadata = {} } = object;
    if (kind !== resource.kind || apiVersion !== apiVersionOf2(resource)) return void 0;
    const { namespace, name, uid, resourceVersion } = metadata;
    if (!name || !uid || !resourceVersion) return void 0;
    return new _OwnWrite(object, { namespace, name, uid, resourceVersion });
  }
  /**
   * The state as JSON. It is encoded at the first use, which must be before the caller of the write
   * gets the object and may change it.
   */
  get bytes() {
    this.#bytes ??= Buffer.from(JSON.stringify(this.#object));
    this.#object = void 0;
    return this.#bytes;
  }
  /** Returns the state as a watch of the projection receives it. */
  frame(projection) {
    const buffer = projection === 'full' ? this.bytes : metadataOf(this.bytes);
    return { type: 'MODIFIED', format: jsonFormat3, buffer, from: 0, to: buffer.length };
  }
};
function metadataOf(bytes) {
  const { metadata } = jsonFormat3.decode(bytes, 0, bytes.length);
  const partial = { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata };
  return Buffer.from(JSON.stringify(partial));
}

// packages/informer/src/overlay/write-keeper.ts
var WriteKeeper = class {
  #options;
  #form;
  #intake;
  #target;
  constructor(options) {
    const { identity, transform, keepManagedFields, memory, observer, now } = options;
    const { resource, projection } = identity.query;
    this.#options = options;
    this.#target = {
      content: new ObjectBytes({ slabs: memory.slabs, now }),
      intern: (namespace) => namespace,
    };
    this.#form = new ObjectForm({ resource, projection, memory, keepManagedFields });
    this.#intake = new Intake({
      form: this.#form,
      transform,
      onSkip: (cause, error) => observer.skipped?.(identity, cause, error),
      onUnreadable: (error) => observer.skipped?.(identity, 'malformed', error),
    });
  }
  /** Returns the object of a write; `undefined` if the transform failed. */
  keep(write) {
    const intake = this.#intake;
    try {
      if (!intake.read(write.frame(this.#options.identity.query.projection))) return void 0;
      return intake.keep(this.#target);
    } finally {
      intake.done();
    }
  }
  /** Frees the memory of an object. Views that readers have remain readable. */
  discard(object) {
    object.retire();
    this.#target.content.discard(object);
  }
  /** Forgets all objects, because the watch has ended. */
  close() {
    this.#options.memory.release(this.#form);
    this.#target.content.abandon();
  }
};

// packages/informer/src/cache/resource-map.ts
import { resourceId as resourceId6 } from '@keelson/apimachinery';
var ResourceMap = class {
  #values = /* @__PURE__ */ new Map();
  /**
   * The ids of tokens. Every cached read looks up its token, so computing the id each time would be
   * slow.
   */
  #ids = /* @__PURE__ */ new WeakMap();
  get(resource) {
    return this.#values.get(this.#idOf(resource));
  }
  set(resource, value) {
    this.#values.set(this.#idOf(resource), value);
  }
  delete(resource) {
    this.#values.delete(this.#idOf(resource));
  }
  values() {
    return this.#values.values();
  }
  #idOf(resource) {
    const known = this.#ids.get(resource);
    if (known !== void 0) return known;
    const id = resourceId6(resource);
    this.#ids.set(resource, id);
    return id;
  }
};

// packages/informer/src/cache/cache-kinds.ts
var DEFAULT_LINGER_MS = 1e4;
var DEFAULT_PARSED_BYTES = 32 * 1024 * 1024;
var CacheKinds = class {
  memory;
  #options;
  #host;
  #linger;
  #budgets;
  #supports;
  #spread;
  /** The lister-watcher and the observer run in the async context of the cache, not in that of a handle. */
  #inContext = AsyncLocalStorage2.snapshot();
  #kinds = new ResourceMap();
  /** Watches that have ended, but whose last request may still be open. */
  #ending = /* @__PURE__ */ new Set();
  constructor(options, host) {
    const { linger = DEFAULT_LINGER_MS, parsedBytes = DEFAULT_PARSED_BYTES } = options;
    const { random = Math.random, freeze = false } = options;
    const { now } = host;
    this.#options = options;
    this.#host = host;
    this.#linger = parseDuration3(linger, 'createInformerCache.linger');
    this.memory = new Memory({ parsedBytes, freeze, now });
    this.#budgets = options.memoryBudget && this.#budgetsOf(options.memoryBudget);
    this.#supports = new WatchListSupports(now);
    this.#spread = new ReconnectSpread(now, random);
  }
  /** Returns the kind if it has a watch. */
  get(resource) {
    return this.#kinds.get(resource);
  }
  values() {
    return [...this.#kinds.values()];
  }
  /** Returns the kind, without a watch at first. */
  make(resource) {
    const found = this.#kinds.get(resource);
    if (found !== void 0) return found;
    const kind = new KindWatches({
      linger: this.#linger,
      now: this.#host.now,
      informer: (options) => this.#informer(options),
      overlay: (informer, epoch) => this.#overlay(informer, epoch),
      start: (informer) => this.#inContext(() => informer.start()),
      onChange: this.#host.onChange,
      onEnding: (ended) => {
        const ending = ended.finally(() => this.#ending.delete(ending));
        this.#ending.add(ending);
      },
      onEmpty: () => this.#kinds.delete(resource),
    });
    this.#kinds.set(resource, kind);
    return kind;
  }
  /** The memory that does not belong to a store, and the budgets for the stores. */
  get memoryUse() {
    const { pinned, free } = this.memory.slabs;
    return { pinnedBytes: pinned, freeBytes: free, budgets: this.#budgets?.uses ?? [] };
  }
  /** Records a state that the server returned for a write. */
  written(resource, object) {
    const kind = this.#recording(resource);
    const write = kind && OwnWrite.of(resource, object);
    if (write !== void 0 && kind?.written(write) === true) {
      this.#host.onObjectChange(resource, write);
    }
  }
  /** Records that an object no longer exists. */
  deleted(resource, object) {
    if (this.#recording(resource)?.deleted(object) !== true) return;
    this.#host.onObjectChange(resource, { key: objectKey4(object) });
  }
  /** Ends every watch without linger. */
  close() {
    this.#budgets?.close();
    for (const kind of this.values()) kind.close();
  }
  /** Resolves when the last request of every watch has ended. */
  async ended() {
    await Promise.all(this.#ending);
  }
  #budgetsOf(budget) {
    const { observer } = this.#host;
    return new MemoryBudgets({
      budget,
      watches: () => this.values().flatMap(({ watches }) => [...watches]),
      onChange: (change) => observer.memoryBudgetChanged?.(change),
    });
  }
  /** Returns the kind if own writes are recorded and it has a watch. */
  #recording(resource) {
    return this.#options.overlay === false ? void 0 : this.get(resource);
  }
  #overlay(informer, epoch) {
    const { keepManagedFields = false } = this.#options;
    const { observer, now, onObjectChange } = this.#host;
    const { identity, transform } = informer;
    const { memory } = this;
    const onLost = (object) => onObjectChange(identity.query.resource, object);
    const shared = { identity, transform, keepManagedFields, memory, observer, now };
    const keeper = new WriteKeeper(shared);
    return new Overlay({ watch: informer, keeper, observer, epoch, now, onLost });
  }
  #informer(options) {
    const { keepManagedFields = false, random = Math.random, listerWatcher } = this.#options;
    const { observer, now, onObjectChange } = this.#host;
    const { query } = options.identity;
    return new Informer({
      ...options,
      onChange: (object) => onObjectChange(query.resource, object),
      keepManagedFields,
      listerWatcher: () => listerWatcher(query),
      memory: this.memory,
      growth: (informer) => this.#budgets?.growthOf(informer),
      support: this.#supports.of(query.resource.group),
      spread: this.#spread,
      observer,
      now,
      random,
    });
  }
};

// packages/informer/src/cache/cache-scope.ts
var ScopeHandles = class {
  rule = 'union';
  #declaredIn;
  #kinds = new ResourceMap();
  constructor({ declaredIn }) {
    this.#declaredIn = declaredIn;
  }
  /** Adds a handle and returns the function that removes it. */
  add(view, handle) {
    const { resource } = view.query;
    const views = this.#kinds.get(resource) ?? /* @__PURE__ */ new Map();
    this.#kinds.set(resource, views);
    const handles = views.get(view) ?? /* @__PURE__ */ new Set();
    views.set(view, handles.add(handle));
    return () => {
      handles.delete(handle);
      if (handles.size === 0) views.delete(view);
      if (views.size === 0) this.#kinds.delete(resource);
    };
  }
  viewsOf(resource) {
    return this.#kinds.get(resource)?.keys() ?? [];
  }
  all() {
    return Array.from(this.#kinds.values()).flatMap((views) => [...views.keys()]);
  }
  declare(watch) {
    return this.#declaredIn === void 0
      ? `acquire(${watch}, \u2026)`
      : `${this.#declaredIn}: [${watch}]`;
  }
};

// packages/informer/src/sharing/handle.ts
import {
  checkFunction as checkFunction3,
  checkOptions as checkOptions5,
  checkSignal as checkSignal2,
  parseDuration as parseDuration4,
} from '@keelson/apimachinery';

// packages/informer/src/sharing/event-stream.ts
var INITIAL_DONE = /* @__PURE__ */ Symbol('initial done');
var initialDone = { type: 'initialDone' };
var EventStream = class {
  #pending = /* @__PURE__ */ new Map();
  /**
   * The position in the pending entries: starting from the first would scan over all removed
   * entries.
   */
  #unread = this.#pending.entries();
  /** The entry whose deletion was read last, and whose present object comes next: it keeps its place before the mark. */
  #rest;
  #unsubscribe;
  #signal;
  #waiting = [];
  #ended = false;
  constructor(subscribe, signal) {
    this.#signal = signal;
    this.#unsubscribe = subscribe({
      onEvent: (event) => this.#push(event),
      onInitialDone: () => this.#put(INITIAL_DONE, {}),
      onEnd: () => this.#end(),
    });
    if (signal?.aborted === true) this.#end();
    else signal?.addEventListener('abort', this.#onAbort);
  }
  [Symbol.asyncIterator]() {
    return this;
  }
  async next() {
    const event = this.#shift();
    if (event !== void 0) return { done: false, value: event };
    if (this.#ended) return done;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
  async return() {
    this.#end();
    this.#pending.clear();
    return done;
  }
  #onAbort = () => this.#end();
  #end() {
    if (this.#ended) return;
    this.#ended = true;
    this.#unsubscribe();
    this.#signal?.removeEventListener('abort', this.#onAbort);
    this.#pending.clear();
    for (const resolve of this.#waiting.splice(0)) resolve(done);
  }
  #push(event) {
    const folded = fold(this.#pending.get(event.key) ?? {}, event);
    if (folded === void 0) this.#pending.delete(event.key);
    else this.#put(event.key, folded);
  }
  #put(slot, entry) {
    if (this.#ended) return;
    this.#pending.set(slot, entry);
    while (this.#waiting.length > 0) {
      const value = this.#shift();
      if (value === void 0) return;
      this.#waiting.shift()?.({ done: false, value });
    }
  }
  #shift() {
    const next = this.#next();
    if (next.done === true) return void 0;
    const [slot, { deleted, present }] = next.value;
    if (slot === INITIAL_DONE) {
      this.#pending.delete(slot);
      return initialDone;
    }
    if (deleted === void 0 || present === void 0) this.#pending.delete(slot);
    else {
      this.#pending.set(slot, { present });
      this.#rest = slot;
    }
    return deleted ?? present;
  }
  #next() {
    const rest = this.#rest;
    this.#rest = void 0;
    const entry = rest === void 0 ? void 0 : this.#pending.get(rest);
    if (rest !== void 0 && entry !== void 0) return { done: false, value: [rest, entry] };
    const next = this.#unread.next();
    if (next.done !== true || this.#pending.size === 0) return next;
    this.#unread = this.#pending.entries();
    return this.#unread.next();
  }
};
var done = { done: true, value: void 0 };
function fold(pending, event) {
  const { present } = pending;
  if (event.type === 'added') return { ...pending, present: event };
  if (event.type === 'updated') {
    return { ...pending, present: present === void 0 ? event : later(present, event) };
  }
  if (present?.type !== 'added') return { deleted: event };
  return pending.deleted === void 0 ? void 0 : { deleted: pending.deleted };
}
function later(unread, { object, receivedAt }) {
  return { ...unread, object, receivedAt };
}

// packages/informer/src/sharing/handle-store.ts
var HandleStore = class {
  #view;
  #check;
  /** `check` throws after the release of the handle. */
  constructor(view, check) {
    this.#view = view;
    this.#check = check;
  }
  get size() {
    return this.#store().size;
  }
  get bytes() {
    return this.#store().bytes;
  }
  get resourceVersion() {
    return this.#store().resourceVersion;
  }
  get(name, options) {
    checkStoreOptions(options, 'get');
    return this.#store(options).get(name);
  }
  has(name, options) {
    checkStoreOptions(options, 'has');
    return this.#store(options).has(name);
  }
  view(name, options) {
    checkStoreOptions(options, 'view');
    return this.#store(options).view(name);
  }
  list(options) {
    checkListOptions(options, 'list');
    return this.#store(options).list(options);
  }
  async listAsync(options) {
    checkListOptions(options, 'listAsync');
    return this.#store(options).listAsync(options);
  }
  views(options) {
    checkListOptions(options, 'views');
    return this.#store(options).views(options);
  }
  #store({ overlay = true } = {}) {
    this.#check();
    return overlay ? this.#view.store : this.#view.received;
  }
};

// packages/informer/src/sharing/handle.ts
var Handle = class {
  owner;
  required;
  store;
  #view;
  #resources;
  constructor({ view, onEnd, ...entry }) {
    this.owner = entry.owner;
    this.required = entry.required;
    this.#view = view;
    const resources = new HandleResources(view, entry, onEnd);
    this.#resources = resources;
    const store = new HandleStore(view, () => resources.check());
    this.store = store;
  }
  get identity() {
    return this.#view.watch.id;
  }
  get synced() {
    return this.#resources.synced.promise;
  }
  get hasSynced() {
    return !this.#resources.isEnded && this.#view.hasSynced;
  }
  get health() {
    return this.#view.informer.health.current;
  }
  onHealthChange(listener) {
    this.#resources.check();
    checkFunction3(listener, 'onHealthChange.listener');
    const listening = this.#view.onHealthChange(this.owner, listener);
    return this.#resources.own(() => listening[Symbol.dispose]());
  }
  addEventHandler(handler, options = {}) {
    this.#resources.check();
    checkFunction3(handler, 'addEventHandler.handler');
    checkOptions5(options, ['resync'], 'addEventHandler');
    const registration = this.#view.addHandler({
      owner: this.owner,
      handler,
      resync: parseDuration4(options.resync ?? 0, 'addEventHandler.resync'),
      onRemove: () => owned[Symbol.dispose](),
    });
    const owned = this.#resources.own(() => registration.remove());
    return registration;
  }
  events(options = {}) {
    checkOptions5(options, ['signal'], 'events');
    checkSignal2(options.signal, 'events.signal');
    return new EventStream(({ onEvent, onInitialDone, onEnd }) => {
      const registration = this.addEventHandler(onEvent);
      registration.synced.then(onInitialDone, () => void 0);
      const owned = this.#resources.own(() => {
        registration.remove();
        onEnd();
      });
      return () => owned[Symbol.dispose]();
    }, options.signal);
  }
  addIndexer(indexer) {
    this.#resources.check();
    const shared = indexer;
    checkIndexerOf(this.#view.query, shared, 'addIndexer');
    const token = {};
    const built = this.#view.addIndexer(shared, token);
    const owned = this.#resources.own(() => this.#view.removeIndexer(token));
    return { built, [Symbol.dispose]: () => owned[Symbol.dispose]() };
  }
  async restart(options = {}) {
    checkOptions5(options, ['signal'], 'restart');
    checkSignal2(options.signal, 'restart.signal');
    this.#resources.check();
    const { signal } = options;
    signal?.throwIfAborted();
    const ended = Promise.withResolvers();
    const abort = () => ended.reject(signal?.reason);
    const owned = this.#resources.own((code) => {
      if (code === void 0) ended.resolve();
      else ended.reject(informerError(code, { owner: this.owner }));
    });
    signal?.addEventListener('abort', abort);
    try {
      await Promise.race([this.#view.relist(), ended.promise]);
    } finally {
      signal?.removeEventListener('abort', abort);
      owned[Symbol.dispose]();
    }
  }
  release() {
    this.#resources.end('HANDLE_RELEASED');
  }
  [Symbol.dispose]() {
    this.release();
  }
};
var HandleResources = class {
  synced = new Deferred();
  #view;
  #entry;
  #owned = /* @__PURE__ */ new Set();
  #onEnd;
  #ended;
  constructor(view, entry, onEnd) {
    this.#view = view;
    this.#onEnd = onEnd;
    this.#entry = {
      ...entry,
      onSynced: () => this.synced.resolve(),
      onClosed: () => this.end('CACHE_CLOSED'),
    };
    view.addHandle(this.#entry);
  }
  get isEnded() {
    return this.#ended !== void 0;
  }
  check() {
    if (this.isEnded) throw informerError('HANDLE_RELEASED', { owner: this.#entry.owner });
  }
  /**
   * Adds a resource. It ends with the handle at the latest, with the code of that end; disposing of
   * the result ends it earlier, without one.
   */
  own(end) {
    const owned = {
      [Symbol.dispose]: () => {
        if (this.#owned.delete(owned)) end(this.#ended);
      },
    };
    this.#owned.add(owned);
    return owned;
  }
  end(code) {
    if (this.isEnded) return;
    this.#ended = code;
    for (const owned of this.#owned) owned[Symbol.dispose]();
    this.synced.reject(informerError(code, { owner: this.#entry.owner }));
    this.#view.removeHandle(this.#entry);
    this.#onEnd();
  }
};

// packages/informer/src/cache/object-wait.ts
import { AsyncLocalStorage as AsyncLocalStorage3 } from 'node:async_hooks';
import {
  checkFunction as checkFunction4,
  checkOptions as checkOptions6,
  checkSignal as checkSignal3,
  hasCode as hasCode5,
  invalidOption as invalidOption7,
  objectKey as objectKey5,
  parseDuration as parseDuration5,
  resourceId as resourceId7,
  startTimer as startTimer7,
} from '@keelson/apimachinery';
function checkWaitFor(predicate, options) {
  checkFunction4(predicate, 'waitFor.predicate');
  checkOptions6(options, ['projection', 'transform', 'overlay', 'timeout', 'signal'], 'waitFor');
  checkForm({ ...options }, 'waitFor');
  checkSignal3(options.signal, 'waitFor.signal');
  if (options.timeout !== void 0) parseDuration5(options.timeout, 'waitFor.timeout');
}
var ObjectWaits = class {
  #kinds = new ResourceMap();
  #count = 0;
  /** Checks all waits again after a sync, an acquire, a release, a move or the close. */
  changed() {
    if (this.#count === 0) return;
    for (const keys of this.#kinds.values()) {
      for (const checks of keys.values()) for (const check of checks) check();
    }
  }
  /** Checks the waits for an object after each change of a store, and after each own write. */
  objectChanged(resource, object) {
    if (this.#count === 0) return;
    for (const check of this.#kinds.get(resource)?.get(object.key) ?? []) check();
  }
  /** Resolves with the first state for which the predicate holds; `undefined` for no object. */
  async wait(target, { signal, timeout }) {
    checkServed(target);
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers();
    const state = new ObservedState(target, { resolve, reject });
    const abort = () => state.fail(signal?.reason);
    const expire = () => state.fail(state.timeoutError());
    const remove = this.#add(target, () => state.check());
    signal?.addEventListener('abort', abort);
    const stopTimer =
      timeout === void 0 ? void 0 : startTimer7(parseDuration5(timeout, 'waitFor.timeout'), expire);
    try {
      state.check();
      return await promise;
    } finally {
      stopTimer?.();
      signal?.removeEventListener('abort', abort);
      remove();
    }
  }
  #add({ resource, name }, check) {
    const key = objectKey5(name);
    const keys = this.#kinds.get(resource) ?? /* @__PURE__ */ new Map();
    const checks = keys.get(key) ?? /* @__PURE__ */ new Set();
    this.#kinds.set(resource, keys.set(key, checks.add(check)));
    this.#count++;
    return () => {
      this.#count--;
      checks.delete(check);
      if (checks.size === 0) keys.delete(key);
      if (keys.size === 0) this.#kinds.delete(resource);
    };
  }
};
var ObservedState = class {
  #target;
  #settle;
  /** Runs a function in the async context of the caller of `waitFor`. */
  #inContext = AsyncLocalStorage3.snapshot();
  /** The last state that the predicate has received. */
  #last;
  #hasState = false;
  #isSettled = false;
  constructor(target, { resolve, reject }) {
    this.#target = target;
    this.#settle = { resolve, reject };
  }
  /** Calls the predicate if the state has changed. */
  check() {
    try {
      this.#observe(this.#target.find());
    } catch (error) {
      if (!isTemporary(error)) this.fail(this.#afterStart(error));
    }
  }
  /** Ends the wait: the predicate is not called again. */
  fail(error) {
    this.#isSettled = true;
    this.#settle.reject(error);
  }
  timeoutError() {
    const seen2 = this.#hasState ? (this.#last?.resourceVersion ?? 'no object') : 'not synced';
    return informerError('WAIT_TIMEOUT', { ...factsOf(this.#target), seen: seen2 });
  }
  #observe({ object, transform }) {
    const last = this.#last;
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
    if (last !== void 0 && object !== void 0 && last.uid !== object.uid) this.#try(void 0);
    this.#try(form);
  }
  #try(form) {
    if (this.#isSettled) return;
    const holds = this.#inContext(
      callUserCode,
      (error) => this.fail(error),
      this.#target.predicate,
      form,
    );
    if (holds === FAILED || this.#isSettled) return;
    if (typeof holds === 'object' && holds !== null)
      return this.fail(invalidOption7('waitFor.predicate', 'must return a boolean'));
    if (!holds) return;
    this.#isSettled = true;
    this.#settle.resolve(form);
  }
  /** A watch served the read when the wait began. */
  #afterStart(error) {
    if (!hasCode5(error, 'NOT_WATCHED')) return error;
    return informerError('HANDLE_RELEASED', factsOf(this.#target), error);
  }
};
function checkServed({ find }) {
  try {
    find();
  } catch (error) {
    if (!isTemporary(error)) throw error;
  }
}
function isTemporary(error) {
  return hasCode5(error, 'NOT_SYNCED') || hasCode5(error, 'OBJECT_MALFORMED');
}
function factsOf({ resource, name }) {
  return { resource: resourceId7(resource), ...name };
}

// packages/informer/src/cache/store-reader.ts
import { TimeSlice as TimeSlice9 } from '@keelson/apimachinery';

// packages/informer/src/contract/read.ts
import {
  parseFieldSelector as parseFieldSelector4,
  parseLabelSelector as parseLabelSelector5,
} from '@keelson/apimachinery';
function readOfName({ namespace, name }, options = {}) {
  const fields = [equal('metadata.name', name)];
  return readOf(namespace, { labels: [], fields, selectors: {}, index: void 0 }, options);
}
function readOfList(options) {
  const { namespace, labelSelector, fieldSelector } = options;
  const labels = labelSelector ? parseLabelSelector5(labelSelector) : [];
  const fields = fieldSelector ? parseFieldSelector4(fieldSelector) : [];
  const selectors = {
    ...(labelSelector ? { labelSelector } : {}),
    ...(fieldSelector ? { fieldSelector } : {}),
  };
  const index = options.index?.name;
  return readOf(namespace, { labels, fields, selectors, index }, options);
}
function readOf(namespace, selection2, { projection = 'full', transform, overlay = true }) {
  if (!namespace) return { ...selection2, namespace: void 0, projection, transform, overlay };
  const fields = [...selection2.fields, equal('metadata.namespace', namespace)];
  return { ...selection2, fields, namespace, projection, transform, overlay };
}
function equal(path, value) {
  return { path, operator: '=', value };
}

// packages/informer/src/cache/index-read.ts
import { invalidOption as invalidOption8 } from '@keelson/apimachinery';

// packages/informer/src/indexes/owner-index.ts
import { ownerReferenceTo } from '@keelson/apimachinery';
var indexers = {
  controller: {
    name: 'owner:controller',
    head: ({ metadata }) =>
      (metadata.ownerReferences ?? []).filter(({ controller }) => controller === true).map(valueOf),
  },
  any: {
    name: 'owner:any',
    head: ({ metadata }) => (metadata.ownerReferences ?? []).map(valueOf),
  },
};
function ownerIndexer(owners = 'controller') {
  return indexers[owners];
}
function ownerValue(owner) {
  return valueOf(ownerReferenceTo(owner));
}
function valueOf({ uid, kind, apiVersion }) {
  const slash = apiVersion.indexOf('/');
  return `${uid} ${kind} ${slash < 0 ? '' : apiVersion.slice(0, slash)}`;
}

// packages/informer/src/cache/index-read.ts
function selectionBy(index, value, options, where) {
  checkIndex(index, `${where}.index`);
  if (typeof value !== 'string') throw invalidOption8(`${where}.value`, 'must be a string');
  checkReadOptions2(options, where);
  const indexer = index;
  return { ...options, index: { name: index.name, value, indexer } };
}
function selectionOfOwned(owner, options) {
  checkObject(owner, 'owned.owner');
  checkObject(options, 'owned');
  const { owners = 'controller', ...others } = options;
  checkChoice(owners, ['controller', 'any'], 'owned.owners');
  checkReadOptions2(others, 'owned');
  const indexer = ownerIndexer(owners);
  return {
    ...others,
    namespace: others.namespace ?? owner.metadata?.namespace,
    index: { name: indexer.name, value: ownerValue(owner), indexer, scans: true },
  };
}
function checkReadOptions2(options, where) {
  checkListOptions(options, where);
  if ('index' in options) throw invalidOption8(`${where}.index`, 'is an unknown option');
}

// packages/informer/src/cache/serving-stores.ts
import { resourceId as resourceId8 } from '@keelson/apimachinery';
function servingStores(scope, resource, read) {
  const candidates = [...scope.viewsOf(resource)];
  const able = candidates.filter(({ coverage }) =>
    scope.rule === 'union' ? coverage.reaches(read) : coverage.covers(read),
  );
  if (able.length === 0) throw notWatched(scope, resource, read);
  const synced = able.filter(({ hasSynced }) => hasSynced);
  const stores = new Set(preferred(synced, read).map((view) => storeFor(view, read)));
  const [first, ...others] = stores;
  if (first === void 0) throw notSynced(resource, able);
  return scope.rule === 'union' ? [first, ...others] : [first];
}
function checkAbsence(scope, resource, read, name) {
  if (scope.rule !== 'union' || read.projection === 'metadata') return;
  const views = [...scope.viewsOf(resource)];
  const serving = views.filter(({ coverage }) => coverage.reaches(read));
  for (const view of views) {
    const head = storeFor(view, read).find(name);
    const labels = head?.metadata.labels;
    if (head === void 0 || serving.some(({ coverage }) => coverage.selectsLabels(labels))) {
      continue;
    }
    throw notWatched(scope, resource, read);
  }
}
function storeFor({ store, received }, { overlay }) {
  return overlay ? store : received;
}
function preferred(views, { index }) {
  if (views.length < 2) return views;
  const rank = ({ coverage, store }) =>
    Number(index !== void 0 && store.indexOf(index) === void 0) +
    (coverage.transform === void 0 ? 0 : 2);
  return views.toSorted((a, b) => rank(a) - rank(b));
}
function wholeStore(scope, resource) {
  let others = 0;
  let found;
  for (const { coverage, hasSynced, store } of scope.viewsOf(resource)) {
    if (coverage.isWhole && hasSynced) found ??= store;
    else others++;
  }
  return scope.rule === 'union' && others > 0 ? void 0 : found;
}
function notSynced(resource, [view]) {
  const { state, reason } = view?.informer.health.current ?? {};
  return informerError('NOT_SYNCED', { resource: resourceId8(resource), state, reason });
}
function notWatched(scope, resource, read) {
  const { namespace, selectors, projection, transform } = read;
  const asked = {
    ...(namespace === void 0 ? {} : { namespace }),
    ...selectors,
    ...(projection === 'full' ? {} : { projection }),
    ...(transform === void 0 ? {} : { transform }),
  };
  return informerError('NOT_WATCHED', {
    resource: resourceId8(resource),
    ...asked,
    declare: scope.declare(watchText(resource, asked)),
    watched: Array.from(scope.viewsOf(resource), viewText),
  });
}

// packages/informer/src/cache/store-union.ts
import { resourceId as resourceId9 } from '@keelson/apimachinery';
var StoreUnion = class {
  #resource;
  #stores;
  constructor(resource, stores) {
    this.#resource = resource;
    this.#stores = stores;
  }
  /** Returns the newest version of an object. */
  find(name) {
    return this.locate(name).object;
  }
  /** Returns the newest version of an object, and the name of the transform that made its form. */
  locate(name) {
    let transform;
    let found;
    for (const store of this.#stores) {
      const object = store.find(name);
      if (object === void 0) continue;
      if (found !== void 0) {
        const isNewer = isOlder(found.resourceVersion, object.resourceVersion);
        if (transform !== store.transform || !isNewer) continue;
      }
      ({ transform } = store);
      found = object;
    }
    return { object: found, transform };
  }
  /** Selects the objects of each store, except those of which another store has a newer version. */
  select(options) {
    return this.#stores.map((store) => {
      const { candidates, condition } = this.#selectIn(store, options);
      if (this.#stores.length === 1) return { candidates, condition };
      return { candidates: this.#newestOf(store, candidates), condition };
    });
  }
  /** Returns the values of an index under which it has at least one object of the selection. */
  indexValues(options) {
    const known = this.#indexOf(options.index);
    const values = new Set(this.#stores.flatMap((store) => valuesIn(store, known)));
    const isUsed = (value) =>
      this.select({ ...options, index: { ...options.index, value } }).some(isNotEmpty);
    return [...values].filter(isUsed);
  }
  /** Resolves when lists can use the index without a scan. */
  async built(index) {
    for (const store of this.#stores) await store.built(index);
  }
  #selectIn(store, options) {
    const { index } = options;
    if (index === void 0) return store.select(options);
    const known = this.#indexOf(index);
    if (store.indexOf(index.name) !== void 0) return store.select(options);
    const { candidates, condition } = store.select({ ...options, index: void 0 });
    return {
      candidates: Array.from(candidates).filter((object) => known.matches(object, index.value)),
      condition,
    };
  }
  /** Returns the index of one of the stores: a store without it is scanned with its function. */
  #indexOf({ name, indexer, scans = false }) {
    for (const store of this.#stores) {
      const known = store.indexOf(name);
      if (known === void 0) continue;
      if (indexer === void 0 || isSameIndexer(known.indexer, indexer)) return known;
      throw this.#error('INDEXER_CONFLICT', { indexer: name });
    }
    if (scans && indexer !== void 0) return new ObjectIndex(indexer, () => void 0);
    throw this.#error('INDEX_UNKNOWN', { index: name });
  }
  #error(code, facts) {
    return informerError(code, { ...facts, resource: resourceId9(this.#resource) });
  }
  #newestOf(store, candidates) {
    return Array.from(candidates).filter(
      (object) => this.find(object) === object && this.#firstWith(object) === store,
    );
  }
  /** Two views of one watch have the same object: only the first one returns it. */
  #firstWith(object) {
    return this.#stores.find((store) => store.find(object) === object);
  }
};
function isNotEmpty({ candidates, condition }) {
  for (const object of candidates) if (condition?.(object) !== false) return true;
  return false;
}
function valuesIn(store, known) {
  const values = store.indexValues(known.indexer.name);
  if (values !== void 0) return values;
  return Array.from(store.select({}).candidates).flatMap((object) => known.valuesOf(object));
}

// packages/informer/src/cache/store-reader.ts
var StoreReader = class {
  #scope;
  #time;
  #waits;
  constructor(scope, now, waits) {
    this.#scope = scope;
    this.#time = now;
    this.#waits = waits;
  }
  get(resource, name, options) {
    checkResource(resource, 'get.resource');
    checkName(resource, name);
    checkReadOptions(options, 'get');
    const whole = options === void 0 ? wholeStore(this.#scope, resource) : void 0;
    const object = whole === void 0 ? this.#find(resource, name, options) : whole.find(name);
    return object === void 0 ? void 0 : formOf(object, options);
  }
  list(resource, options = {}) {
    checkResource(resource, 'list.resource');
    checkListOptions(options, 'list');
    return this.#list(resource, options);
  }
  async listAsync(resource, options = {}) {
    checkResource(resource, 'listAsync.resource');
    checkListOptions(options, 'listAsync');
    await this.#listed(resource, options).built(options.index?.name);
    const selections = this.#listed(resource, options)
      .select(options)
      .map(({ candidates, condition }) => ({ objects: Array.from(candidates), condition }));
    const found = [];
    const slice = new TimeSlice9(this.#time);
    for (const { objects, condition } of selections) {
      const take = (object) => {
        if (condition?.(object) !== false) collect(found, object, options);
      };
      await slice.each(objects, take, options.signal);
    }
    return found;
  }
  by(index, value, options = {}) {
    const selection2 = selectionBy(index, value, options, 'by');
    return this.#list(index.resource, selection2);
  }
  namesBy(index, value, options = {}) {
    const selection2 = { ...selectionBy(index, value, options, 'namesBy'), ...headOnly2 };
    const found = [];
    this.#each(index.resource, selection2, (object) => void found.push(nameOf(object)));
    return found;
  }
  indexValues(index, options = {}) {
    const selection2 = { ...selectionBy(index, '', options, 'indexValues'), ...headOnly2 };
    return this.#listed(index.resource, selection2).indexValues(selection2);
  }
  owned(resource, owner, options = {}) {
    checkResource(resource, 'owned.resource');
    return this.#list(resource, selectionOfOwned(owner, options));
  }
  async waitFor(resource, name, predicate, options = {}) {
    checkResource(resource, 'waitFor.resource');
    checkName(resource, name);
    checkWaitFor(predicate, options);
    const read = readOfName(name, options);
    const find = () => this.#union(resource, read).locate(name);
    const show = (object) => formOf(object, options);
    return this.#waits.wait({ resource, name, predicate, find, formOf: show }, options);
  }
  #find(resource, name, options) {
    const read = readOfName(name, options);
    const object = this.#union(resource, read).find(name);
    if (object === void 0) checkAbsence(this.#scope, resource, read, name);
    return object;
  }
  #list(resource, selection2) {
    const found = [];
    this.#each(resource, selection2, (object) => collect(found, object, selection2));
    return found;
  }
  #each(resource, selection2, take) {
    for (const { candidates, condition } of this.#listed(resource, selection2).select(selection2)) {
      for (const object of candidates) if (condition?.(object) !== false) take(object);
    }
  }
  /** The stores that serve a list. */
  #listed(resource, selection2) {
    checkNamespaceOf(resource, selection2.namespace);
    return this.#union(resource, readOfList(selection2));
  }
  #union(resource, read) {
    return new StoreUnion(resource, servingStores(this.#scope, resource, read));
  }
};
var headOnly2 = { projection: 'metadata' };
function nameOf({ namespace, name }) {
  return namespace === void 0 ? { name } : { namespace, name };
}
function collect(found, object, options) {
  const form = ifReadable(() => formOf(object, options), void 0);
  if (form !== void 0) found.push(form);
}
function formOf(object, options) {
  const form = options?.projection === 'metadata' ? object.partial() : object.value();
  return form;
}

// packages/informer/src/cache/scoped-cache.ts
var ScopedCache = class extends StoreReader {
  acquire;
  waitForSync;
  constructor(scope, now, objectWaits, { acquire, waitForSync }) {
    super(scope, now, objectWaits);
    this.acquire = acquire;
    this.waitForSync = (options = {}) => waitForSync(options);
  }
};

// packages/informer/src/cache/sync-wait.ts
import {
  checkOptions as checkOptions7,
  checkSignal as checkSignal4,
  invalidOption as invalidOption9,
  parseDuration as parseDuration6,
  resourceId as resourceId10,
  startTimer as startTimer8,
} from '@keelson/apimachinery';
var SyncWaits = class {
  #waiting = /* @__PURE__ */ new Set();
  /** Checks all waits again after a sync, an acquire or a release. */
  changed() {
    for (const wake of this.#waiting) wake();
  }
  async wait(scope, options) {
    checkOptions7(options, ['resources', 'timeout', 'signal'], 'waitForSync');
    checkSignal4(options.signal, 'waitForSync.signal');
    for (const resource of listOf2(options)) checkResource(resource, 'waitForSync.resources');
    const limit = limitOf(options);
    try {
      for (;;) {
        const waiting = unsynced(scope, options.resources);
        if (waiting.length === 0) return;
        if (limit.reached()) throw notSynced2(waiting, options.signal?.reason);
        await this.#change(limit);
      }
    } finally {
      limit.release();
    }
  }
  async #change(limit) {
    const { promise, resolve } = Promise.withResolvers();
    this.#waiting.add(resolve);
    limit.onReached(resolve);
    await promise;
    this.#waiting.delete(resolve);
  }
};
function listOf2({ resources = [] }) {
  if (Array.isArray(resources)) return resources;
  throw invalidOption9('waitForSync.resources', 'must be a list');
}
function limitOf({ timeout, signal }) {
  let isOver = signal?.aborted === true;
  let listener;
  const end = () => {
    isOver = true;
    listener?.();
  };
  const stopTimer =
    timeout === void 0 ? void 0 : startTimer8(parseDuration6(timeout, 'waitForSync.timeout'), end);
  signal?.addEventListener('abort', end);
  return {
    reached: () => isOver,
    onReached: (next) => {
      listener = next;
    },
    release: () => {
      stopTimer?.();
      signal?.removeEventListener('abort', end);
    },
  };
}
function unsynced(scope, resources) {
  const held = [...scope.views()].filter(({ handles }) => handles.size > 0);
  const wanted =
    resources === void 0
      ? held.filter(({ handles }) => [...handles].some(({ required }) => required))
      : resources.flatMap((resource) => viewsOf(scope, held, resource));
  return wanted.filter(({ hasSynced }) => !hasSynced);
}
function viewsOf(scope, held, resource) {
  const id = resourceId10(resource);
  const found = held.filter(({ query }) => resourceId10(query.resource) === id);
  if (found.length > 0) return found;
  const declare = scope.declare(`{ resource: ${resource.kind} }`);
  throw informerError('NOT_WATCHED', { resource: id, declare });
}
function notSynced2(views, cause) {
  const waiting = views.map(({ query, informer: { health } }) => ({
    resource: resourceId10(query.resource),
    state: health.current.state,
    reason: health.current.reason,
  }));
  return informerError('NOT_SYNCED', { waiting }, cause);
}

// packages/informer/src/sharing/watch-plan.ts
function planOf(kind) {
  return [...kind.views].flatMap((view) => {
    const others = [...kind.watches]
      .filter((watch) => watch !== view.watch)
      .map((watch) => ({ watch: watch.id, reason: reasonOf(kind, view, watch) }));
    return Array.from(view.handles, ({ owner, required, retain }) => ({
      owner,
      required,
      retain,
      query: view.query,
      transform: view.transform?.name,
      sharing: view.isExact ? 'exact' : 'views',
      watch: view.watch.id,
      isView: view.watch.id !== view.id,
      movesTo: kind.placement.moveOf(view)?.id,
      others,
    }));
  });
}
function reasonOf({ placement, views }, view, watch) {
  if (view.isExact) return 'exact';
  const obstacle = watch.coverage.obstacleTo(view.coverage);
  return (
    obstacle ??
    stateReason(watch) ??
    (view.informer.isOrdered && watch.informer.isOrdered ? void 0 : 'unordered') ??
    (watch.isReady ? void 0 : 'disconnected') ??
    (placement.moveOf(view) === watch ? 'behind' : void 0) ??
    (isHeld(views, watch) ? void 0 : 'lingering') ??
    (placement.isDelayed(watch) ? 'delayed' : 'narrower')
  );
}
function stateReason({ informer }) {
  const { state } = informer.health.current;
  if (state === 'forbidden' || state === 'parked' || state === 'over-budget') return state;
  return informer.hasSynced ? void 0 : 'unsynced';
}
function isHeld(views, watch) {
  for (const { id, handles } of views) if (id === watch.id && handles.size > 0) return true;
  return false;
}

// packages/informer/src/sharing/watch-inventory.ts
function inventoryOf({ informer, overlay, handles }) {
  const { identity, store, transform, lastEventAge } = informer;
  const { retention } = store.content;
  return {
    identity: identity.id,
    query: identity.query,
    transform: transform?.name,
    retain:
      identity.query.projection === 'metadata' && retention === 'lazy' ? 'metadata' : retention,
    projection: identity.query.projection,
    health: informer.health.current,
    synced: informer.hasSynced,
    handles: handles.map(({ owner, required }) => ({ owner, required })),
    objects: store.size,
    ownWrites: overlay.size,
    bytes: store.bytes,
    indices: store.indices.map(({ indexer, size }) => ({
      name: indexer.name,
      over: 'head' in indexer ? 'head' : 'body',
      values: size,
    })),
    resourceVersion: store.resourceVersion,
    lastEventAge,
  };
}

// packages/informer/src/cache/shared-cache.ts
var SharedCache = class _SharedCache extends StoreReader {
  /**
   * The registered values refer to no watch, which would keep a leaked handle alive. All caches share
   * the registry, for the reason of the one in `SlabPool`.
   */
  static #leaks = new FinalizationRegistry(({ observer, watch, owner }) =>
    observer.handleLeaked?.(watch, owner),
  );
  #observer;
  #now;
  #kinds;
  #waits = new SyncWaits();
  #objectWaits;
  #closed = false;
  constructor(options) {
    const now = options.now ?? (() => performance.now());
    const objectWaits = new ObjectWaits();
    super(
      strict((resource) => this.#heldOf(resource)),
      now,
      objectWaits,
    );
    this.#objectWaits = objectWaits;
    this.#observer = guardedObserver(options.observer ?? {});
    this.#now = now;
    this.#kinds = new CacheKinds(options, {
      observer: this.#observer,
      now,
      onChange: () => this.#changed(),
      onObjectChange: (resource, object) => objectWaits.objectChanged(resource, object),
    });
  }
  acquire(query, options) {
    return this.#acquire(query, options, void 0);
  }
  scope(options = {}) {
    checkOptions8(options, ['declaredIn'], 'scope');
    const handles = new ScopeHandles(options);
    const scope = {
      rule: handles.rule,
      declare: (watch) => handles.declare(watch),
      viewsOf: (resource) => {
        this.#check();
        return handles.viewsOf(resource);
      },
    };
    return new ScopedCache(scope, this.#now, this.#objectWaits, {
      acquire: (query, handleOptions) => this.#acquire(query, handleOptions, handles),
      waitForSync: (waiting) =>
        this.#waits.wait(
          this.#whileOpen(() => handles.all(), scope),
          waiting,
        ),
    });
  }
  async waitForSync(options = {}) {
    await this.#waits.wait(
      this.#whileOpen(() => this.#views(), { declare: declareHandle }),
      options,
    );
  }
  served(resource) {
    checkResource(resource, 'served.resource');
    for (const { informer } of this.#kinds.get(resource)?.watches ?? []) informer.wake();
  }
  written(resource, object) {
    checkResource(resource, 'written.resource');
    checkObject(object, 'written.object');
    this.#kinds.written(resource, object);
  }
  deleted(resource, object) {
    checkResource(resource, 'deleted.resource');
    checkDeleted(object);
    this.#kinds.deleted(resource, object);
  }
  inventory() {
    return this.#kinds.values().flatMap(({ watches }) => Array.from(watches, inventoryOf));
  }
  plan() {
    return this.#kinds.values().flatMap(planOf);
  }
  memory() {
    return this.#kinds.memoryUse;
  }
  async close() {
    this.#closed = true;
    this.#kinds.close();
    this.#changed();
    await this.#kinds.ended();
  }
  async [Symbol.asyncDispose]() {
    await this.close();
  }
  #changed() {
    this.#waits.changed();
    this.#objectWaits.changed();
  }
  #check() {
    if (this.#closed) throw informerError('CACHE_CLOSED');
  }
  #heldOf(resource) {
    this.#check();
    return this.#kinds.get(resource)?.held() ?? [];
  }
  #views() {
    return this.#kinds.values().flatMap(({ views }) => [...views]);
  }
  #whileOpen(views, { declare }) {
    const check = () => {
      this.#check();
      return views();
    };
    return { views: check, declare };
  }
  #acquire(query, options, scope) {
    this.#check();
    checkHandleOptions(options);
    const { owner, required = true } = options;
    const view = this.#viewOf(query);
    const { retain, pageSize } = query;
    const token = {};
    const leaveScope = scope?.add(view, token);
    const onEnd = () => {
      _SharedCache.#leaks.unregister(token);
      leaveScope?.();
      this.#changed();
    };
    const handle = new Handle({ view, owner, required, retain, pageSize, onEnd });
    const lost = { observer: this.#observer, watch: view.informer.identity, owner };
    _SharedCache.#leaks.register(handle, lost, token);
    try {
      for (const indexer of query.indexers ?? []) handle.addIndexer(indexer);
    } catch (error) {
      handle.release();
      throw error;
    }
    this.#changed();
    return handle;
  }
  /** Returns the view of a query, whose watch runs. */
  #viewOf(given) {
    const query = normalQuery(given);
    const { transform, sharing, indexers: indexers2 = [] } = given;
    const kind = this.#kinds.make(query.resource);
    kind.checkTransform(transform);
    for (const indexer of indexers2) kind.checkIndexer(indexer);
    const view = kind.view({ query, transform, isExact: sharing === 'exact' });
    if (view.isLingering) this.#observer.lingerReused?.(view.informer.identity);
    return view;
  }
};
function strict(viewsOf2) {
  return { rule: 'covering', viewsOf: viewsOf2, declare: declareHandle };
}
function declareHandle(watch) {
  return `acquire(${watch}, \u2026)`;
}
function checkHandleOptions(options) {
  checkOptions8(options, ['owner', 'required'], 'acquire.options');
  if (typeof options.owner !== 'string' || options.owner === '') {
    throw invalidOption10('acquire.options.owner', 'must be a name');
  }
  checkChoice(options.required, [true, false], 'acquire.options.required');
}

// packages/informer/src/cache/informer-cache.ts
function createInformerCache(options) {
  checkRuntime();
  checkCacheOptions(options);
  return new SharedCache(options);
}

// packages/informer/src/indexes/selector-index.ts
import { fieldValue, invalidOption as invalidOption11 } from '@keelson/apimachinery';
function labelIndex(resource, key) {
  checkTerm(key, 'labelIndex.key');
  const valuesOf = (labels = {}) => {
    const value = Object.hasOwn(labels, key) ? labels[key] : void 0;
    return value === void 0 ? [] : [value];
  };
  return markedIndex(
    defineIndex(resource, `label:${key}`, { head: ({ metadata }) => valuesOf(metadata.labels) }),
  );
}
function fieldIndex(resource, path) {
  checkTerm(path, 'fieldIndex.path');
  const valuesOf = (object) => [fieldValue(object, path)];
  const inHead = path.startsWith('metadata.');
  return markedIndex(
    defineIndex(resource, `field:${path}`, inHead ? { head: valuesOf } : valuesOf),
  );
}
function markedIndex(index) {
  return Object.freeze({ ...index, [evaluatesSelector]: true });
}
function checkTerm(term, where) {
  if (typeof term !== 'string' || term === '') throw invalidOption11(where, 'must be a text');
}
export {
  checkMemoryBudget,
  checkWatchQuery,
  createInformerCache,
  defineIndex,
  fieldIndex,
  informerErrors,
  isSameIndexer,
  labelIndex,
  ownerIndexer,
};
//# sourceMappingURL=index.js.map
