// packages/manager/src/manager/controller-manager.ts
import { checkOptions as checkOptions21, checkSignal as checkSignal6 } from '@keelson/apimachinery';

// packages/manager/src/controller/controller-options.ts
import {
  backoffDelays,
  checkCount as checkCount4,
  checkFunction as checkFunction3,
  checkOptions as checkOptions6,
  invalidOption as invalidOption8,
  parseDuration as parseDuration4,
} from '@keelson/apimachinery';

// packages/manager/src/common-mistakes.ts
var managerMistakes = {
  leaderElectionID: 'use `leaderElection: { lease }`',
  gracefulShutdownTimeout: 'use `gracePeriod`',
  metrics: 'use `servers: { metrics }`',
  metricsBindAddress: 'use `servers: { metrics }`',
  healthProbeBindAddress: 'use `servers: { health }`',
};
var settingMistakes = {
  maxConcurrentReconciles: 'use `concurrency`',
  reconciliationTimeout: 'use `timeout`',
  syncPeriod: 'use `resync`',
  maxReconciliationInterval: 'use `maxReconcileInterval`',
};
var controllerMistakes = {
  resource: 'use `for`',
  labelSelector: 'use `for: { resource, labelSelector }`',
  namespace: 'use `for: { resource, namespace }`',
  reconciler: 'use `reconcile`',
  needLeaderElection: 'use `phase`',
};
var pulledMistakes = {
  reconcile: 'use `addController`, or take the requests with `work()`',
  concurrency: 'open more loops over `work()`',
};
var fixedOptions = {
  name: 'is fixed: add another controller',
  reconcile: 'is fixed: add another controller',
  phase: 'is fixed: add another controller',
  keyOf: 'is fixed: add another controller',
  groupOf: 'is fixed: add another controller',
  weightOf: 'is fixed: add another controller',
  errorPolicy: 'is fixed: add another controller',
  onDeadLetter: 'is fixed: add another controller',
  cacheSyncTimeout: 'is fixed: add another controller',
  predicates: 'use the `predicates` of `for`, `owns` and `watches`',
  priorities: 'use the `priorities` of `for`, `owns` and `watches`',
  sources: 'use `addSource`',
};
var sourceMistakes = {
  predicate: 'use `predicates`',
  filter: 'use `predicates`',
  selector: 'use `labelSelector`',
};
var readsMistakes = {
  resync: 'use `watches`, for events of `reads` lead to no requests',
};
var watchMistakes = {
  mapper: 'use `map`',
  handler: 'use `map`',
};
var eventTypeMistakes = {
  create: 'use `added`',
  update: 'use `updated`',
  delete: 'use `deleted`',
};
var outcomeMistakes = {
  requeue: 'use `retry`, or `requeueAfter`',
  requeueIn: 'use `requeueAfter`',
  retryAfter: 'use `requeueAfter`',
};
var tokenCure = 'must be a resource token: builtin.X or defineResource(\u2026)';

// packages/manager/src/controller/iterables/iterable-source.ts
import {
  checkCount as checkCount2,
  checkOptions as checkOptions4,
  invalidOption as invalidOption4,
  pause,
} from '@keelson/apimachinery';

// packages/manager/src/controller/event-rules/debounce.ts
import { checkOptions, invalidOption, parseDuration } from '@keelson/apimachinery';
var DEFAULT_MAX_WAITS = 10;
function debounceOf(options, where) {
  if (options === void 0) return void 0;
  checkOptions(options, ['wait', 'maxWait'], where);
  const wait = parseDuration(options.wait, `${where}.wait`);
  const { maxWait: given = DEFAULT_MAX_WAITS * wait } = options;
  const maxWait = parseDuration(given, `${where}.maxWait`);
  if (maxWait < wait) throw invalidOption(`${where}.maxWait`, 'must not be less than `wait`');
  return wait === 0 ? void 0 : { wait, maxWait };
}

// packages/manager/src/controller/governor/event-rate.ts
import {
  checkCount,
  checkOptions as checkOptions2,
  invalidOption as invalidOption2,
} from '@keelson/apimachinery';
var DEFAULT_BURST = 100;
var DEFAULT_PER_SECOND = 1;
var LEAST_PER_SECOND = 1e-3;
var MOST_PER_SECOND = 1e3;
function eventRateOf(options, where) {
  if (options === false) return void 0;
  checkOptions2(options, ['burst', 'perSecond'], where);
  const { burst = DEFAULT_BURST, perSecond = DEFAULT_PER_SECOND } = options;
  checkCount(burst, `${where}.burst`);
  const isNumber = typeof perSecond === 'number';
  if (!isNumber || !(perSecond >= LEAST_PER_SECOND && perSecond <= MOST_PER_SECOND)) {
    throw invalidOption2(`${where}.perSecond`, 'must be a number from 0.001 to 1000');
  }
  return { burst, perSecond, intervalMs: Math.round(1e3 / perSecond) };
}
function sourceEventRate({ eventRate }, shared) {
  return eventRate === void 0 ? shared : eventRateOf(eventRate, 'eventRate');
}

// packages/manager/src/controller/event-rules/request-priorities.ts
import {
  checkOptions as checkOptions3,
  invalidOption as invalidOption3,
} from '@keelson/apimachinery';
var defaults = {
  initial: -100,
  resync: -100,
  change: 0,
  status: 0,
  deletion: 0,
};
var names = Object.keys(defaults);
function checkPriorities(priorities, where) {
  if (priorities === void 0) return;
  checkOptions3(priorities, names, where);
  for (const name of names) checkPriority(priorities[name], `${where}.${name}`);
}
function checkPriority(priority, where) {
  if (priority !== void 0 && !Number.isFinite(priority)) {
    throw invalidOption3(where, 'must be a finite number');
  }
}
function resolvePriorities(own3 = {}, shared = defaults) {
  return {
    initial: own3.initial ?? shared.initial,
    resync: own3.resync ?? shared.resync,
    change: own3.change ?? shared.change,
    status: own3.status ?? own3.change ?? shared.status,
    deletion: own3.deletion ?? shared.deletion,
  };
}
function sourcePriorities(source, shared) {
  const { priority, priorities } = source;
  if (priority === void 0) return resolvePriorities(priorities, shared);
  const all = { initial: priority, resync: priority, change: priority, deletion: priority };
  return resolvePriorities(priorities, { ...all, status: priority });
}
function priorityOf(event, reason, priorities) {
  if (reason === 'initial' || reason === 'resync') return priorities[reason];
  const { change, status, deletion } = priorities;
  if (status === change && deletion === change) return change;
  const { generation, deletionTimestamp } = event.object.metadata;
  if (event.type === 'deleted' || deletionTimestamp !== void 0) return deletion;
  if (event.type === 'added' || generation === void 0) return change;
  return event.previous.metadata.generation === generation ? status : change;
}

// packages/manager/src/controller/event-rules/event-settings.ts
var eventDefaultNames = ['priorities', 'debounce', 'eventRate'];
function eventSettingsOf(own3, shared, where) {
  checkPriorities(own3.priorities, `${where}.priorities`);
  const priorities = resolvePriorities(own3.priorities, resolvePriorities(shared.priorities));
  const debounce = own3.debounce === void 0 ? shared.debounce : own3.debounce;
  const eventRate = own3.eventRate === void 0 ? shared.eventRate : own3.eventRate;
  return {
    priorities,
    debounce: debounceOf(debounce, `${where}.debounce`),
    eventRate: eventRateOf(eventRate === void 0 ? {} : eventRate, `${where}.eventRate`),
  };
}
function sourceDebounce(source, shared) {
  return source.debounce === void 0 ? shared.debounce : debounceOf(source.debounce, 'debounce');
}

// packages/manager/src/reconcile/cause.ts
var CONTROLLER = 'controller';
var CauseSet = class {
  name;
  #causes = /* @__PURE__ */ new Map();
  constructor(name) {
    this.name = name;
  }
  of(reason) {
    const known = this.#causes.get(reason);
    if (known !== void 0) return known;
    const cause = { source: this, reason };
    this.#causes.set(reason, cause);
    return cause;
  }
};

// packages/manager/src/controller/governor/event-tokens.ts
var MIN_CELLS = 64;
var MAX_CELLS = 4096;
var EventTokens = class {
  #intervalMs;
  /** The time in which an empty bucket gets all tokens but one. */
  #leadMs;
  #maxCells;
  #keys = [];
  #fullAt = new Float64Array(0);
  constructor({ burst, intervalMs }, maxCells = MAX_CELLS) {
    this.#intervalMs = intervalMs;
    this.#leadMs = (burst - 1) * intervalMs;
    this.#maxCells = maxCells;
  }
  /** The number of cells. */
  get size() {
    return this.#keys.length;
  }
  /**
   * Takes a token. Returns 0, or the milliseconds until the next token if the bucket is empty. The first such call
   * reserves that token, and further ones until then share it.
   */
  take(key, now) {
    const time2 = Math.floor(now);
    const cell = this.#claim(key, time2);
    if (cell === -1) return 0;
    const full = Math.max(this.#fullAt[cell] ?? 0, time2);
    const wait = full - this.#leadMs - time2;
    if (wait > this.#intervalMs) return wait - this.#intervalMs;
    this.#fullAt[cell] = full + this.#intervalMs;
    return Math.max(0, wait);
  }
  /** Fills the bucket of a key. */
  fill(key) {
    const cell = this.#cellOf(key);
    if (this.#keys[cell] === key) this.#fullAt[cell] = 0;
  }
  /** Returns the cell of a key; -1 if another key keeps it. */
  #claim(key, time2) {
    if (this.#keys.length === 0) this.#resize(Math.min(MIN_CELLS, this.#maxCells));
    const cell = this.#cellOf(key);
    const holder = this.#keys[cell];
    if (holder === key) return cell;
    if (holder !== void 0 && (this.#fullAt[cell] ?? 0) - time2 > this.#intervalMs) {
      if (this.#keys.length >= this.#maxCells) return -1;
      this.#resize(Math.min(this.#keys.length * 4, this.#maxCells));
      return this.#claim(key, time2);
    }
    this.#keys[cell] = key;
    this.#fullAt[cell] = 0;
    return cell;
  }
  /** The number of cells is a power of two. */
  #cellOf(key) {
    let hash = 0;
    for (let at = 0; at < key.length; at += 1) {
      hash = (Math.imul(hash, 31) + key.charCodeAt(at)) | 0;
    }
    return (hash ^ (hash >>> 15)) & (this.#keys.length - 1);
  }
  #resize(cells) {
    const [keys, fullAt] = [this.#keys, this.#fullAt];
    this.#keys = Array.from({ length: cells }, () => void 0);
    this.#fullAt = new Float64Array(cells);
    for (const [from, key] of keys.entries()) {
      if (key === void 0) continue;
      const cell = this.#cellOf(key);
      this.#keys[cell] = key;
      this.#fullAt[cell] = fullAt[from] ?? 0;
    }
  }
};

// packages/manager/src/controller/governor/request-governor.ts
var RequestGovernor = class {
  #rate;
  #source;
  #fights;
  #tokens;
  constructor(rate, source, fights) {
    this.#rate = rate;
    this.#source = source;
    this.#fights = fights;
    this.#tokens = new EventTokens(rate);
  }
  /** Returns the milliseconds by which a request waits. */
  delayOf(key, now) {
    return this.#tokens.take(key, now);
  }
  /** The request was delayed. */
  delayed(key) {
    this.#fights.requestDelayed({ source: this.#source, request: key, rate: this.#rate });
  }
};

// packages/manager/src/controller/sources/request-sink.ts
function delayedBy(add, after) {
  const { debounce } = add;
  if (after === 0 || (debounce !== void 0 && debounce.wait >= after)) return add;
  return { ...add, debounce: void 0, after };
}
function requestSink({ queue, keyOf: keyOf4, observer, log }) {
  return {
    enqueue: (request, options, receivedAt) => queue.add(request, options, receivedAt),
    keyOf: keyOf4,
    forget: (request) => queue.forget(request),
    sourceError(source, error, count2) {
      observer.sourceError();
      if (count2 !== void 0 && !isPowerOfTen(count2)) return;
      log.error(
        { source, err: error, ...(count2 !== void 0 && { count: count2 }) },
        'source failed',
      );
    },
    eventHandled: (durationMs) => observer.eventHandled(durationMs),
  };
}
function isPowerOfTen(count2) {
  return Number.isInteger(Math.log10(count2));
}

// packages/manager/src/errors.ts
import { CodedError } from '@keelson/apimachinery';
var managerErrors = {
  ALREADY_STARTED: 'the manager was started before',
  ATTEMPTS_EXHAUSTED: 'the request was retried as often as its controller allows',
  CACHE_SYNC_TIMEOUT: 'a required watch did not sync in time',
  CONTROLLER_STOPPED: 'the controller is stopped',
  DUPLICATE_CLUSTER: 'a cluster of this name exists in the manager',
  DUPLICATE_CONTROLLER: 'a controller of this name exists in the manager',
  DUPLICATE_WATCH: 'the set contains the same watch twice',
  EXECUTION_NESTED: 'an execution of the object started another one and would wait for itself',
  EXECUTION_SUPERSEDED: 'a later generation of the object superseded the execution',
  FINALIZER_CONFLICT: 'the finalizers of the object kept changing',
  INTENT_NOT_STORED: 'the API server dropped the record of the applied spec',
  INTENT_TOO_LARGE: 'the record of the applied spec exceeds the limit of its place',
  INVALID_CERTIFICATE: 'the certificate files of a server are missing or invalid',
  INVALID_RESULT: 'the result of reconcile is invalid',
  LEADERSHIP_LOST: 'the process does not hold the Lease of its leader election',
  LISTEN_FAILED: 'a server cannot listen on its address',
  MANAGER_STOPPED: 'the manager is stopping or stopped',
  NOT_READY: 'a required watch has not synced',
  NOT_PULLED: 'the controller has a reconcile, so its requests cannot be pulled',
  PORT_IN_USE: 'the port of a server is in use',
  PREDICATE_RESULT: 'a predicate returned a promise',
  RECONCILE_TIMEOUT: 'the reconcile ran into its timeout',
  REPLACE_WATCHES_FAILED: 'some watches of the set were not replaced',
  SEVERAL_ERRORS: 'several errors ended the manager',
  SOURCE_ENDED: 'a source failed and cannot be read again',
  SOURCE_FAILED: 'a source failed at the start of its controller',
  STOP_DEADLINE_EXCEEDED: 'components still run at the end of the grace period',
  STOPPING: 'a stop was requested',
  TERMINAL: 'the error is terminal and the reconcile is not retried',
  UNKNOWN_CLUSTER: 'no cluster of this name was added to the manager',
  WATCH_REMOVED: 'the watch was removed',
  WATCH_REMOVED_TIMEOUT: 'onWatchRemoved of a watch did not end in time',
  WORK_ENDED: 'the pulled request was settled before',
};
var ManagerError = class extends CodedError {
  name = 'ManagerError';
  constructor(code, facts = {}, options = {}) {
    super(code, managerErrors[code], facts, options);
  }
};

// packages/manager/src/controller/iterables/pending-requests.ts
var PendingRequests = class {
  #limit;
  #keys = /* @__PURE__ */ new Set();
  #room;
  constructor(limit) {
    this.#limit = limit;
  }
  get size() {
    return this.#keys.size;
  }
  /** Records that the source queued a request. */
  add(key) {
    this.#keys.add(key);
  }
  /** Records that a worker took a request, of this source or of another one. */
  taken(key) {
    if (this.#keys.delete(key) && this.#keys.size < this.#limit) this.end();
  }
  /** Resolves when there is room for a further request; `undefined` if there is room now. */
  room() {
    if (this.#keys.size < this.#limit) return void 0;
    this.#room ??= Promise.withResolvers();
    return this.#room.promise;
  }
  /** Ends the wait for room. */
  end() {
    this.#room?.resolve();
    this.#room = void 0;
  }
};

// packages/manager/src/controller/iterables/iterable-source.ts
var MAX_PENDING = 1e3;
var FIRST_DELAY_MS = 800;
var LONGEST_DELAY_MS = 3e4;
var IterableSource = class {
  name;
  phase;
  causes;
  #options;
  #debounce;
  #governor;
  #sink;
  #slice;
  #userCode;
  #abort = new AbortController();
  #pending;
  /** Names its calls in reports of those that block the event loop. */
  #call;
  #iterator;
  /** The values so far that are no requests. */
  #invalid = 0;
  /** True if the current iterator has yielded a value. */
  #hasYielded = false;
  constructor(options, host) {
    this.name = options.name;
    this.phase = options.phase ?? 'leader';
    this.causes = new CauseSet(options.name);
    this.#options = options;
    this.#debounce = sourceDebounce(options, host.settings);
    const rate = eventRateOf(options.eventRate ?? false, 'eventRate');
    this.#governor = rate && new RequestGovernor(rate, options.name, host.fights);
    this.#sink = host.sink;
    this.#slice = host.slice;
    this.#userCode = host.userCode;
    this.#call = { role: 'source', source: options.name };
    this.#pending = new PendingRequests(options.maxPending ?? MAX_PENDING);
  }
  /** Takes the debounce of the controller for its next values, unless it names one itself. */
  adopt(settings) {
    this.#debounce = sourceDebounce(this.#options, settings);
  }
  /** The number of its requests that wait for a worker. */
  get pending() {
    return this.#pending.size;
  }
  /** A worker took the request of this key, of this source or of another one. */
  taken(key) {
    this.#pending.taken(key);
  }
  /** Opens a source that is added to a running controller. A failure in its first turn is one like any other. */
  start() {
    void this.#reopenAfter(this.#userCode.inContext(() => this.#read()));
  }
  /** Resolves after the first turn of the event loop. Rejects with `SOURCE_FAILED` if the source failed in it. */
  async open() {
    const failed = this.#userCode.inContext(() => this.#read());
    const turn = new Promise((resolve) => setImmediate(resolve));
    const outcome = await Promise.race([failed, turn]);
    if (outcome === void 0) void this.#reopenAfter(failed);
    else throw new ManagerError('SOURCE_FAILED', { source: this.name }, { cause: outcome.error });
  }
  /** Ignores all further values and ends the iterable. Does not wait for an iterable that hangs. */
  close() {
    if (this.#abort.signal.aborted) return;
    this.#abort.abort(new ManagerError('STOPPING', { source: this.name }));
    this.#pending.end();
    this.#endIterator().catch(() => void 0);
  }
  async #endIterator() {
    const iterator = this.#iterator;
    await this.#userCode.call(() => iterator?.return?.());
  }
  /** Reads to the end. Returns the error of a failure, and `undefined` for an end without error. */
  async #read() {
    const { requests } = this.#options;
    try {
      const iterator = this.#userCode.timed(this.#call, () =>
        (typeof requests === 'function' ? requests(this.#abort.signal) : requests)[
          Symbol.asyncIterator
        ](),
      );
      this.#iterator = iterator;
      this.#hasYielded = false;
      for (;;) {
        const { done, value } = await this.#userCode.timed(this.#call, () => iterator.next());
        if (done === true || this.#abort.signal.aborted) return void 0;
        this.#hasYielded = true;
        this.#enqueue(value);
        await this.#pending.room();
        if (this.#abort.signal.aborted) return void 0;
        await this.#slice.next();
      }
    } catch (error) {
      return this.#abort.signal.aborted ? void 0 : { error };
    }
  }
  #enqueue(request) {
    const { priority = 0 } = this.#options;
    try {
      const now = performance.now();
      const governor = this.#governor;
      const after = governor === void 0 ? 0 : governor.delayOf(this.#sink.keyOf(request), now);
      const cause = this.causes.of('value');
      const add = delayedBy({ priority, cause, debounce: this.#debounce }, after);
      const key = this.#sink.enqueue(request, add, now);
      if (key !== void 0 && add.after !== void 0) governor?.delayed(key);
      if (key !== void 0) this.#pending.add(key);
    } catch (error) {
      this.#invalid += 1;
      this.#sink.sourceError(this.name, error, this.#invalid);
    }
  }
  async #reopenAfter(first) {
    let delay = FIRST_DELAY_MS;
    let openedAt = performance.now();
    for (let end = await first; end !== void 0; end = await this.#readAgain(end.error)) {
      this.#sink.sourceError(this.name, end.error);
      if (performance.now() - openedAt >= LONGEST_DELAY_MS) delay = FIRST_DELAY_MS;
      await pause(delay, [this.#abort.signal]).catch(() => void 0);
      if (this.#abort.signal.aborted) return;
      delay = Math.min(delay * 2, LONGEST_DELAY_MS);
      openedAt = performance.now();
    }
  }
  /**
   * Reads again after a failure. An end without a value is reported: a generator that has thrown ends at once and
   * never yields another request.
   */
  async #readAgain(cause) {
    const end = await this.#read();
    if (end === void 0 && !this.#hasYielded && !this.#abort.signal.aborted) {
      const error = new ManagerError('SOURCE_ENDED', { source: this.name }, { cause });
      this.#sink.sourceError(this.name, error);
    }
    return end;
  }
};
var names2 = ['name', 'requests', 'priority', 'debounce', 'eventRate', 'phase', 'maxPending'];
function checkIterable(source, where) {
  checkOptions4(source, names2, where);
  if (typeof source.name !== 'string' || source.name === '') {
    throw invalidOption4(`${where}.name`, 'must be a string');
  }
  checkPriority(source.priority, `${where}.priority`);
  debounceOf(source.debounce, `${where}.debounce`);
  if (source.eventRate !== void 0) eventRateOf(source.eventRate, `${where}.eventRate`);
  if (source.maxPending !== void 0) checkCount2(source.maxPending, `${where}.maxPending`);
  const { phase = 'leader', requests } = source;
  if (!['caches', 'always', 'leader'].includes(phase)) {
    throw invalidOption4(`${where}.phase`, 'must be caches, always or leader');
  }
  const iterable =
    typeof requests === 'object' && requests !== null && Symbol.asyncIterator in requests;
  if (!iterable && typeof requests !== 'function') {
    throw invalidOption4(
      `${where}.requests`,
      'must be an async iterable or a function that makes one',
    );
  }
}

// packages/manager/src/controller/sources/namespace-set.ts
import { invalidOption as invalidOption5, isDnsLabel } from '@keelson/apimachinery';
function namespaceSet(given, where) {
  if (!Array.isArray(given)) throw invalidOption5(where, 'must be a list of namespaces');
  if (given.length === 0) {
    const cure2 =
      'remove the watch or stop the controller, or leave the option out for all namespaces';
    throw invalidOption5(where, 'must name a namespace', { cure: cure2 });
  }
  for (const [at, namespace] of given.entries()) {
    if (typeof namespace === 'string' && isDnsLabel(namespace)) continue;
    const cure2 = namespace === '' ? { cure: 'leave the option out for all namespaces' } : {};
    throw invalidOption5(`${where}[${at}]`, 'must be a DNS-1123 label', {
      value: namespace,
      ...cure2,
    });
  }
  return Object.freeze([...new Set(given)].toSorted());
}
function withNamespaceSet(options) {
  const { namespaces } = options;
  if (namespaces === void 0) return options;
  return { ...options, namespaces: namespaceSet(namespaces, 'namespaces') };
}
function checkSourceNamespaces(source, where) {
  if (source.namespaces === void 0) return;
  if (!source.resource.namespaced) throw invalidOption5(where, 'the resource is cluster-scoped');
  if (source.namespace !== void 0) {
    throw invalidOption5(where, 'has no meaning together with `namespace`');
  }
  namespaceSet(source.namespaces, where);
}

// packages/manager/src/controller/queue/queue-options.ts
import {
  checkCount as checkCount3,
  checkFunction,
  invalidOption as invalidOption6,
  parseDuration as parseDuration2,
} from '@keelson/apimachinery';
import { CombinedLimiter, ExponentialBackoff, TokenBucket } from '@keelson/workqueue';
var queueDefaultNames = ['ageAfter', 'maxAttempts', 'maxReconcileInterval', 'tokenBucket'];
var queueOptionNames = ['groupOf', 'weightOf', 'rateLimiter', 'errorPolicy', 'onDeadLetter'];
function queueSettingsOf(own3, shared, where) {
  const all = { ...shared, ...defined(own3) };
  const { ageAfter = '10s', maxAttempts = 0, maxReconcileInterval = 0, tokenBucket } = all;
  if (maxAttempts !== 0) checkCount3(maxAttempts, `${where}.maxAttempts`);
  if (tokenBucket !== void 0 && !(tokenBucket instanceof TokenBucket)) {
    throw invalidOption6(`${where}.tokenBucket`, 'must be a TokenBucket');
  }
  return {
    ageAfter: parseDuration2(ageAfter, `${where}.ageAfter`),
    maxAttempts,
    maxReconcileInterval: parseDuration2(maxReconcileInterval, `${where}.maxReconcileInterval`),
    tokenBucket,
  };
}
function checkQueueOptions(options, where) {
  if (options.maxReconcileInterval !== void 0 && options.for === void 0) {
    throw invalidOption6(`${where}.maxReconcileInterval`, 'needs `for`: the kind of the objects');
  }
  for (const name of ['groupOf', 'weightOf', 'errorPolicy', 'onDeadLetter']) {
    if (options[name] !== void 0) checkFunction(options[name], `${where}.${name}`);
  }
  if (options.weightOf !== void 0 && options.groupOf === void 0) {
    throw invalidOption6(`${where}.weightOf`, 'needs `groupOf`');
  }
  const { rateLimiter } = options;
  if (rateLimiter === void 0) return;
  if (options.backoff !== void 0) {
    throw invalidOption6(`${where}.rateLimiter`, 'replaces `backoff`: give one of them');
  }
  const methods = ['delay', 'charge', 'forget', 'failures'];
  if (methods.some((method) => typeof rateLimiter?.[method] !== 'function')) {
    throw invalidOption6(`${where}.rateLimiter`, `must have the methods ${methods.join(', ')}`);
  }
}
function limitsOf(rateLimiter, { backoff, tokenBucket }) {
  if (rateLimiter !== void 0) {
    const all =
      tokenBucket === void 0 ? rateLimiter : new CombinedLimiter(rateLimiter, tokenBucket);
    return { rateLimiter: all };
  }
  if (tokenBucket === void 0) return { backoff };
  const counter = new ExponentialBackoff(backoff);
  return { rateLimiter: new CombinedLimiter(counter, tokenBucket), counter };
}
function defined(own3) {
  return Object.fromEntries(Object.entries(own3).filter(([, value]) => value !== void 0));
}

// packages/manager/src/controller/sources/source-options.ts
import {
  checkFlag,
  checkFunction as checkFunction2,
  invalidOption as invalidOption7,
  normalFieldSelector,
  normalLabelSelector,
  checkOptions as checkOptions5,
  defineResource,
  parseDuration as parseDuration3,
} from '@keelson/apimachinery';
import { checkWatchQuery } from '@keelson/informer';
function clusterOf(options) {
  return options.cluster;
}
var queryOptions = [
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
var eventOptions = [
  'predicates',
  'priority',
  'priorities',
  'debounce',
  'eventRate',
  'resync',
  'ignoreOwn',
];
var extraOptions = {
  for: eventOptions,
  owns: [...eventOptions, 'owners'],
  watch: [...eventOptions, 'map', 'cluster', 'onWatchRemoved'],
  reads: ['cluster'],
};
var mistakes = {
  for: sourceMistakes,
  owns: sourceMistakes,
  watch: { ...sourceMistakes, ...watchMistakes },
  reads: readsMistakes,
};
function checkSourceOptions(options, role, where) {
  const known = [...queryOptions, 'namespaces', 'required', ...extraOptions[role]];
  checkOptions5(options, known, where, mistakes[role]);
  checkResource(options.resource, `${where}.resource`);
  checkWatchQuery(queryOf(options), where);
  checkSourceNamespaces(options, `${where}.namespaces`);
  if (options.labelSelector !== void 0) normalLabelSelector(options.labelSelector);
  if (options.fieldSelector !== void 0) normalFieldSelector(options.fieldSelector);
  checkPriority(options.priority, `${where}.priority`);
  checkPriorities(options.priorities, `${where}.priorities`);
  debounceOf(options.debounce, `${where}.debounce`);
  if (options.eventRate !== void 0) eventRateOf(options.eventRate, `${where}.eventRate`);
  checkClusterName(options, `${where}.cluster`);
  checkFlag(options.required, `${where}.required`);
  checkFlag(options.ignoreOwn, `${where}.ignoreOwn`);
  if (options.resync !== void 0) parseDuration3(options.resync, `${where}.resync`);
  checkPredicates(options.predicates, `${where}.predicates`);
  const { onWatchRemoved } = options;
  if (onWatchRemoved !== void 0) checkFunction2(onWatchRemoved, `${where}.onWatchRemoved`);
  if (role === 'owns') checkOwners(options.owners, `${where}.owners`);
}
function checkClusterName(options, where) {
  if (options.cluster === void 0 || typeof options.cluster === 'string') return;
  throw invalidOption7(where, 'must be the name of a cluster');
}
function sourceOptionsOf(source) {
  const hasOptions = typeof source === 'object' && source !== null && 'resource' in source;
  return hasOptions ? source : { resource: source };
}
function queryOf(options) {
  const { resource } = options;
  const given = Object.entries(options).filter(
    ([option, value]) => queryOptions.includes(option) && value !== void 0,
  );
  return { ...Object.fromEntries(given), resource };
}
function checkResource(resource, where) {
  if (typeof resource !== 'object' || resource === null) {
    throw invalidOption7(where, tokenCure);
  }
  const { group, version, kind, plural, namespaced } = resource;
  try {
    if (typeof namespaced !== 'boolean') throw invalidOption7('namespaced', 'must be a boolean');
    defineResource({ group, version, kind, plural });
  } catch (error) {
    throw invalidOption7(where, 'is not a resource token', { cause: error.message });
  }
}
function checkOwners(owners, where) {
  if (owners !== void 0 && owners !== 'controller' && owners !== 'any') {
    throw invalidOption7(where, 'must be controller or any');
  }
}
function checkPredicates(predicates, where) {
  if (predicates === void 0) return;
  if (!Array.isArray(predicates)) throw invalidOption7(where, 'must be a list of predicates');
  for (const predicate of predicates) checkFunction2(predicate, where);
}

// packages/manager/src/controller/controller-options.ts
var defaults2 = {
  concurrency: 1,
  timeout: 0,
  cacheSyncTimeout: '2m',
  resync: 0,
  backoff: { base: 5, max: 1e6 },
};
var settingNames = [...Object.keys(defaults2), ...queueDefaultNames, ...eventDefaultNames];
var optionNames = [
  ...queueOptionNames,
  ...settingNames,
  'name',
  'namespaces',
  'predicates',
  'for',
  'owns',
  'watches',
  'reads',
  'sources',
  'keyOf',
  'phase',
  'reconcile',
];
var pulledNames = optionNames.filter((name) => !Object.hasOwn(pulledMistakes, name));
function checkControllerDefaults(settings, where) {
  checkOptions6(settings, settingNames, where, settingMistakes);
  settingsOf(settings, {}, where);
}
function settingsOf(own3, shared, where) {
  const concurrency = pick(own3.concurrency, shared.concurrency, defaults2.concurrency);
  checkCount4(concurrency, `${where}.concurrency`);
  const timeout = pick(own3.timeout, shared.timeout, defaults2.timeout);
  const syncTimeout = pick(
    own3.cacheSyncTimeout,
    shared.cacheSyncTimeout,
    defaults2.cacheSyncTimeout,
  );
  const resync = pick(own3.resync, shared.resync, defaults2.resync);
  return {
    concurrency,
    timeout: parseDuration4(timeout, `${where}.timeout`),
    cacheSyncTimeout: parseDuration4(syncTimeout, `${where}.cacheSyncTimeout`),
    resync: parseDuration4(resync, `${where}.resync`),
    ...queueSettingsOf(own3, shared, where),
    ...eventSettingsOf(own3, shared, where),
    backoff: backoffOf(own3.backoff, shared.backoff, `${where}.backoff`),
  };
}
function checkControllerOptions(options, where, isPulled = false) {
  const mistakes2 = { ...settingMistakes, ...controllerMistakes, ...(isPulled && pulledMistakes) };
  checkOptions6(options, isPulled ? pulledNames : optionNames, where, mistakes2);
  if (!isPulled) checkFunction3(options.reconcile, `${where}.reconcile`);
  if (
    typeof options.name !== 'string' ||
    !/^[A-Za-z0-9][-A-Za-z0-9_.]{0,127}$/.test(options.name)
  ) {
    throw invalidOption8(`${where}.name`, 'must be a name: letters, digits, - _ .');
  }
  if (!['always', 'leader', void 0].includes(options.phase)) {
    throw invalidOption8(`${where}.phase`, 'must be always or leader');
  }
  if (options.namespaces !== void 0) namespaceSet(options.namespaces, `${where}.namespaces`);
  if (options.keyOf !== void 0) {
    checkFunction3(options.keyOf, `${where}.keyOf`);
    if ('for' in options)
      throw invalidOption8(`${where}.keyOf`, 'has no meaning together with `for`');
  }
  checkQueueOptions(options, where);
  checkPredicates(options.predicates, `${where}.predicates`);
  checkSources(options, where);
}
function checkSources(options, where) {
  const { for: primary, owns = [], watches = [], reads = [], sources = [] } = options;
  checkArray(owns, `${where}.owns`);
  checkArray(watches, `${where}.watches`);
  checkArray(reads, `${where}.reads`);
  checkArray(sources, `${where}.sources`);
  const given = primary;
  if ('for' in options) checkSourceOptions(sourceOptionsOf(given), 'for', `${where}.for`);
  else if (owns.length > 0)
    throw invalidOption8(`${where}.owns`, 'needs `for`: the kind of the owner');
  for (const [at, owned] of owns.entries()) {
    checkSourceOptions(sourceOptionsOf(owned), 'owns', `${where}.owns[${at}]`);
  }
  for (const [at, watch] of watches.entries()) checkWatch(watch, `${where}.watches[${at}]`);
  for (const [at, read3] of reads.entries()) {
    checkSourceOptions(sourceOptionsOf(read3), 'reads', `${where}.reads[${at}]`);
  }
  for (const [at, source] of sources.entries()) checkIterable(source, `${where}.sources[${at}]`);
}
function checkWatch(watch, where) {
  checkSourceOptions(watch, 'watch', where);
  checkFunction3(watch.map, `${where}.map`);
}
function checkArray(value, where) {
  if (!Array.isArray(value)) throw invalidOption8(where, 'must be a list');
}
function backoffOf(own3 = {}, shared = {}, where) {
  checkOptions6(own3, ['base', 'max'], where);
  const base = own3.base === void 0 ? shared.base : own3.base;
  const max = own3.max === void 0 ? shared.max : own3.max;
  const given = {
    base: base === void 0 ? void 0 : parseDuration4(base, `${where}.base`),
    max: max === void 0 ? void 0 : parseDuration4(max, `${where}.max`),
  };
  return backoffDelays(given, defaults2.backoff, where);
}
function pick(own3, shared, builtIn) {
  if (own3 !== void 0) return own3;
  return shared === void 0 ? builtIn : shared;
}

// packages/manager/src/events/event-writer.ts
import { hostname } from 'node:os';
import { builtin, endsWithin, isNotFound, startTimer } from '@keelson/apimachinery';
import { LRUCache } from 'lru-cache';

// packages/manager/src/logging/error-text.ts
import { types } from 'node:util';
function isError(value) {
  try {
    return value instanceof Error || types.isNativeError(value);
  } catch {
    return false;
  }
}
function briefError(error) {
  if (!isError(error)) return void 0;
  try {
    const { name, message, cause } = error;
    const code = 'code' in error ? { code: error.code } : {};
    const reason = isError(cause) ? { cause: cause.message } : {};
    return { __proto__: null, name, message, ...code, ...reason };
  } catch {
    return { name: 'Error', message: '(cannot be read)' };
  }
}

// packages/manager/src/events/cut-text.ts
function cutText(text, maxBytes) {
  const { read: read3 } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes));
  return text.slice(0, read3);
}

// packages/manager/src/events/event-writer.ts
var SERIES_LIFETIME_MS = 6 * 6e4;
var KEPT_SERIES = 4096;
var MAX_WAITING = 1e3;
var SERIES_INTERVAL_MS = 1e4;
var MAX_NOTE_BYTES = 1024;
var MAX_NAME_BYTES = 128;
var CLOSE_TIMEOUT_MS = 2e3;
var EventWriter = class {
  #options;
  #series = new LRUCache({
    max: KEPT_SERIES,
    ttl: SERIES_LIFETIME_MS,
    updateAgeOnGet: true,
    // Reads the clock on every access; a cached time would need a timer, which would outlive the writer.
    ttlResolution: 0,
    // Called on `performance`, so that fake timers reach it.
    perf: { now: () => performance.now() },
  });
  #waiting = [];
  #grown = /* @__PURE__ */ new Set();
  #stop = new AbortController();
  #stopTimer;
  #writing;
  #failing = false;
  #serial = 0;
  constructor(options) {
    this.#options = options;
  }
  /** Makes a recorder whose events have the controller's name as `reportingController`. */
  recorder(controller) {
    const reporter = {
      reportingController: controller,
      reportingInstance: cutText(`${controller}-${hostname()}`, MAX_NAME_BYTES),
    };
    return {
      record: (object, facts) => {
        try {
          this.#record(reporter, object, facts);
        } catch (error) {
          this.#options.log.error({ err: error, controller }, 'event is not recorded');
        }
      },
    };
  }
  /** Writes the waiting events for at most this many milliseconds, then drops the rest. */
  async close(grace) {
    this.#stopTimer?.();
    this.#queueGrown();
    const writing = this.#writing ?? Promise.resolve();
    const timeout = Math.min(grace, CLOSE_TIMEOUT_MS);
    if (timeout > 0) await endsWithin(writing, timeout);
    this.#stop.abort();
    await writing;
    this.#series.clear();
  }
  #record(reporter, object, facts) {
    if (this.#stop.signal.aborted) return;
    const now = microTime();
    const event = { ...this.#describe(object, facts, now), ...reporter };
    const key = keyOf(event);
    const known = this.#series.get(key);
    if (known === void 0) {
      const series = { event, count: 1, lastObservedTime: now, writtenCount: 0, queued: false };
      this.#series.set(key, series);
      this.#queue(series);
      return;
    }
    known.count += 1;
    known.lastObservedTime = now;
    if (known.count === 2) this.#queue(known);
    else this.#grow(known);
  }
  #describe(object, facts, now) {
    const { type = 'Normal', reason, action, note, related } = facts;
    const { name = '', namespace } = object.metadata ?? {};
    this.#serial += 1;
    const suffix = `${Date.now().toString(16)}${(this.#serial % 65536).toString(16).padStart(4, '0')}`;
    return {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: {
        name: `${name.slice(0, 253 - suffix.length - 1)}.${suffix}`,
        // The API server accepts events about cluster-scoped objects only in the namespace `default`.
        namespace: namespace ?? 'default',
      },
      eventTime: now,
      type,
      reason: cutText(reason, MAX_NAME_BYTES),
      action: cutText(action, MAX_NAME_BYTES),
      ...(note === void 0 ? {} : { note: cutText(note, MAX_NOTE_BYTES) }),
      regarding: referenceTo(object),
      ...(related === void 0 ? {} : { related: referenceTo(related) }),
    };
  }
  /** Writes the series at the end of the current interval, not at every repetition. */
  #grow(series) {
    this.#grown.add(series);
    this.#stopTimer ??= startTimer(SERIES_INTERVAL_MS, () => {
      this.#stopTimer = void 0;
      this.#queueGrown();
    });
  }
  #queueGrown() {
    for (const series of this.#grown) this.#queue(series);
    this.#grown.clear();
  }
  #queue(series) {
    if (series.queued) return;
    if (this.#waiting.length >= MAX_WAITING) {
      this.#report(new Error('too many events wait'), series);
      return;
    }
    series.queued = true;
    this.#waiting.push(series);
    this.#writing ??= this.#writeAll();
  }
  async #writeAll() {
    await Promise.resolve();
    for (let next = this.#waiting.shift(); next !== void 0; next = this.#waiting.shift()) {
      next.queued = false;
      if (!this.#stop.signal.aborted) await this.#tryToWrite(next);
    }
    this.#writing = void 0;
  }
  async #tryToWrite(series) {
    try {
      await this.#write(series);
      this.#failing = false;
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#report(error, series);
    }
  }
  async #write(series) {
    const { count: count2, lastObservedTime } = series;
    if (series.writtenCount > 0 && (await this.#tryToExtend(series))) return;
    const { signal } = this.#stop;
    const extended = count2 === 1 ? {} : { series: { count: count2, lastObservedTime } };
    const event = { ...series.event, ...extended };
    await this.#options.client.create(builtin.EventsV1Event, event, { signal });
    series.writtenCount = count2;
  }
  /** Returns false if the API server has deleted the event, by default after one hour. */
  async #tryToExtend(series) {
    const { count: count2, lastObservedTime, event } = series;
    const { name = '', namespace } = event.metadata ?? {};
    const body = { series: { count: count2, lastObservedTime } };
    const { signal } = this.#stop;
    try {
      await this.#options.client.patch(
        builtin.EventsV1Event,
        { name, namespace },
        { type: 'merge', body },
        { signal },
      );
      series.writtenCount = count2;
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }
  /** Logs the first failure since the last success, because a missing permission would otherwise fill the log. */
  #report(error, { event }) {
    const { reason, regarding } = event;
    if (!this.#failing) {
      const facts = { err: briefError(error), reason, regarding };
      this.#options.log.warn(facts, 'events cannot be written');
    }
    this.#failing = true;
  }
};
function referenceTo(object) {
  const { apiVersion, kind, metadata = {} } = object;
  const { name, namespace, uid, resourceVersion } = metadata;
  return JSON.parse(JSON.stringify({ apiVersion, kind, name, namespace, uid, resourceVersion }));
}
function keyOf({ type, reason, action, reportingController, regarding, related }) {
  const { resourceVersion: _version, ...about } = regarding ?? {};
  return JSON.stringify([type, reason, action, reportingController, about, related?.uid]);
}
function microTime() {
  return /* @__PURE__ */ new Date().toISOString().replace('Z', '000Z');
}

// packages/manager/src/logging/logger.ts
import {
  checkOptions as checkOptions7,
  invalidOption as invalidOption9,
} from '@keelson/apimachinery';

// packages/manager/src/logging/printable.ts
var MAX_DEPTH = 8;
var MAX_ITEMS = 100;
var MAX_VALUES = 1e3;
var MAX_STRING_LENGTH = 8192;
var MAX_TOTAL_LENGTH = 65536;
var MAX_KEY_LENGTH = 128;
var largestBigint = 2n ** 256n;
var Printable = class {
  #valuesLeft = MAX_VALUES;
  #charactersLeft = MAX_TOTAL_LENGTH;
  /** The objects that enclose the current value. */
  #path = /* @__PURE__ */ new Set();
  /** The copy of a value; `undefined` if the value is `undefined`. */
  of(value) {
    if (this.#valuesLeft <= 0) return '(left out)';
    this.#valuesLeft -= 1;
    try {
      return typeof value === 'object' && value !== null
        ? this.#object(value)
        : this.#primitive(value);
    } catch {
      return '(cannot be read)';
    }
  }
  /** The copies of an object's members, by key. Throws if the object is a proxy that throws. */
  members(value) {
    this.#path.add(value);
    try {
      return this.#members(value);
    } finally {
      this.#path.delete(value);
    }
  }
  #primitive(value) {
    switch (typeof value) {
      case 'string':
        return this.#text(value);
      case 'number':
        return Number.isFinite(value) ? value : String(value);
      case 'bigint':
        return value < largestBigint && value > -largestBigint ? String(value) : '(large bigint)';
      case 'symbol':
        return this.#text(String(value));
      case 'function':
        return '(function)';
      default:
        return value;
    }
  }
  #text(text) {
    const limit = Math.min(MAX_STRING_LENGTH, this.#charactersLeft);
    this.#charactersLeft -= Math.min(text.length, limit);
    if (text.length <= limit) return text;
    return `${text.slice(0, limit)}\u2026 (cut, ${text.length} characters)`;
  }
  #object(value) {
    if (this.#path.has(value)) return '(circular)';
    if (this.#path.size >= MAX_DEPTH) return '(too deep)';
    this.#path.add(value);
    try {
      return this.#copy(value);
    } finally {
      this.#path.delete(value);
    }
  }
  #copy(value) {
    if (isError(value)) return this.#error(value);
    if (Array.isArray(value)) return this.#items(value, value.length);
    if (ArrayBuffer.isView(value)) return `(${value.byteLength} bytes)`;
    if (value instanceof Map || value instanceof Set) return this.#items(value, value.size);
    const { toJSON } = value;
    if (typeof toJSON === 'function') return this.of(toJSON.call(value));
    return this.#members(value);
  }
  #items(items, length) {
    const copies = [];
    for (const item of items) {
      if (copies.length >= MAX_ITEMS || this.#valuesLeft <= 0) break;
      copies.push(this.of(item));
    }
    const left = length - copies.length;
    return left > 0 ? [...copies, `(${left} more)`] : copies;
  }
  #members(value) {
    const copies = /* @__PURE__ */ Object.create(null);
    const keys = Object.keys(value);
    for (const key of keys.slice(0, MAX_ITEMS)) {
      copies[key.slice(0, MAX_KEY_LENGTH)] = this.#member(value, key);
    }
    if (keys.length > MAX_ITEMS) copies['(left out)'] = keys.length - MAX_ITEMS;
    return copies;
  }
  #error(error) {
    const copies = {};
    for (const key of ['name', 'message', 'code', 'stack', 'cause', 'errors']) {
      const copy = this.#member(error, key);
      if (copy !== void 0) copies[key] = copy;
    }
    return copies;
  }
  /** The copy of one member, whose getter may throw. */
  #member(value, key) {
    try {
      return this.of(value[key]);
    } catch {
      return '(cannot be read)';
    }
  }
};

// packages/manager/src/logging/logger.ts
var levels = ['debug', 'info', 'warn', 'error', 'silent'];
function createLogger(options = {}) {
  checkOptions7(options, ['level', 'write'], 'createLogger');
  const { level = 'info', write: write2 = writeToStandardError } = options;
  if (!levels.includes(level)) {
    throw invalidOption9('createLogger.level', `must be one of ${levels.join(' ')}`);
  }
  return jsonLogger(levels.indexOf(level), write2, []);
}
function loggerOf(log, child) {
  return {
    debug: (facts, message) => log('debug', facts, message),
    info: (facts, message) => log('info', facts, message),
    warn: (facts, message) => log('warn', facts, message),
    error: (facts, message) => log('error', facts, message),
    child,
  };
}
function jsonLogger(least, write2, parents) {
  const log = (level, facts, message) => {
    if (levels.indexOf(level) < least) return;
    const line = lineOf(level, message, [...parents, facts]);
    try {
      write2(line);
    } catch {}
  };
  return loggerOf(log, (facts) => jsonLogger(least, write2, [...parents, copyOf(facts)]));
}
var reserved = /* @__PURE__ */ new Set(['time', 'level', 'message']);
var unsafe = /[\u007F-\u009F\u061C\u200B-\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB]/g;
function lineOf(level, message, all) {
  const printable = new Printable();
  const line = /* @__PURE__ */ Object.create(null);
  line['time'] = /* @__PURE__ */ new Date().toISOString();
  line['level'] = level;
  line['message'] = printable.of(message);
  for (const facts of all) {
    for (const [key, value] of Object.entries(printableFacts(facts, printable))) {
      line[reserved.has(key) ? `facts.${key}` : key] = value;
    }
  }
  return JSON.stringify(line).replace(unsafe, escaped);
}
function printableFacts(facts, printable = new Printable()) {
  if (typeof facts !== 'object' || facts === null) return { facts: printable.of(facts) };
  try {
    if (isError(facts)) return { err: printable.of(facts) };
    const isList = Array.isArray(facts) || ArrayBuffer.isView(facts);
    return isList ? { facts: printable.of(facts) } : printable.members(facts);
  } catch {
    return { facts: '(cannot be read)' };
  }
}
function copyOf(facts) {
  try {
    return isError(facts) ? facts : { ...facts };
  } catch {
    return printableFacts(facts);
  }
}
function escaped(character) {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
function writeToStandardError(line) {
  process.stderr.once('error', ignore);
  process.stderr.write(
    `${line}
`,
    () => process.stderr.off('error', ignore),
  );
}
function ignore() {}

// packages/manager/src/logging/guarded-logger.ts
function guardedLogger(logger, failed) {
  const log = (level, facts, message) => {
    if (isWritten(() => logger[level](facts, message), failed)) return;
    failed();
    isWritten(() => logger[level](printableFacts(facts), message), failed);
  };
  return loggerOf(log, (facts) => guardedLogger(childOf(logger, facts, failed), failed));
}
function isWritten(write2, failed) {
  try {
    const result = write2();
    if (result instanceof Promise) result.catch(failed);
    return true;
  } catch {
    return false;
  }
}
function childOf(logger, facts, failed) {
  try {
    return logger.child(facts);
  } catch {
    failed();
    return logger;
  }
}

// packages/manager/src/controller/managed-controller.ts
import { endsWithin as endsWithin4 } from '@keelson/apimachinery';

// packages/manager/src/controller/iterables/iterable-sources.ts
var IterableSources = class {
  #host;
  #defaultPhase;
  #sources = /* @__PURE__ */ new Set();
  #begun = /* @__PURE__ */ new Set();
  constructor(sources, defaultPhase, host) {
    this.#host = host;
    this.#defaultPhase = defaultPhase;
    for (const source of sources) this.#create(source);
  }
  /** Adds a source to a controller that exists. */
  add(options) {
    const source = this.#create(options);
    if (this.#begun.has(source.phase)) source.start();
    return source;
  }
  /** Applies changed settings to the present sources and to later ones. */
  configure(settings) {
    this.#host = { ...this.#host, settings };
    for (const source of this.#sources) source.adopt(settings);
  }
  /** Opens the sources of a phase. Rejects with `SOURCE_FAILED`. */
  async consume(phase) {
    this.#begun.add(phase);
    const sources = [...this.#sources].filter((source) => source.phase === phase);
    await Promise.all(sources.map((source) => source.open()));
  }
  /** Ends a source: its further values are ignored. */
  close(source) {
    source.close();
    this.#sources.delete(source);
  }
  closeAll() {
    for (const source of this.#sources) this.close(source);
  }
  /** A worker took the request of this key. */
  taken(key) {
    for (const source of this.#sources) source.taken(key);
  }
  /** The number of requests that wait for a worker, by the name of their source. */
  pending() {
    const pending = /* @__PURE__ */ new Map();
    for (const { name, pending: count2 } of this.#sources) {
      pending.set(name, (pending.get(name) ?? 0) + count2);
    }
    return pending;
  }
  #create(options) {
    const source = new IterableSource({ phase: this.#defaultPhase, ...options }, this.#host);
    this.#sources.add(source);
    return source;
  }
};
function removableSource({ causes }) {
  return { causeSets: [causes], release: () => void 0 };
}

// packages/manager/src/controller/exchange/primary-objects.ts
var PrimaryObjects = class {
  #source;
  #own;
  /** `own`: the causes of the requests that the controller itself queues. */
  constructor(source, own3) {
    this.#source = source;
    this.#own = own3;
  }
  exists(request) {
    const name = request;
    return this.#source?.memberOf(name.namespace)?.objects.exists(name) ?? false;
  }
  /** `undefined` if the namespace of the request has left `for` and only its watch caused the run. */
  repeatsOf(request, isWithdrawn) {
    const { namespace } = request;
    const source = this.#source;
    if (source === void 0 || namespace === void 0) return this.#own;
    return source.memberOf(namespace)?.repeats ?? (isWithdrawn ? void 0 : this.#own);
  }
  *repeated() {
    for (const member of this.#source?.members ?? []) {
      for (const { namespace, name } of member.objects.views()) {
        const request = { namespace, name };
        const source = this.repeatsOf(request, false);
        if (source !== void 0) yield [request, source];
      }
    }
  }
};

// packages/manager/src/controller/exchange/source-factory.ts
import { parseDuration as parseDuration5, parseObjectKey } from '@keelson/apimachinery';
import { ownerIndexer } from '@keelson/informer';

// packages/manager/src/controller/sources/request-mapper.ts
import { invalidOption as invalidOption10, refersToKind } from '@keelson/apimachinery';
var mapCure = 'must return requests ({ namespace, name }) and no promise';
function mapOwners(owner, match = 'controller') {
  return mapObjects((view) => {
    const references = view.metadata.ownerReferences ?? [];
    return references
      .filter((reference) => match === 'any' || reference.controller === true)
      .filter((reference) => refersToKind(reference, owner))
      .map(({ name }) =>
        owner.namespaced && view.namespace !== void 0
          ? { namespace: view.namespace, name }
          : { name },
      );
  });
}
function mapObjects(mapper, userCode) {
  const map = (view) => requestsOf(mapper(view));
  const mapped = (view, failed) =>
    userCode === void 0 ? map(view) : (userCode.attempt(map, failed, view) ?? []);
  return (event, emit, failed) => {
    for (const request of mapped(event.object, failed)) emit(request);
    if (event.type !== 'updated' || event.previous === event.object) return;
    for (const request of mapped(event.previous, failed)) emit(request);
  };
}
function requestsOf(result) {
  if (result === void 0) return [];
  if (typeof result !== 'object' || result === null) {
    throw invalidOption10('map', mapCure, {
      returned: result === null ? 'null' : typeof result,
    });
  }
  return isIterable(result) ? [...result] : [result];
}
function isIterable(result) {
  return Symbol.iterator in result;
}

// packages/manager/src/controller/exchange/source-factory.ts
var SourceFactory = class {
  #options;
  /** The predicates of all sources. */
  #predicates;
  #namespaces;
  /** The settings in force. */
  #settings;
  constructor(options, predicates, namespaces) {
    this.#options = options;
    this.#settings = options.settings;
    this.#predicates = predicates;
    this.#namespaces = namespaces;
  }
  /** Uses other settings for later sources. */
  configure(settings) {
    this.#settings = settings;
  }
  /** The rules of a source by the settings in force. */
  rulesOf({ role, options }) {
    return this.#rulesOf(role, options, this.#settings);
  }
  /** The sources of a controller's options, by role. They have these settings, or those in force. */
  plansOf({ for: primary, owns = [], watches = [], reads = [] }, settings = this.#settings) {
    const plans = [];
    const add = (role, options, mapper) =>
      void plans.push(
        this.#plan(role, { ...options, required: options.required ?? true }, mapper, settings),
      );
    if (primary !== void 0) {
      const options = sourceOptionsOf(primary);
      add(
        'for',
        options,
        asMapperOf(({ key }, emit) => emit(parseObjectKey(key))),
      );
      for (const given of owns) {
        const owned = withOwnerIndex(sourceOptionsOf(given));
        add('owns', owned, asMapperOf(mapOwners(options.resource, owned.owners)));
      }
    }
    for (const watch of watches) add('watch', watch, this.mapperOf(watch));
    for (const read3 of reads) add('reads', sourceOptionsOf(read3), void 0);
    return plans;
  }
  /** A watch that is added at run time. */
  watch(options) {
    return this.#plan('watch', options, this.mapperOf(options), this.#settings);
  }
  /** Adds the defaults of the manager, which are those of the main cluster. */
  complete(options) {
    return clusterOf(options) === void 0 ? this.#options.watchDefaults.complete(options) : options;
  }
  mapperOf({ map }) {
    return mapObjects(map, this.#options.userCode);
  }
  #rulesOf(role, options, settings) {
    const rate = sourceEventRate(options, settings.eventRate);
    const { fights } = this.#options;
    return {
      debounce: sourceDebounce(options, settings),
      governing: rate && { rate, ofRequests: role === 'for', fights },
      resync: resyncOf(options, settings),
    };
  }
  #plan(role, given, mapper, settings) {
    const { owner, watchDefaults, sink, userCode, own: own3 } = this.#options;
    const cluster = clusterOf(given);
    const options = this.complete(given);
    const kind = `${role} ${options.resource.kind}`;
    const name = cluster === void 0 ? kind : `${kind} of ${cluster}`;
    const host = {
      name,
      owner: `${owner}: ${name}`,
      required: options.required ?? false,
      priorities: sourcePriorities(options, settings.priorities),
      ...this.#rulesOf(role, options, settings),
      sharedPredicates: this.#predicates,
      ignored: options.ignoreOwn === true ? own3.use() : void 0,
      onDeleted: role === 'for' ? (key) => sink.forget(parseObjectKey(key)) : void 0,
      sink,
      userCode,
      // The namespaces of the controller are those of the main cluster.
      defaultNamespaces: (isComing) =>
        cluster === void 0
          ? (this.#namespaces(isComing) ?? watchDefaults.namespacesOf(options.resource))
          : void 0,
    };
    return { role, options, mapper, host };
  }
};
function resyncOf({ resync }, settings) {
  return resync === void 0 ? settings.resync : parseDuration5(resync, 'resync');
}
function asMapperOf(mapper) {
  return mapper;
}
function withOwnerIndex(options) {
  const { indexers = [], owners } = options;
  return { ...options, indexers: [...indexers, ownerIndexer(owners)] };
}

// packages/manager/src/controller/sources/source-functions.ts
import { CodedError as CodedError2, resourceId } from '@keelson/apimachinery';
import { informerErrors, isSameIndexer } from '@keelson/informer';
function checkSameFunctions(known, given) {
  const resource = resourceId(given.resource);
  if (known.transform?.apply !== given.transform?.apply) {
    throw conflict('TRANSFORM_CONFLICT', { resource, transform: given.transform?.name });
  }
  const before = known.indexers ?? [];
  const other = (given.indexers ?? []).find((indexer, at) => {
    const same = before[at];
    return same === void 0 || !isSameIndexer(indexer, same);
  });
  if (other === void 0) return;
  throw conflict('INDEXER_CONFLICT', { resource, indexer: other.name });
}
function checkTogether(known, given) {
  const resource = resourceId(given.resource);
  if (resourceId(known.resource) !== resource || clusterOf(known) !== clusterOf(given)) return;
  const { transform, indexers = [] } = given;
  const { transform: before } = known;
  if (before?.name === transform?.name && before?.apply !== transform?.apply) {
    throw conflict('TRANSFORM_CONFLICT', { resource, transform: transform?.name });
  }
  for (const indexer of indexers) {
    const same = known.indexers?.find(({ name }) => name === indexer.name);
    if (same === void 0 || isSameIndexer(same, indexer)) continue;
    throw conflict('INDEXER_CONFLICT', { resource, indexer: indexer.name });
  }
}
function conflict(code, facts) {
  return new CodedError2(code, informerErrors[code], facts);
}

// packages/manager/src/controller/sources/source-text.ts
import {
  normalFieldSelector as normalFieldSelector2,
  normalLabelSelector as normalLabelSelector2,
  resourceId as resourceId2,
} from '@keelson/apimachinery';
function sourceText(options) {
  const { labelSelector = '', fieldSelector = '' } = options;
  return JSON.stringify([
    options.cluster,
    resourceId2(options.resource),
    options.namespace ?? '',
    normalLabelSelector2(labelSelector),
    normalFieldSelector2(fieldSelector),
    options.projection ?? 'full',
    options.transform?.name,
    options.indexers?.map(({ name }) => name),
    options.retain,
    options.pageSize,
    options.resync,
    options.ignoreOwn === true,
    options.sharing ?? 'views',
    options.priority,
    options.priorities,
    options.debounce,
    options.eventRate,
    options.required ?? false,
    options.owners,
  ]);
}
function watchLabel({ name, options }) {
  const { namespace, labelSelector, fieldSelector } = options;
  const selectors = [labelSelector, fieldSelector].filter((selector) => selector);
  return [
    name,
    ...(namespace ? [`in ${namespace}`] : []),
    ...(selectors.length > 0 ? [`(${selectors.join('; ')})`] : []),
  ].join(' ');
}

// packages/manager/src/controller/sources/source-watches.ts
import { resourceId as resourceId4 } from '@keelson/apimachinery';

// packages/manager/src/controller/sources/kind-source.ts
import { resourceId as resourceId3 } from '@keelson/apimachinery';

// packages/manager/src/reconcile/predicate.ts
import { checkFunction as checkFunction4 } from '@keelson/apimachinery';
function generationChanged(event) {
  return changed(event, (view) => view.metadata.generation);
}
function labelsChanged(event) {
  return mapChanged(event, (view) => view.metadata.labels);
}
function annotationsChanged(event) {
  return mapChanged(event, (view) => view.metadata.annotations);
}
function resourceVersionChanged(event) {
  return changed(event, (view) => view.resourceVersion);
}
function and(...predicates) {
  checkPredicates2('and', predicates);
  return (event) => predicates.every((predicate) => passes(predicate, event));
}
function or(...predicates) {
  checkPredicates2('or', predicates);
  return (event) => predicates.some((predicate) => passes(predicate, event));
}
function not(predicate) {
  checkPredicates2('not', [predicate]);
  return (event) => !passes(predicate, event);
}
function passes(predicate, event) {
  const result = predicate(event);
  if (typeof result !== 'object' || result === null || !('then' in result)) return Boolean(result);
  Promise.resolve(result).catch(() => void 0);
  throw new ManagerError('PREDICATE_RESULT', { predicate: predicate.name || void 0 });
}
function checkPredicates2(where, predicates) {
  for (const [at, predicate] of predicates.entries()) checkFunction4(predicate, `${where}[${at}]`);
}
function changed(event, part) {
  return event.type !== 'updated' || part(event.previous) !== part(event.object);
}
function mapChanged(event, part) {
  return event.type !== 'updated' || !sameMap(part(event.previous), part(event.object));
}
function sameMap(a = {}, b = {}) {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}

// packages/manager/src/controller/governor/source-governor.ts
import {
  isDeleting,
  parseObjectKey as parseObjectKey2,
  printFieldSelector,
} from '@keelson/apimachinery';
var ANY_VERSION = '0';
var SourceGovernor = class {
  #options;
  #tokens;
  #abort = new AbortController();
  constructor(options) {
    this.#options = options;
    this.#tokens = new EventTokens(options.rate);
  }
  /**
   * Returns the milliseconds by which the requests of an event wait; 0 for most events. Initial objects, resyncs, and the
   * deletion of the object that a request names are not limited.
   */
  delayOf(event, reason, now) {
    if (reason === 'initial' || reason === 'resync') return 0;
    const { ofRequests } = this.#options;
    if (ofRequests && reason === 'deleted') {
      this.#tokens.fill(event.key);
      return 0;
    }
    const delay = this.#tokens.take(event.key, now);
    return delay > 0 && ofRequests && beginsDeletion(event) ? 0 : delay;
  }
  /** The requests of an event were delayed; this is the key of one of them. */
  delayed({ key }, request) {
    const { rate, fights, source } = this.#options;
    const { signal } = this.#abort;
    const states = (either) => this.#statesOf(parseObjectKey2(key), either);
    this.#options.inContext(() =>
      fights.objectDelayed({ source, request, rate, object: key, states, signal }),
    );
  }
  /** Aborts a request that is under way. */
  close() {
    this.#abort.abort(new ManagerError('STOPPING', { source: this.#options.source }));
  }
  async *#statesOf({ namespace, name }, signal) {
    const { fights, resource, cluster } = this.#options;
    const fieldSelector = printFieldSelector([
      { path: 'metadata.name', operator: '=', value: name },
    ]);
    const options = { namespace, fieldSelector, resourceVersion: ANY_VERSION, signal };
    for await (const { object } of fights.clientOf(cluster).watch(resource, options)) yield object;
  }
};
function governorOf(source) {
  const { governing, name, options, userCode } = source;
  const inContext = (act) => userCode.inContext(act);
  const facts = {
    source: name,
    resource: options.resource,
    cluster: options.cluster,
    inContext,
  };
  return governing && new SourceGovernor({ ...governing, ...facts });
}
function isSameRate(one, other) {
  return one?.rate.burst === other?.rate.burst && one?.rate.perSecond === other?.rate.perSecond;
}
function beginsDeletion(event) {
  if (event.type !== 'updated') return false;
  return isDeleting(event.object) && !isDeleting(event.previous);
}

// packages/manager/src/controller/event-rules/event-reason.ts
function reasonOf(event) {
  if (event.type === 'added') return event.initial ? 'initial' : 'added';
  if (event.type === 'deleted') return 'deleted';
  return event.previous.resourceVersion === event.object.resourceVersion ? 'resync' : 'updated';
}

// packages/manager/src/controller/sources/sync-clock.ts
var SyncClock = class _SyncClock {
  #elapsed = 0;
  /** The monotonic time at which the clock last continued; `undefined` while it pauses. */
  #since = performance.now();
  /** The clock of a handle. */
  static of(handle) {
    const clock = new _SyncClock();
    const update = (health) => {
      if (isBlocked(health)) clock.pause();
      else clock.continue();
    };
    update(handle.health);
    handle.onHealthChange(update);
    return clock;
  }
  get elapsed() {
    return this.#since === void 0 ? this.#elapsed : this.#elapsed + performance.now() - this.#since;
  }
  pause() {
    this.#elapsed = this.elapsed;
    this.#since = void 0;
  }
  continue() {
    this.#since ??= performance.now();
  }
};
function isBlocked({ state }) {
  return state === 'forbidden' || state === 'parked' || state === 'over-budget';
}

// packages/manager/src/controller/sources/watched-objects.ts
import {
  matchesFieldValues,
  matchesLabels,
  parseFieldSelector,
  parseLabelSelector,
} from '@keelson/apimachinery';
var RECEIVED = { overlay: false };
var nameFields = {
  'metadata.name': ({ name }) => name,
  'metadata.namespace': ({ namespace = '' }) => namespace,
};
var WatchedObjects = class {
  #options;
  #handle;
  #selects;
  /** Without a handle it has no objects. */
  constructor(options, handle) {
    this.#options = options;
    this.#handle = handle;
  }
  /** The namespace of the watch; `undefined` for all. */
  get namespace() {
    return this.#options.namespace || void 0;
  }
  /** The objects in an order without a meaning. */
  views() {
    return this.#handle?.hasSynced === true ? this.#handle.store.views(RECEIVED) : [];
  }
  view(name) {
    try {
      return this.#handle?.store.view(name, RECEIVED);
    } catch {
      return void 0;
    }
  }
  /** True if the watch has received an object of this name. */
  has(name) {
    return this.view(name) !== void 0;
  }
  /** True if the watch has received an object of this name, or the controller has written it. */
  exists(name) {
    try {
      return this.#handle?.store.has(name) ?? false;
    } catch {
      return false;
    }
  }
  /** True if the watch selects an object in this namespace. */
  reaches(namespace) {
    return this.namespace === void 0 || this.namespace === namespace;
  }
  /**
   * True if the watch selects this object, as far as its metadata shows. True too if only the server knows: for fields
   * outside the metadata, and for transformed objects.
   */
  selects(view) {
    this.#selects ??= selectionOf(this.#options);
    return this.reaches(view.namespace) && this.#selects(view);
  }
};
function selectionOf({ labelSelector = '', fieldSelector = '', transform }) {
  if (transform !== void 0) return () => true;
  const labels = parseLabelSelector(labelSelector);
  const fields = parseFieldSelector(fieldSelector).filter(({ path }) =>
    Object.hasOwn(nameFields, path),
  );
  return (view) =>
    (labels.length === 0 || matchesLabels(labels, view.metadata.labels)) &&
    matchesFieldValues(fields, (path) => nameFields[path]?.(view) ?? '');
}

// packages/manager/src/controller/sources/kind-source.ts
var KindSource = class {
  name;
  required;
  causes;
  /** Resolves when the watch has synced and every initial object is in the queue. */
  synced;
  options;
  #options;
  #waiter = Promise.withResolvers();
  #rules;
  #governor;
  /** The name of its events in reports of calls that block the event loop. */
  #call;
  #mapper;
  #predicates;
  #handle;
  #clock;
  #registration;
  #repeats;
  #hasSynced = false;
  #detached = false;
  constructor(options) {
    this.name = options.name;
    this.required = options.required;
    this.options = options.options;
    this.causes = new CauseSet(options.name);
    this.#options = options;
    this.#rules = options;
    this.#governor = governorOf(options);
    this.#call = { role: 'event', source: options.name };
    this.#mapper = options.mapper;
    this.#predicates = this.#allPredicates(options.options.predicates);
    this.synced = this.#waiter.promise;
    this.synced.catch(() => void 0);
  }
  get hasSynced() {
    return this.#hasSynced;
  }
  /** The causes with which the controller queues the objects of `for` again. They end with the watch. */
  get repeats() {
    return (this.#repeats ??= new CauseSet(CONTROLLER));
  }
  /** The causes that end with the watch. */
  get causeSets() {
    return this.#repeats === void 0 ? [this.causes] : [this.causes, this.#repeats];
  }
  /** The health of the watch; `undefined` before `open`. */
  get health() {
    return this.#handle?.health;
  }
  /** The milliseconds since `open` in which the server served and allowed the kind. */
  get syncingMs() {
    return this.#clock?.elapsed ?? 0;
  }
  /** Acquires the watch in the async context of the controller, not in that of the caller. */
  open(cache) {
    if (this.#detached || this.#handle !== void 0) return;
    this.#options.userCode.inContext(() => this.#acquire(cache));
  }
  #acquire(cache) {
    const { owner } = this.#options;
    const handle = cache.acquire(queryOf(this.options), { owner, required: this.required });
    this.#handle = handle;
    this.#clock = SyncClock.of(handle);
    this.#listen(handle).then(
      () => this.#waiter.resolve(),
      (error) => this.#waiter.reject(error),
    );
  }
  /** Resolves when the watch has synced or was removed; rejects if it cannot sync. */
  async syncedOrRemoved() {
    try {
      await this.synced;
    } catch (error) {
      if (!this.#detached) throw error;
    }
  }
  /** The objects of the watch. */
  get objects() {
    return new WatchedObjects(this.options, this.#handle);
  }
  /** True if the handler of the watch has received exactly this state of an object. */
  hasSeen(object) {
    if (this.#detached || this.#registration?.isCurrent !== true) return false;
    const known = this.objects.view(object);
    return known?.uid === object.uid && known.resourceVersion === object.resourceVersion;
  }
  /** The requests to which the mapper maps an object. It calls no predicates. */
  requestsOf(object) {
    const requests = [];
    const event = { type: 'added', key: object.key, object, initial: true, receivedAt: 0 };
    this.#mapper?.(
      event,
      (request) => void requests.push(request),
      () => void 0,
    );
    return requests;
  }
  /** The watch selects an object that another watch had and that is gone. */
  missed(object) {
    const receivedAt = performance.now();
    this.#onEvent({
      type: 'deleted',
      key: object.key,
      object,
      finalStateUnknown: true,
      receivedAt,
    });
  }
  /** Resolves when the watch has synced, or the server does not serve or allow its kind. */
  async settled() {
    const handle = this.#handle;
    if (handle === void 0 || isBlocked(handle.health)) return;
    const blocked = Promise.withResolvers();
    const listening = handle.onHealthChange((health) => {
      if (isBlocked(health)) blocked.resolve();
    });
    await Promise.race([this.synced, blocked.promise]).catch(() => void 0);
    listening[Symbol.dispose]();
  }
  /** Replaces the predicates and the mapper from the next event on; queued requests stay. */
  replace(mapper, predicates) {
    this.#mapper = mapper;
    this.#predicates = this.#allPredicates(predicates);
  }
  /** Replaces the rules from the next event on. An unchanged rate keeps the tokens of the objects. */
  adopt(rules2) {
    const before = this.#rules;
    this.#rules = rules2;
    if (!isSameRate(before.governing, rules2.governing)) {
      this.#governor?.close();
      this.#governor = governorOf({ ...this.#options, ...rules2 });
    }
    if (before.resync === rules2.resync) return;
    this.#options.userCode.inContext(() => this.#registration?.resyncEvery(rules2.resync));
  }
  /** Stops the requests of the source at once. Its objects can be read until `release`. */
  detach() {
    if (this.#detached) return;
    this.#detached = true;
    this.#registration?.remove();
    this.#governor?.close();
    this.#waiter.reject(
      new ManagerError('WATCH_REMOVED', {
        source: this.name,
        resource: resourceId3(this.options.resource),
        namespace: this.options.namespace,
      }),
    );
  }
  /** Detaches the source and releases its handle. A second call has no effect. */
  release() {
    this.detach();
    this.#options.userCode.inContext(() => this.#handle?.release());
  }
  /** Resolves when the initial objects are in the queue or, without a mapper, in the store. */
  async #listen(handle) {
    if (this.#mapper !== void 0) {
      const { resync } = this.#rules;
      this.#registration = handle.addEventHandler((event) => this.#onEvent(event), { resync });
    }
    await (this.#registration ?? handle).synced;
    this.#hasSynced = true;
  }
  #onEvent(event) {
    if (this.#detached || this.#options.ignored?.made(event) === true) return;
    if (event.type === 'added' && event.initial && this.#options.isKnown?.(event.object)) return;
    if (event.type === 'deleted') this.#options.onDeleted?.(event.key);
    const startedAt = performance.now();
    if (this.#passes(event) && !this.#detached) this.#map(event, startedAt);
    const endedAt = performance.now();
    this.#options.sink.eventHandled(endedAt - startedAt);
    this.#options.userCode.took(this.#call, startedAt, endedAt, event.key);
  }
  #map(event, now) {
    const reason = reasonOf(event);
    const isReplay = reason === 'initial' || reason === 'resync';
    const receivedAt = isReplay ? void 0 : event.receivedAt;
    const { sink } = this.#options;
    const failed = (error) => sink.sourceError(this.name, error);
    let add;
    const emit = (request) => {
      if (this.#detached) return;
      try {
        const isFirst = add === void 0;
        add ??= this.#addOf(event, reason, now);
        const key = sink.enqueue(request, add, receivedAt);
        if (isFirst && add.after !== void 0) this.#governor?.delayed(event, key);
      } catch (error) {
        failed(error);
      }
    };
    this.#mapper?.(event, emit, failed);
  }
  #addOf(event, reason, now) {
    const { debounce } = this.#rules;
    const priority = priorityOf(event, reason, this.#options.priorities);
    const add = { priority, cause: this.causes.of(reason), debounce };
    return delayedBy(add, this.#governor?.delayOf(event, reason, now) ?? 0);
  }
  #allPredicates(own3 = []) {
    return [...(this.#options.sharedPredicates ?? []), ...own3];
  }
  #passes(event) {
    return this.#predicates.every((predicate) => {
      try {
        return this.#options.userCode.call(passes, predicate, event);
      } catch (error) {
        this.#options.sink.sourceError(this.name, error);
        return true;
      }
    });
  }
};

// packages/manager/src/controller/sources/source-watches.ts
var SourceWatches = class {
  #plan;
  #members = /* @__PURE__ */ new Map();
  #coming;
  #cache;
  #isInForce;
  #isDetached = false;
  /** A source that is not in force has the coming namespaces of its controller until `enter`. */
  constructor(plan, isInForce = true) {
    this.#plan = withOwnSet(plan);
    this.#isInForce = isInForce;
    this.follow();
  }
  enter() {
    this.#isInForce = true;
  }
  get plan() {
    return this.#plan;
  }
  get name() {
    return this.#plan.host.name;
  }
  get required() {
    return this.#plan.host.required;
  }
  get isDetached() {
    return this.#isDetached;
  }
  get options() {
    return this.#plan.options;
  }
  get members() {
    return [...this.#members.values()];
  }
  /** All open watches, those of the next plan too. */
  get opened() {
    return [...this.members, ...this.coming];
  }
  /** The namespaces at present; `undefined` if the source has no set. */
  get namespaces() {
    return namespacesOf(this.#plan, !this.#isInForce);
  }
  /** The health of the first watch that is not live. */
  get health() {
    const all = this.members.map(({ health }) => health);
    return all.find((health) => health?.state !== 'live') ?? all[0];
  }
  /** Returns the watch of a namespace. A single watch is that of every namespace. */
  memberOf(namespace) {
    const coming = this.#coming?.added;
    return (
      this.#members.get(void 0) ??
      this.#members.get(namespace) ??
      coming?.get(void 0) ??
      coming?.get(namespace)
    );
  }
  open(cache) {
    this.#cache = cache;
    for (const member of this.members) member.open(cache);
  }
  /**
   * Resolves when every watch has synced, including those that are added during the wait. Rejects with `WATCH_REMOVED`
   * if the source is removed.
   */
  async synced() {
    const unsynced = () => this.members.filter(({ hasSynced }) => !hasSynced);
    for (let pending = unsynced(); pending.length > 0; pending = unsynced()) {
      await Promise.all(pending.map((member) => member.syncedOrRemoved()));
      if (this.#isDetached) throw this.removed();
    }
  }
  /**
   * Replaces the functions from the next event on, and the namespaces. Returns the watches of the namespaces that left,
   * which are detached.
   */
  update(options, mapper) {
    this.#plan = withOwnSet({ ...this.#plan, options, mapper });
    for (const member of this.members) member.replace(mapper, options.predicates);
    return this.follow();
  }
  /** Replaces the rules of all watches from their next event on. */
  adopt(rules2) {
    this.#plan = { ...this.#plan, host: { ...this.#plan.host, ...rules2 } };
    for (const member of this.members) member.adopt(rules2);
  }
  /** Replaces the set that the source itself names. Returns the detached watches. */
  setNamespaces(namespaces) {
    this.#plan = { ...this.#plan, options: { ...this.options, namespaces } };
    return this.follow();
  }
  /** Adds and detaches watches according to the present set. Returns the detached ones. */
  follow() {
    if (this.#isDetached) return [];
    const keys = keysOf(this.#plan, !this.#isInForce);
    const left = this.#follow(this.#plan, this.#members, keys);
    return this.#coming === void 0 ? left : [...left, ...this.#followComing(this.#coming)];
  }
  /**
   * Opens the watches of another plan that the source does not have, beside its own ones, which stay in force until
   * `commit`. Returns the opened ones.
   */
  prepare(given) {
    const plan = withOwnSet(given);
    const keepsWatches = sourceText(plan.options) === sourceText(this.options);
    this.#coming = { plan, keepsWatches, added: /* @__PURE__ */ new Map() };
    this.#followComing(this.#coming);
    return this.coming;
  }
  /** The watches that the next plan does not have. */
  get leaving() {
    if (this.#coming === void 0) return [];
    const { plan, keepsWatches } = this.#coming;
    const keys = keepsWatches ? keysOf(plan, true) : [];
    return [...this.#members].flatMap(([key, member]) => (keys.includes(key) ? [] : [member]));
  }
  /** The watches that were opened for the next plan. */
  get coming() {
    return [...(this.#coming?.added.values() ?? [])];
  }
  /** Begins the prepared plan. Returns the watches that it does not have, detached. */
  commit() {
    const coming = this.#coming;
    if (coming === void 0 || this.#isDetached) return [];
    const { plan, added } = coming;
    const left = this.leaving;
    this.#coming = void 0;
    this.#plan = plan;
    for (const [key, member] of this.#members) if (left.includes(member)) this.#members.delete(key);
    for (const member of this.members) member.replace(plan.mapper, plan.options.predicates);
    for (const [key, member] of added) this.#members.set(key, member);
    for (const member of left) member.detach();
    return left;
  }
  /** Gives the prepared plan up. Returns its watches, detached. */
  discard() {
    const { coming } = this;
    this.#coming = void 0;
    for (const member of coming) member.detach();
    return coming;
  }
  /** Stops the requests of all watches. Their objects can be read until they are released. */
  detach() {
    this.#isDetached = true;
    for (const member of this.opened) member.detach();
  }
  /** The error of a source that was removed. */
  removed() {
    return new ManagerError('WATCH_REMOVED', {
      source: this.name,
      resource: resourceId4(this.options.resource),
    });
  }
  #followComing({ plan, added, keepsWatches }) {
    const keys = keysOf(plan, true);
    const missing = keys.filter((key) => !keepsWatches || !this.#members.has(key));
    return this.#follow(plan, added, missing);
  }
  /** Adds and detaches members, so that these keys are left. Returns the detached ones. */
  #follow(plan, members, keys) {
    for (const key of keys) if (!members.has(key)) this.#add(plan, members, key);
    const left = [...members].filter(([key]) => !keys.includes(key));
    for (const [key, member] of left) {
      members.delete(key);
      member.detach();
    }
    return left.map(([, member]) => member);
  }
  #add({ options, mapper, host }, members, key) {
    const isKnown = (object) => {
      const present = this.memberOf(object.namespace);
      return present !== void 0 && present !== member && present.hasSeen(object);
    };
    const member = new KindSource({
      ...host,
      options: key === void 0 ? options : { ...options, namespace: key },
      mapper,
      isKnown,
    });
    if (this.#cache !== void 0) member.open(this.#cache);
    members.set(key, member);
  }
};
function withOwnSet(plan) {
  return { ...plan, options: withNamespaceSet(plan.options) };
}
function namespacesOf({ options, host }, isComing) {
  const { resource, namespace, namespaces } = options;
  if (namespaces !== void 0) return namespaces;
  if (namespace !== void 0 || !resource.namespaced) return void 0;
  return host.defaultNamespaces(isComing);
}
function keysOf(plan, isComing) {
  return namespacesOf(plan, isComing) ?? [void 0];
}

// packages/manager/src/controller/sources/unready-source.ts
import { resourceId as resourceId5 } from '@keelson/apimachinery';
function unreadySources(sources) {
  return sources.filter(isUnready).map(describe);
}
function isUnready({ hasSynced, health }) {
  return !hasSynced || health === void 0 || isBlocked(health);
}
function describe(source) {
  const { name, options, health, syncingMs } = source;
  return {
    source: name,
    resource: resourceId5(options.resource),
    namespace: options.namespace || void 0,
    state: health?.state ?? 'not started',
    reason: health?.reason ?? 'the watch is not open',
    verb: health?.verb,
    error: health?.lastError,
    isBlocked: health !== void 0 && isBlocked(health),
    syncingMs,
  };
}

// packages/manager/src/controller/sources/watch-removals.ts
import { pause as pause2, resourceId as resourceId6 } from '@keelson/apimachinery';
var MAX_CALL_MS = 3e4;
var WatchRemovals = class {
  #sink;
  #userCode;
  #ends = /* @__PURE__ */ new WeakMap();
  /** The calls that have not ended, by kind. */
  #pending = /* @__PURE__ */ new Map();
  /** Aborts when the controller has stopped. */
  #closed = new AbortController();
  constructor({ sink, userCode }) {
    this.#sink = sink;
    this.#userCode = userCode;
  }
  /** Opens a watch: now, which may throw, or when the removals of earlier watches of its kind have ended. */
  open(source, open) {
    const removals = this.#pending.get(kindOf(source.options));
    if (removals === void 0) open();
    else void this.#openAfter(removals, source, open);
  }
  /** The end of the removal of a watch. A watch that is removed again has the same end. */
  endOf(source) {
    const known = this.#ends.get(source);
    if (known !== void 0) return known;
    const { promise, resolve } = Promise.withResolvers();
    if (hasFunction(source.options)) this.#hold(kindOf(source.options), promise);
    let call;
    const end = {
      causeSets: [],
      release: () => (call ??= this.#call(source).then(resolve)),
    };
    this.#ends.set(source, end);
    return end;
  }
  /** Ends the wait for calls that have not ended. */
  close() {
    this.#closed.abort();
  }
  async #openAfter(removals, source, open) {
    await Promise.all(removals);
    try {
      if (!source.isDetached) open();
    } catch (error) {
      this.#sink.sourceError(source.name, error);
    }
  }
  async #call({ name, options }) {
    const { onWatchRemoved } = options;
    if (onWatchRemoved === void 0) return;
    const ended = new AbortController();
    const closed = this.#closed.signal;
    try {
      const call = (async () => this.#userCode.call(onWatchRemoved))();
      await Promise.race([call, tooLate(name, [ended.signal, closed])]);
    } catch (error) {
      if (error !== closed.reason) this.#sink.sourceError(name, error);
    } finally {
      ended.abort();
    }
  }
  #hold(kind, call) {
    const calls = this.#pending.get(kind) ?? /* @__PURE__ */ new Set();
    this.#pending.set(kind, calls.add(call));
    void this.#release(kind, call, calls);
  }
  async #release(kind, call, calls) {
    await call;
    calls.delete(call);
    if (calls.size === 0) this.#pending.delete(kind);
  }
};
async function tooLate(watch, signals) {
  await pause2(MAX_CALL_MS, signals);
  throw new ManagerError('WATCH_REMOVED_TIMEOUT', { watch, milliseconds: MAX_CALL_MS });
}
function hasFunction({ onWatchRemoved }) {
  return onWatchRemoved !== void 0;
}
function kindOf({ resource, cluster = '' }) {
  return `${resourceId6(resource)} ${cluster}`;
}

// packages/manager/src/controller/sources/watch-defaults.ts
import {
  checkOptions as checkOptions8,
  invalidOption as invalidOption11,
  resourceId as resourceId7,
} from '@keelson/apimachinery';
var optionNames2 = [
  'resource',
  'namespaces',
  'labelSelector',
  'fieldSelector',
  'transform',
  'retain',
  'pageSize',
];
function checkWatchDefaults({ namespaces, kinds: kinds2 = [] }, where) {
  if (namespaces !== void 0) namespaceSet(namespaces, `${where}.namespaces`);
  if (!Array.isArray(kinds2)) throw invalidOption11(`${where}.kinds`, 'must be a list');
  const seen = /* @__PURE__ */ new Set();
  for (const [at, kind] of kinds2.entries()) {
    const name = `${where}.kinds[${at}]`;
    checkOptions8(kind, optionNames2, name);
    checkSourceOptions(kind, 'reads', name);
    if (kind.retain === 'metadata') {
      throw invalidOption11(`${name}.retain`, 'must not be metadata: each source decides it');
    }
    const id = resourceId7(kind.resource);
    if (seen.has(id)) throw invalidOption11(`${name}.resource`, 'is in the list twice');
    seen.add(id);
  }
}
var WatchDefaults = class {
  #kinds;
  #namespaces;
  /** The options must be checked. */
  constructor(options) {
    const { namespaces, kinds: kinds2 = [] } = withNamespaceSet(options);
    this.#namespaces = namespaces;
    this.#kinds = new Map(
      kinds2.map((kind) => [resourceId7(kind.resource), withNamespaceSet(kind)]),
    );
  }
  /** Returns the namespaces in which a source of this kind watches; `undefined` for all. */
  namespacesOf(resource) {
    return this.#kinds.get(resourceId7(resource))?.namespaces ?? this.#namespaces;
  }
  /** Replaces the namespaces of the manager. Throws `INVALID_OPTION`, also for a manager without `namespaces`. */
  setNamespaces(namespaces) {
    const next = namespaceSet(namespaces, 'setNamespaces');
    if (this.#namespaces === void 0) throw needsNamespaces('createManager');
    this.#namespaces = next;
  }
  /** Adds the defaults of the kind to the options of a source. */
  complete(options) {
    const kind = this.#kinds.get(resourceId7(options.resource));
    if (kind === void 0) return options;
    const { namespaces: _namespaces, transform, ...query } = kind;
    const isMetadata = options.projection === 'metadata' || options.retain === 'metadata';
    const usesTransform = transform !== void 0 && !isMetadata;
    const given = Object.entries(options).filter(([, value]) => value !== void 0);
    return { ...query, ...(usesTransform ? { transform } : {}), ...Object.fromEntries(given) };
  }
};
function needsNamespaces(where) {
  return invalidOption11('setNamespaces', `needs the option \`namespaces\` of ${where}`);
}

// packages/manager/src/controller/controller-sources.ts
var ControllerSources = class {
  #setup;
  /** The removals of watches with `onWatchRemoved`. */
  removals;
  #sources = /* @__PURE__ */ new Set();
  /** Sources that a reconfiguration has opened and that are not in force yet. */
  #coming = /* @__PURE__ */ new Set();
  #iterables;
  #factory;
  /** The sources of the controller's options. The others were added at run time. */
  #declared = /* @__PURE__ */ new Set();
  #objects;
  /** The namespaces of the controller itself after the change that is being prepared. */
  nextNamespaces;
  /** The namespaces of the controller itself. */
  #namespaces;
  #cache;
  constructor(controller, setup) {
    this.#setup = setup;
    this.removals = new WatchRemovals(setup);
    this.#namespaces = withNamespaceSet(controller).namespaces;
    const { sources = [] } = controller;
    this.#factory = new SourceFactory(
      setup,
      [...(controller.predicates ?? [])],
      (isComing) => (isComing ? this.nextNamespaces : void 0) ?? this.#namespaces,
    );
    for (const plan of this.plansOf(controller)) {
      this.check(plan);
      const source = new SourceWatches(plan);
      this.#sources.add(source);
      this.#declared.add(source);
    }
    const primary = this.declared.find(({ plan }) => plan.role === 'for');
    this.#objects = new PrimaryObjects(primary, setup.ownCauses);
    this.#iterables = new IterableSources(sources, controller.phase ?? 'leader', setup);
  }
  /** Opens the watches, and later each added one. Resolves when the required watches have synced. */
  async open(cache) {
    this.#cache = cache;
    for (const source of this.#sources) this.#open(source, cache);
    await Promise.all([this.synced(), this.consume('caches')]);
  }
  /** Resolves when every required watch has synced or was removed, including watches added during the wait. */
  async synced() {
    const unsynced = () => this.#required().filter(({ hasSynced }) => !hasSynced);
    for (let pending = unsynced(); pending.length > 0; pending = unsynced()) {
      await Promise.all(pending.map((source) => source.syncedOrRemoved()));
    }
  }
  /** Opens the iterables of a phase. Rejects with `SOURCE_FAILED`. */
  consume(phase) {
    return this.#iterables.consume(phase);
  }
  addIterable(options) {
    return this.#iterables.add(options);
  }
  closeIterable(source) {
    this.#iterables.close(source);
  }
  taken(key) {
    this.#iterables.taken(key);
  }
  pending() {
    return this.#iterables.pending();
  }
  /**
   * Resolves when every required watch has synced, or the server does not serve or allow its kind. Watches that are
   * added during the wait count too.
   */
  async settled() {
    const seen = /* @__PURE__ */ new Set();
    const fresh = () => this.#required().filter((source) => !seen.has(source));
    for (let pending = fresh(); pending.length > 0; pending = fresh()) {
      for (const source of pending) seen.add(source);
      await Promise.all(pending.map((source) => source.settled()));
    }
  }
  /** The required watches that have not synced, or that the server does not serve or allow. */
  unready() {
    return unreadySources(this.#required());
  }
  exists(request) {
    return this.#objects.exists(request);
  }
  repeatsOf(request, isWithdrawn) {
    return this.#objects.repeatsOf(request, isWithdrawn);
  }
  repeated() {
    return this.#objects.repeated();
  }
  /** Applies changed settings to the sources in force, and to those that are added from now on. */
  configure(settings) {
    this.#factory.configure(settings);
    for (const source of this.#sources) source.adopt(this.#factory.rulesOf(source.plan));
    this.#iterables.configure(settings);
  }
  /** Replaces the namespaces of the controller. Returns the watches that left, detached. Throws `INVALID_OPTION`. */
  setNamespaces(namespaces) {
    const next = namespaceSet(namespaces, 'setNamespaces');
    if (this.#namespaces === void 0) throw needsNamespaces('the controller');
    this.#namespaces = next;
    return this.follow();
  }
  /** Applies changed namespaces of the controller or the manager. Returns the watches that left, detached. */
  follow() {
    return [...this.#sources, ...this.#coming].flatMap((source) => source.follow());
  }
  add(options, required) {
    const watch = { ...options, required: options.required ?? required };
    const plan = this.#factory.watch(watch);
    this.check(plan);
    const source = this.#begin(plan, true);
    this.#sources.add(source);
    return source;
  }
  /**
   * Replaces the mapper and predicates of a watch from its next event on, and its namespaces. Returns the watches of the
   * namespaces that left, detached.
   */
  update(source, options) {
    const completed = this.#factory.complete(options);
    checkSameFunctions(source.options, completed);
    return source.update(completed, this.#factory.mapperOf(options));
  }
  /** Stops the requests of a source. Running reconciles may read its objects until it is released. */
  detach(source) {
    source.detach();
    for (const set of [this.#sources, this.#coming, this.#declared]) set.delete(source);
  }
  /** Detaches every source. Returns a function that releases them, to be called after the last reconcile. */
  detachAll() {
    const sources = [...this.#sources, ...this.#coming];
    const all = sources.flatMap(({ opened }) => opened);
    for (const source of sources) this.detach(source);
    this.#iterables.closeAll();
    return () => {
      for (const member of all) member.release();
      this.removals.close();
    };
  }
  /** The sources that name this cluster. */
  ofCluster(name) {
    const all = [...this.#sources, ...this.#coming];
    return all.filter(({ options }) => clusterOf(options) === name);
  }
  /** The sources in force. */
  get all() {
    return [...this.#sources];
  }
  /** The sources in force that the options of the controller name. */
  get declared() {
    return [...this.#declared];
  }
  /** The queries of the sources in the main cluster, whose access the manager needs. */
  get queries() {
    const own3 = this.all.filter(({ options }) => clusterOf(options) === void 0);
    return own3.flatMap(({ members }) => members.map(({ options }) => options));
  }
  /** True from the start on, when the watches are open. */
  get isOpen() {
    return this.#cache !== void 0;
  }
  /** The sources in force that were added at run time. */
  get added() {
    return this.all.filter((source) => !this.#declared.has(source));
  }
  /** The plans of the sources that options name. */
  plansOf(options, settings) {
    return this.#factory.plansOf(options, settings);
  }
  /** Throws if a source cannot exist beside the present ones, or in the place of one of them. */
  check(plan, present) {
    const { options } = plan;
    const cluster = clusterOf(options);
    if (cluster !== void 0) this.#setup.clusters.get(cluster);
    for (const other of [{ options }, ...this.#sources, ...this.#coming]) {
      checkTogether(other.options, options);
    }
    if (present === void 0 || sourceText(present.options) !== sourceText(options)) return;
    checkSameFunctions(present.options, options);
  }
  /** Opens the watches of a source that is not in force until `install`. */
  begin(plan) {
    this.check(plan);
    const source = this.#begin(plan, false);
    this.#coming.add(source);
    return source;
  }
  /** Begins a source of the options of the controller. */
  install(source) {
    this.#coming.delete(source);
    this.#sources.add(source);
    this.#declared.add(source);
    source.enter();
  }
  /** Begins the coming namespaces. Returns the watches that they end and that no plan has ended, detached. */
  adoptNamespaces() {
    if (this.nextNamespaces === void 0) return [];
    this.#namespaces = this.nextNamespaces;
    this.nextNamespaces = void 0;
    return this.follow();
  }
  #begin(plan, isInForce) {
    const source = new SourceWatches(plan, isInForce);
    const cache = this.#cache;
    try {
      if (cache !== void 0) this.removals.open(source, () => this.#open(source, cache));
    } catch (error) {
      for (const member of source.members) member.release();
      throw error;
    }
    return source;
  }
  #open(source, main) {
    const cluster = clusterOf(source.options);
    source.open(cluster === void 0 ? main : this.#setup.clusters.get(cluster).cache);
  }
  #required() {
    const required = [...this.#sources].filter((source) => source.required);
    return required.flatMap(({ members }) => members);
  }
};

// packages/manager/src/controller/controller.ts
import {
  checkOptions as checkOptions9,
  checkSignal,
  parseDuration as parseDuration6,
} from '@keelson/apimachinery';
function watching(options) {
  return options;
}
function checkRemoveOptions(bounds2, where) {
  checkOptions9(bounds2, ['signal'], where);
  checkSignal(bounds2.signal, `${where}.signal`);
}
function checkEnqueueOptions(options) {
  checkOptions9(options, ['priority', 'after'], 'enqueue');
  const { priority = 0, after = 0 } = options;
  checkPriority(priority, 'enqueue.priority');
  return { priority, after: parseDuration6(after, 'enqueue.after') };
}

// packages/manager/src/controller/dynamic-watches.ts
import { invalidOption as invalidOption12 } from '@keelson/apimachinery';

// packages/manager/src/controller/sources/source-removal.ts
import { abortable } from '@keelson/apimachinery';
var SourceRemoval = class {
  #queue;
  #callScope;
  constructor(queue, callScope) {
    this.#queue = queue;
    this.#callScope = callScope;
  }
  /**
   * The removal barrier. Drops the requests that only these sources caused. Then waits for their runs, except the run of
   * the caller and runs that wait in a barrier themselves, and releases the sources.
   */
  async remove(sources, signal) {
    if (sources.length === 0) return;
    const causeSets = sources.flatMap((source) => source.causeSets);
    for (const causes of causeSets) this.#queue.withdraw(causes);
    await this.#callScope.inBarrier(() => abortable(this.#end(sources, causeSets), [signal]));
  }
  async #end(sources, causeSets) {
    await Promise.all(causeSets.map((causes) => this.#queue.endOfRunsFor(causes)));
    await Promise.all(sources.map(async (source) => source.release()));
  }
};

// packages/manager/src/controller/watch-sets.ts
var WatchSets = class {
  #host;
  #sets = /* @__PURE__ */ new Map();
  constructor(host) {
    this.#host = host;
  }
  /** Replaces a set. A failed change does not undo the others; `REPLACE_WATCHES_FAILED` names it at the end. */
  async replace(set, wanted, bounds2) {
    const failures = new Failures();
    const left = new Set(this.#sets.get(set));
    const members = identified(wanted, failures);
    for (const member of members) member.watch = takeKnown(left, member, true);
    for (const member of members) member.watch ??= takeKnown(left, member, false);
    const removals = members.flatMap((member) => this.#join(member, bounds2, failures));
    const joined = members.filter(({ watch }) => watch !== void 0);
    if (joined.length > 0) this.#sets.set(set, joined);
    else this.#sets.delete(set);
    for (const { watch } of left)
      if (watch !== void 0) removals.push([watch, watch.remove(bounds2)]);
    await Promise.all(
      removals.map(([{ name }, removal]) => failures.collectAsync('failedToRemove', name, removal)),
    );
    failures.throwIfAny(set);
    return joined.flatMap(({ watch }) => watch ?? []);
  }
  /** Updates or adds a watch. Returns the removal of the namespaces that left. */
  #join(member, bounds2, failures) {
    const { options, watch } = member;
    const removals = [];
    failures.collect('failedToAdd', describe2(options), () => {
      const removal = watch && this.#host.update(watch, options, bounds2);
      if (watch !== void 0 && removal !== void 0) {
        removals.push([watch, removal]);
        return;
      }
      member.watch = void 0;
      member.watch = this.#host.add(options);
    });
    return removals;
  }
};
function identified(wanted, failures) {
  const members = /* @__PURE__ */ new Map();
  for (const options of wanted) {
    failures.collect('failedToAdd', describe2(options), () => {
      const identity = identityOf(options);
      const text = JSON.stringify(identity);
      if (members.has(text))
        throw new ManagerError('DUPLICATE_WATCH', { watch: describe2(options) });
      members.set(text, { ...identity, options, watch: void 0 });
    });
  }
  return [...members.values()];
}
function takeKnown(left, { kind, namespaces }, isExact) {
  for (const known of left) {
    const present = known.namespaces === void 0 ? void 0 : known.watch?.namespaces;
    if (known.kind !== kind || (isExact && String(present) !== String(namespaces))) continue;
    left.delete(known);
    return known.watch;
  }
  return void 0;
}
var Failures = class {
  failedToAdd = [];
  failedToRemove = [];
  #errors = [];
  collect(list, name, step) {
    try {
      step();
    } catch (error) {
      this.#add(list, name, error);
    }
  }
  async collectAsync(list, name, step) {
    try {
      await step;
    } catch (error) {
      this.#add(list, name, error);
    }
  }
  throwIfAny(set) {
    if (this.#errors.length === 0) return;
    const { failedToAdd, failedToRemove } = this;
    const cause = this.#errors.length === 1 ? this.#errors[0] : new AggregateError(this.#errors);
    throw new ManagerError(
      'REPLACE_WATCHES_FAILED',
      { set, failedToAdd, failedToRemove },
      { cause },
    );
  }
  #add(list, name, error) {
    this[list].push(name);
    this.#errors.push(error);
  }
};
function identityOf(watch) {
  checkSourceOptions(watch, 'watch', 'watch');
  const options = watch;
  const namespaces = options.namespaces && namespaceSet(options.namespaces, 'watch.namespaces');
  return { kind: sourceText(options), namespaces };
}
function describe2(watch) {
  const { resource } = watch ?? {};
  return `watch ${resource?.kind ?? '(no resource)'}`;
}

// packages/manager/src/controller/dynamic-watches.ts
var DynamicWatches = class {
  #sources;
  #removal;
  /** The watches that were not removed. */
  #live = /* @__PURE__ */ new Map();
  #sets;
  constructor(sources, queue, callScope) {
    this.#sources = sources;
    this.#removal = new SourceRemoval(queue, callScope);
    this.#sets = new WatchSets({
      add: (watch) => this.add(watch),
      update: (watch, changed2, bounds2) => this.#update(watch, changed2, bounds2),
    });
  }
  add(options) {
    checkWatch(options, 'watch');
    const source = this.#sources.add(options, false);
    const remove = async (bounds2 = {}) => {
      checkRemoveOptions(bounds2, 'remove');
      if (this.#live.delete(watch)) this.#sources.detach(source);
      const end = this.#sources.removals.endOf(source);
      await this.#removal.remove([...source.opened, end], bounds2.signal);
    };
    const watch = {
      name: source.name,
      get synced() {
        return optional(source.synced());
      },
      get health() {
        return source.health;
      },
      get namespaces() {
        return source.namespaces;
      },
      setNamespaces: async (namespaces, bounds2 = {}) => {
        checkRemoveOptions(bounds2, 'setNamespaces');
        const next = namespaceSet(namespaces, 'setNamespaces');
        if (source.options.namespaces === void 0) throw needsNamespaces('the watch');
        if (!this.#live.has(watch)) throw source.removed();
        await this.#removal.remove(source.setNamespaces(next), bounds2.signal);
      },
      remove,
      [Symbol.asyncDispose]: () => remove(),
    };
    this.#live.set(watch, source);
    return watch;
  }
  addSource(options) {
    checkIterable(options, 'addSource');
    const source = this.#sources.addIterable(options);
    const remove = async (bounds2 = {}) => {
      checkRemoveOptions(bounds2, 'remove');
      this.#sources.closeIterable(source);
      await this.#removal.remove([removableSource(source)], bounds2.signal);
    };
    return {
      name: source.name,
      get pending() {
        return source.pending;
      },
      remove,
      [Symbol.asyncDispose]: () => remove(),
    };
  }
  /** Replaces the namespaces of the controller. Resolves as the removal of a watch does. */
  async setNamespaces(namespaces, bounds2) {
    checkRemoveOptions(bounds2, 'setNamespaces');
    await this.#removal.remove(this.#sources.setNamespaces(namespaces), bounds2.signal);
  }
  /** Applies changed namespaces of the manager. Resolves as the removal of a watch does. */
  async follow({ signal }) {
    await this.#removal.remove(this.#sources.follow(), signal);
  }
  /** Removes every watch of a cluster. Resolves as the removal of a watch does. */
  async leaveCluster(cluster) {
    const left = this.#sources.ofCluster(cluster);
    for (const [watch, source] of this.#live) if (left.includes(source)) this.#live.delete(watch);
    for (const source of left) this.#sources.detach(source);
    const members = left.flatMap((source) => source.opened);
    const ends = left.map((source) => this.#sources.removals.endOf(source));
    await this.#removal.remove([...members, ...ends], void 0);
  }
  replace(set, watches, options) {
    checkRemoveOptions(options, 'replaceWatches');
    if (typeof set !== 'string' || set === '') {
      throw invalidOption12('replaceWatches.set', 'must be a name');
    }
    if (!Array.isArray(watches)) throw invalidOption12('replaceWatches.watches', 'must be a list');
    return this.#sets.replace(set, watches, options);
  }
  /** Resolves when the runs of the namespaces that left have ended. Returns `undefined` for a removed watch. */
  #update(watch, options, { signal }) {
    checkWatch(options, 'watch');
    const source = this.#live.get(watch);
    if (source === void 0) return void 0;
    return this.#removal.remove(this.#sources.update(source, options), signal);
  }
};
function optional(promise) {
  promise.catch(() => void 0);
  return promise;
}

// packages/manager/src/controller/reconcile-loop.ts
import { endsWithin as endsWithin2, startTimer as startTimer3 } from '@keelson/apimachinery';
import PQueue from 'p-queue';

// packages/manager/src/controller/reconcile-run.ts
import { randomUUID } from 'node:crypto';

// packages/manager/src/reconcile/finalizer.ts
import {
  checkFunction as checkFunction5,
  checkMethods,
  checkOptions as checkOptions10,
  checkSignal as checkSignal2,
  hasFinalizer,
  invalidOption as invalidOption14,
  isDeleting as isDeleting2,
} from '@keelson/apimachinery';

// packages/manager/src/reconcile/finalizer-write.ts
import { isConflict, isNotFound as isNotFound2 } from '@keelson/apimachinery';

// packages/manager/src/reconcile/request.ts
import { invalidOption as invalidOption13, objectNameProblem } from '@keelson/apimachinery';
function requestFor(object) {
  const { metadata } = object ?? {};
  return identifyName(metadata, true).request;
}
var none = Object.freeze([]);
function objectIdentity(resource) {
  return (request) => identifyName(request, resource.namespaced);
}
function nameIdentity(request) {
  const identified2 = identifyName(request, true);
  const members = membersBesideName(request);
  if (members.length > 0) {
    throw invalidOption13('request', 'has members beside namespace and name: declare `keyOf`', {
      members: members.join(' '),
    });
  }
  return identified2;
}
function keyIdentity(keyOf4) {
  return (request) => {
    if (typeof request !== 'object' || request === null) throw notRequest();
    const key = keyOf4(request);
    if (typeof key !== 'string' || key === '') {
      throw invalidOption13('keyOf', 'must return a string that is not empty', {
        type: typeof key,
      });
    }
    return { key, request };
  };
}
function identifyName(request, namespaced) {
  if (typeof request !== 'object' || request === null) throw notRequest();
  const { namespace, name } = request;
  if (typeof name !== 'string' || name === '') throw notRequest();
  if (namespace !== void 0 && typeof namespace !== 'string') throw notRequest();
  const isNamespaced = namespaced && namespace !== void 0 && namespace !== '';
  checkPart('name', name);
  if (isNamespaced) checkPart('namespace', namespace);
  const key = isNamespaced ? `${namespace}/${name}` : name;
  const exact = isNamespaced ? { namespace, name } : { name };
  return { key, request: Object.freeze(exact) };
}
function checkPart(part, text) {
  const problem = objectNameProblem(text);
  if (problem === void 0) return;
  const cure2 = 'declare `keyOf` for requests that are not names of objects';
  throw invalidOption13(`request.${part}`, problem, { cure: cure2 });
}
function membersBesideName(request) {
  let members;
  for (const member in request) {
    if (member === 'namespace' || member === 'name') continue;
    const isGiven = Object.hasOwn(request, member) && Reflect.get(request, member) !== void 0;
    if (isGiven) (members ??= []).push(member);
  }
  return members ?? none;
}
function notRequest() {
  return invalidOption13('request', 'must be an object with a name, such as { namespace, name }');
}

// packages/manager/src/reconcile/finalizer-write.ts
var MAX_ATTEMPTS = 10;
async function changeFinalizers(target, change) {
  let object = target.object;
  for (let tries = 0; tries < MAX_ATTEMPTS; tries += 1) {
    const finalizers = change(object);
    if (finalizers === void 0) return;
    if (await tryToWrite(target, object, finalizers)) return;
    const fresh = await read(target);
    if (fresh?.metadata?.uid !== object.metadata?.uid || fresh === void 0) return;
    object = fresh;
  }
  const { kind } = target.resource;
  throw new ManagerError('FINALIZER_CONFLICT', { kind, ...requestFor(target.object) });
}
async function tryToWrite(target, object, finalizers) {
  const { client, signal } = target;
  const resource = target.resource;
  const { resourceVersion, uid } = object.metadata ?? {};
  const body = { metadata: { resourceVersion, uid, finalizers } };
  try {
    const patch = { type: 'merge', body };
    await client.patch(resource, requestFor(target.object), patch, { signal });
    return true;
  } catch (error) {
    if (isConflict(error)) return false;
    if (isNotFound2(error)) return true;
    throw error;
  }
}
async function read({ client, resource, object, signal }) {
  try {
    return await client.get(resource, requestFor(object), { signal });
  } catch (error) {
    if (isNotFound2(error)) return void 0;
    throw error;
  }
}

// packages/manager/src/reconcile/finalizer.ts
var optionNames3 = [
  'client',
  'resource',
  'object',
  'signal',
  'apply',
  'finalizer',
  'cleanup',
  'finalizers',
];
async function withFinalizer(options) {
  const cleanups = check(options);
  const { object } = options;
  if (isDeleting2(object)) return cleanUp(options, cleanups);
  const names3 = [...cleanups.keys()];
  if (names3.every((name) => hasFinalizer(object, name))) return options.apply(object);
  await changeFinalizers(options, (fresh) => {
    const missing = names3.filter((name) => !hasFinalizer(fresh, name));
    if (missing.length === 0 || isDeleting2(fresh)) return void 0;
    return [...(fresh.metadata?.finalizers ?? []), ...missing];
  });
  return { requeueAfter: 1 };
}
function check(options) {
  checkOptions10(options, optionNames3, 'withFinalizer');
  const { client, resource, object, signal } = options;
  checkMethods(client, ['get', 'patch'], 'withFinalizer.client');
  const isToken = typeof resource?.plural === 'string';
  if (!isToken) throw invalidOption14('withFinalizer.resource', 'must be a resource token');
  const { name } = object?.metadata ?? {};
  if (!name) throw invalidOption14('withFinalizer.object', 'must be an object with a name');
  checkSignal2(signal, 'withFinalizer.signal');
  checkFunction5(Reflect.get(options, 'apply'), 'withFinalizer.apply');
  return cleanupsOf(options);
}
function cleanupsOf(options) {
  if (options.finalizers === void 0) {
    checkFinalizer(options.finalizer, 'withFinalizer.finalizer');
    checkFunction5(Reflect.get(options, 'cleanup'), 'withFinalizer.cleanup');
    return /* @__PURE__ */ new Map([[options.finalizer, (object) => options.cleanup(object)]]);
  }
  const where = 'withFinalizer.finalizers';
  for (const other of ['finalizer', 'cleanup']) {
    if (Reflect.get(options, other) === void 0) continue;
    throw invalidOption14(`withFinalizer.${other}`, 'has no meaning together with `finalizers`');
  }
  const cleanups = new Map(Object.entries(options.finalizers ?? {}));
  if (cleanups.size === 0) throw invalidOption14(where, 'must name at least one finalizer');
  for (const [name, cleanup] of cleanups) {
    checkFinalizer(name, where);
    checkFunction5(cleanup, `${where}["${name}"]`);
  }
  return cleanups;
}
function checkFinalizer(name, where) {
  if (typeof name === 'string' && name.includes('/')) return;
  throw invalidOption14(where, 'must be a qualified name: example.com/name');
}
async function cleanUp(options, cleanups) {
  const done = [];
  const errors = [];
  let unfinished;
  let outcome = void 0;
  for (const [name, cleanup] of cleanups) {
    if (!hasFinalizer(options.object, name)) continue;
    try {
      const result = await cleanup(options.object);
      if (isUnfinished(result)) unfinished ??= result;
      else {
        outcome ??= result;
        done.push(name);
      }
    } catch (error) {
      errors.push(error);
    }
  }
  await changeFinalizers(options, (fresh) => {
    const finalizers = fresh.metadata?.finalizers ?? [];
    const remaining = finalizers.filter((name) => !done.includes(name));
    return remaining.length === finalizers.length ? void 0 : remaining;
  });
  if (errors.length > 1) throw new AggregateError(errors, `${errors.length} cleanups failed`);
  if (errors.length === 1) throw errors[0];
  return unfinished ?? outcome;
}
function isUnfinished(result) {
  return result?.retry === true || result?.requeueAfter !== void 0;
}

// packages/manager/src/reconcile/patch-status.ts
import { isDeepStrictEqual } from 'node:util';
import {
  checkOptions as checkOptions11,
  checkSignal as checkSignal3,
  invalidOption as invalidOption15,
  isConflict as isConflict2,
  isNotFound as isNotFound3,
  setCondition,
} from '@keelson/apimachinery';
var MAX_ATTEMPTS2 = 5;
async function patchStatus(options) {
  check2(options);
  const { uid } = options.object.metadata;
  let object = options.object;
  for (let attempt = 1; object !== void 0; attempt += 1) {
    const operations = operationsFor(object, options);
    if (operations.length === 0) return object;
    try {
      return await write(options, operations);
    } catch (error) {
      const isMissing = isNotFound3(error);
      if (!isMissing && (!isConflict2(error) || attempt === MAX_ATTEMPTS2)) throw error;
      object = await read2(options);
      if (object?.metadata.uid !== uid) return void 0;
      if (isMissing) throw error;
    }
  }
  return void 0;
}
function check2(options) {
  const where = 'patchStatus';
  checkOptions11(options, ['client', 'resource', 'object', 'status', 'signal'], where);
  const { resource, object, status, signal } = options;
  const isToken = typeof resource?.plural === 'string';
  if (!isToken) throw invalidOption15(`${where}.resource`, 'must be a resource token');
  const { name, resourceVersion } = object?.metadata ?? {};
  if (!name || !resourceVersion) {
    throw invalidOption15(`${where}.object`, 'must be an object from the cache or the client');
  }
  checkStatusChange(status, `${where}.status`);
  checkSignal3(signal, `${where}.signal`);
}
function checkStatusChange(status, where) {
  if (typeof status !== 'object' || status === null || Array.isArray(status)) {
    throw invalidOption15(where, 'must be an object with members of the status');
  }
  const { conditions } = status;
  if (conditions !== void 0 && conditions !== null && !Array.isArray(conditions)) {
    throw invalidOption15(`${where}.conditions`, 'must be a list of conditions');
  }
  for (const [name, given] of Object.entries(status)) {
    if (given !== void 0 && given !== null) jsonOf(given, `${where}.${name}`);
  }
}
function operationsFor(object, { status: change, object: reconciled }) {
  const { status } = object;
  const { generation } = reconciled.metadata;
  const operations = [];
  for (const [name, given] of Object.entries(change)) {
    const path = `/status/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const present = status !== void 0 && Object.hasOwn(status, name) ? status[name] : void 0;
    const wanted = wantedValue(name, given, { generation, present });
    if (isDeepStrictEqual(wanted, present)) continue;
    operations.push(
      wanted === void 0 ? { op: 'remove', path } : { op: 'add', path, value: wanted },
    );
  }
  if (operations.length === 0) return [];
  const value = object.metadata.resourceVersion;
  const lock = { op: 'replace', path: '/metadata/resourceVersion', value };
  const parent = { op: 'add', path: '/status', value: {} };
  return [lock, ...(status === void 0 ? [parent] : []), ...operations];
}
function wantedValue(name, given, { generation, present }) {
  if (given === void 0) return present;
  if (given === null) return void 0;
  if (name !== 'conditions') return jsonOf(given, `patchStatus.status.${name}`);
  let conditions = present;
  for (const condition of given) {
    const observed = generation === void 0 ? {} : { observedGeneration: generation };
    conditions = setCondition(conditions, { ...observed, ...condition });
  }
  return conditions;
}
function jsonOf(given, where) {
  try {
    return JSON.parse(JSON.stringify(given));
  } catch {
    throw invalidOption15(where, 'must be a JSON value');
  }
}
async function write({ client, resource, object, signal }, body) {
  const patch = { type: 'json', body };
  const written = client.status(resource).patch(requestFor(object), patch, { signal });
  return await written;
}
async function read2({ client, resource, object, signal }) {
  try {
    const found = await client.get(resource, requestFor(object), { signal });
    return found;
  } catch (error) {
    if (isNotFound3(error)) return void 0;
    throw error;
  }
}

// packages/manager/src/controller/reconcile-run.ts
var MAX_TITLE_BYTES = 100;
var ReconcileRun = class {
  role = 'reconcile';
  cache;
  client;
  clusters;
  events;
  attempt;
  priority;
  deadline;
  #work;
  #request;
  #parentLog;
  #observer;
  #calls;
  #abort;
  #abortReason;
  #isAborted = false;
  #hasEnded = false;
  /** The number of barriers in which code of the run waits. */
  #barriers = 0;
  #awaitingEnd = [];
  /** Waits that resolve at the next end, abort or entry of a barrier. */
  #awaitingChange = [];
  #causes;
  #id;
  #log;
  constructor(dependencies, facts) {
    this.cache = dependencies.cache;
    this.client = dependencies.client;
    this.clusters = dependencies.clusters;
    this.events = dependencies.events;
    this.#parentLog = dependencies.log;
    this.#observer = dependencies.observer;
    this.#calls = dependencies.calls;
    this.#request = facts.request;
    this.attempt = facts.attempt;
    this.#work = facts.work;
    this.priority = facts.work.priority;
    this.deadline = facts.timeout === 0 ? void 0 : Date.now() + facts.timeout;
    this.#calls.began(this);
  }
  get signal() {
    if (this.#abort === void 0) {
      this.#abort = new AbortController();
      if (this.#isAborted) this.#abort.abort(this.#abortReason);
    }
    return this.#abort.signal;
  }
  get reconcileId() {
    this.#id ??= randomUUID();
    return this.#id;
  }
  get log() {
    this.#log ??= this.#parentLog.child({ ...this.#request, reconcileId: this.reconcileId });
    return this.#log;
  }
  get causes() {
    this.#causes ??= causesOf(this.#work);
    return this.#causes;
  }
  /** A function without `this`, because a reconcile takes it from the context by destructuring. */
  get finalizer() {
    return (work) => {
      const { client, signal } = this;
      return withFinalizer({ client, signal, ...work });
    };
  }
  get patchStatus() {
    return (resource, object, status) => {
      const { client, signal } = this;
      return patchStatus({ client, signal, resource, object, status });
    };
  }
  get hasEnded() {
    return this.#hasEnded;
  }
  get isAborted() {
    return this.#isAborted;
  }
  abort(reason) {
    if (this.#isAborted) return;
    this.#isAborted = true;
    this.#abortReason = reason;
    this.#abort?.abort(reason);
    this.#changed();
  }
  end() {
    this.#hasEnded = true;
    this.#calls.ended(this);
    for (const resolve of this.#awaitingEnd.splice(0)) resolve();
    this.#changed();
  }
  /** The controller and the request, for a warning that names several runs. */
  get title() {
    const { namespace, name } = this.#request;
    const path = namespace === void 0 ? name : `${namespace}/${name}`;
    return `${this.#calls.name} ${path ?? cutText(JSON.stringify(this.#request), MAX_TITLE_BYTES)}`;
  }
  get facts() {
    return { ...this.#request, reconcileId: this.reconcileId };
  }
  blocked(span) {
    this.#calls.report(this, span);
  }
  enterBarrier() {
    this.#barriers += 1;
    this.#changed();
    let left = false;
    return () => {
      if (!left) this.#barriers -= 1;
      left = true;
    };
  }
  uncaught(error) {
    this.#observer.panic();
    this.log.error({ err: error }, 'reconcile left an error uncaught');
  }
  /** Resolves when the run has ended, with or without an error. */
  ended() {
    if (this.#hasEnded) return Promise.resolve();
    return new Promise((resolve) => this.#awaitingEnd.push(resolve));
  }
  /** Resolves when the run has ended, was aborted, or waits in a barrier itself. */
  async endedOrAborted() {
    while (!this.#isAborted && !this.#isOver) await this.#change();
  }
  /** Resolves when the run has ended or waits in a barrier itself. */
  async endedOrWaiting() {
    while (!this.#isOver) await this.#change();
  }
  get #isOver() {
    return this.#hasEnded || this.#barriers > 0;
  }
  #change() {
    return new Promise((resolve) => this.#awaitingChange.push(resolve));
  }
  #changed() {
    for (const resolve of this.#awaitingChange.splice(0)) resolve();
  }
};
function causesOf({ causes, causedAt, startedAt }) {
  return causes.map(({ source, reason }, index) => {
    const age = Math.max(0, Math.floor(startedAt) - (causedAt[index] ?? startedAt));
    return { source: source.name, reason, age };
  });
}

// packages/manager/src/controller/pulled-work.ts
import { checkOptions as checkOptions12, checkSignal as checkSignal4 } from '@keelson/apimachinery';

// packages/manager/src/reconcile/error-policy.ts
import {
  invalidOption as invalidOption16,
  parseDuration as parseDuration7,
} from '@keelson/apimachinery';
var cure = "must return 'retry', 'terminal', 'ignore' or { requeueAfter }, and no promise";
function failureDecision(result) {
  switch (result) {
    case void 0:
      return void 0;
    case 'retry':
    case 'terminal':
    case 'ignore':
      return { kind: result };
    default:
      return { kind: 'retry', after: delayOf(result) };
  }
}
function delayOf(result) {
  if (typeof result !== 'object' || result === null) {
    throw invalidOption16('errorPolicy', cure, { returned: String(result) });
  }
  const members = Object.keys(result);
  if (members.length !== 1 || members[0] !== 'requeueAfter') {
    if ('then' in result) Promise.resolve(result).catch(() => void 0);
    throw invalidOption16('errorPolicy', cure, { returned: members.join(' ') || typeof result });
  }
  const { requeueAfter } = result;
  const delay = parseDuration7(requeueAfter, 'errorPolicy.requeueAfter');
  if (delay === 0) throw invalidOption16('errorPolicy.requeueAfter', 'must be more than zero');
  return delay;
}

// packages/manager/src/reconcile/outcome.ts
import { parseDuration as parseDuration8 } from '@keelson/apimachinery';
var success = { kind: 'success', after: 0, priority: void 0 };
var cures = {
  result: 'return nothing, or an object with requeueAfter, retry or priority',
  requeueAfter: "give a time above zero, such as '30s'; leave it out to run on events only",
  retry: 'give true or false',
  priority: 'give a finite number',
};
function decide(result) {
  if (result === void 0) return success;
  const { requeueAfter, retry = false, priority } = membersOf(result);
  if (typeof retry !== 'boolean') throw invalid('retry', retry);
  if (priority !== void 0 && !Number.isFinite(priority)) throw invalid('priority', priority);
  if (requeueAfter === void 0) return { kind: retry ? 'requeue' : 'success', after: 0, priority };
  return { kind: 'requeue_after', after: delayOf2(requeueAfter), priority };
}
function membersOf(result) {
  let members;
  try {
    members = isResult(result) ? { ...result } : void 0;
  } catch (error) {
    throw invalid('result', result, {}, error);
  }
  if (members === void 0) throw invalid('result', result);
  for (const member of Object.keys(members)) {
    if (!Object.hasOwn(cures, member) || member === 'result') {
      throw invalid('result', result, { unknown: member, ...cureOf(member) });
    }
  }
  return members;
}
function cureOf(member) {
  return Object.hasOwn(outcomeMistakes, member) ? { cure: outcomeMistakes[member] } : {};
}
function isResult(value) {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value) || isError(value)) return false;
  const prototype = Object.getPrototypeOf(value);
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null;
  return isPlain || Object.keys(value).length > 0;
}
function delayOf2(requeueAfter) {
  let delay;
  try {
    delay = parseDuration8(requeueAfter, 'requeueAfter');
  } catch (error) {
    throw invalid('requeueAfter', requeueAfter, {}, error);
  }
  if (delay <= 0) throw invalid('requeueAfter', requeueAfter);
  return delay;
}
function invalid(member, value, facts = {}, cause) {
  const isShort = typeof value === 'string' || typeof value === 'number';
  const shown = isShort ? value : typeof value;
  const all = { member, value: shown, cure: cures[member], ...facts };
  return new ManagerError('INVALID_RESULT', all, cause === void 0 ? {} : { cause });
}

// packages/manager/src/reconcile/panic.ts
var bugs = /* @__PURE__ */ new Set(['TypeError', 'ReferenceError', 'RangeError']);
function isPanic(thrown) {
  if (!isError(thrown)) return true;
  try {
    if (thrown.name === 'AssertionError') return true;
    return bugs.has(thrown.name) && thrown.cause === void 0 && !('code' in thrown);
  } catch {
    return false;
  }
}

// packages/manager/src/reconcile/queued-request.ts
function again({ key, request }) {
  return { key, request, receivedAt: void 0 };
}

// packages/manager/src/reconcile/terminal-error.ts
import { CodedError as CodedError3 } from '@keelson/apimachinery';
var TerminalError = class extends CodedError3 {
  name = 'TerminalError';
  constructor(reason, options = {}) {
    super('TERMINAL', managerErrors.TERMINAL, { reason }, options);
  }
};
function isTerminal(error) {
  try {
    return hasTerminal(error);
  } catch {
    return false;
  }
}
function hasTerminal(error) {
  const seen = /* @__PURE__ */ new Set();
  for (let at = error; isObject(at) && !seen.has(at); at = at.cause) {
    if (at.name === 'TerminalError' && at.code === 'TERMINAL') return true;
    seen.add(at);
  }
  return false;
}
function isObject(value) {
  return typeof value === 'object' && value !== null;
}

// packages/manager/src/controller/queue/gone-requests.ts
var KEPT_MS = 6e5;
var SWEEP_MS = 6e4;
var GoneRequests = class {
  #purge;
  /** The time of the deletion by key, the earliest first. */
  #goneAt = /* @__PURE__ */ new Map();
  #sweptAt = performance.now();
  /** `purge` removes the requests of these keys from the queue, unless the object exists again. */
  constructor(purge) {
    this.#purge = purge;
  }
  /** The object of a request was deleted. */
  add(key) {
    const now = performance.now();
    this.#goneAt.delete(key);
    this.#goneAt.set(key, now);
    if (now - this.#sweptAt >= SWEEP_MS) this.#sweep(now);
  }
  #sweep(now) {
    this.#sweptAt = now;
    const old = /* @__PURE__ */ new Set();
    for (const [key, goneAt] of this.#goneAt) {
      if (now - goneAt < KEPT_MS) break;
      old.add(key);
      this.#goneAt.delete(key);
    }
    if (old.size > 0) this.#purge((key) => old.has(key));
  }
};

// packages/manager/src/controller/event-rules/run-intervals.ts
import { startTimer as startTimer2 } from '@keelson/apimachinery';
var JITTER = 0.1;
var BUCKETS = 1024;
var MAX_PER_TURN = 1e3;
var RunIntervals = class {
  #options;
  #interval = 0;
  #width = 1;
  #entries = /* @__PURE__ */ new Map();
  /** The keys of each bucket, by the number of the bucket since the origin of the clock. */
  #buckets = /* @__PURE__ */ new Map();
  #stopTimer;
  /** The time at which the timer fires; `Infinity` without a timer. */
  #firesAt = Infinity;
  constructor(options) {
    this.#options = options;
  }
  /** Milliseconds between the end of a run and the next one at the latest; 0 for no interval. */
  get interval() {
    return this.#interval;
  }
  /** Replaces the interval. A scheduled request keeps its time unless the new interval ends earlier. */
  replace(interval) {
    const scheduled = Array.from(this.#entries.values(), (entry) => ({
      ...entry,
      at: entry.bucket * this.#width,
    }));
    this.close();
    this.#interval = interval;
    this.#width = Math.max(1, interval / BUCKETS);
    if (interval === 0) return;
    for (const { request, source, at } of scheduled) {
      this.#schedule(request, source, Math.min(at, this.#end()));
    }
  }
  has(key) {
    return this.#entries.has(key);
  }
  /** The number of scheduled requests. */
  get size() {
    return this.#entries.size;
  }
  /** Schedules a request after the interval, instead of its former time. */
  schedule(request, source) {
    this.#schedule(request, source, this.#end());
  }
  /** The end of an interval that begins now. */
  #end() {
    return performance.now() + this.#interval * (1 - JITTER * Math.random());
  }
  #schedule(request, source, at) {
    const { key } = request;
    this.#remove(key);
    const bucket = Math.floor(at / this.#width);
    this.#entries.set(key, { request, source, bucket });
    const keys = this.#buckets.get(bucket);
    if (keys === void 0) this.#buckets.set(bucket, /* @__PURE__ */ new Set([key]));
    else keys.add(key);
    this.#startTimer(bucket * this.#width);
  }
  cancel(key) {
    this.#remove(key);
    this.#stopIfEmpty();
  }
  /** Cancels the requests of a source. */
  withdraw(source) {
    for (const [key, entry] of this.#entries) if (entry.source === source) this.#remove(key);
    this.#stopIfEmpty();
  }
  /** Replaces the source of each request by its heir, and cancels the requests without one. */
  reassign(heirOf) {
    for (const [key, entry] of this.#entries) {
      const heir = heirOf(entry.request, entry.source);
      if (heir === void 0) this.#remove(key);
      else entry.source = heir;
    }
    this.#stopIfEmpty();
  }
  close() {
    this.#entries.clear();
    this.#buckets.clear();
    this.#stopIfEmpty();
  }
  #remove(key) {
    const entry = this.#entries.get(key);
    if (entry === void 0) return;
    this.#entries.delete(key);
    const keys = this.#buckets.get(entry.bucket);
    keys?.delete(key);
    if (keys?.size === 0) this.#buckets.delete(entry.bucket);
  }
  #startTimer(at) {
    if (at >= this.#firesAt) return;
    this.#stopTimer?.();
    this.#firesAt = at;
    const delay = Math.max(0, Math.ceil(at - performance.now()));
    this.#options.inContext(() => {
      this.#stopTimer = startTimer2(delay, () => this.#fire());
    });
  }
  #stopIfEmpty() {
    if (this.#entries.size > 0) return;
    this.#stopTimer?.();
    this.#stopTimer = void 0;
    this.#firesAt = Infinity;
  }
  #fire() {
    this.#firesAt = Infinity;
    const now = performance.now();
    let left = MAX_PER_TURN;
    for (const [bucket, keys] of this.#buckets) {
      if (bucket * this.#width > now) continue;
      for (const key of keys) {
        if (left === 0) break;
        left -= 1;
        this.#due(key);
      }
    }
    if (this.#buckets.size === 0) this.#stopIfEmpty();
    else this.#startTimer(Math.min(...this.#buckets.keys()) * this.#width);
  }
  #due(key) {
    const entry = this.#entries.get(key);
    this.#remove(key);
    if (entry !== void 0) this.#options.onDue(entry.request, entry.source);
  }
};

// packages/manager/src/controller/run-outcome.ts
var released = /* @__PURE__ */ Symbol('released');
var RunOutcome = class {
  #options;
  #intervals;
  /** `undefined` once the workers have started. */
  #goneRequests;
  constructor(options) {
    this.#options = options;
    this.#goneRequests = new GoneRequests((isOld) => this.#purge(isOld));
    this.#intervals = new RunIntervals({
      onDue: (request, source) => this.#runAfterInterval(request, source),
      inContext: (act) => options.userCode.inContext(act),
    });
    this.#intervals.replace(options.settings().maxReconcileInterval);
  }
  /** Applies a changed interval. Objects whose last run began no interval have one from now on. */
  configure() {
    const { identify, requeue, settings } = this.#options;
    const { maxReconcileInterval: interval } = settings();
    if (interval === this.#intervals.interval) return;
    this.#intervals.replace(interval);
    for (const [request, source] of interval === 0 ? [] : requeue().repeated()) {
      const identified2 = identify(request);
      if (!this.#intervals.has(identified2.key)) this.#intervals.schedule(identified2, source);
    }
  }
  /** The workers have started. */
  start() {
    this.#goneRequests = void 0;
  }
  /** A run has begun, so that the interval of its object does not lead to another one. */
  begun({ item }) {
    this.#intervals.cancel(item.key);
  }
  /** The object of the request is gone. */
  gone(key) {
    this.#intervals.cancel(key);
    this.#goneRequests?.add(key);
  }
  /** No interval leads to a run with these causes any more. */
  withdraw(causes) {
    this.#intervals.withdraw(causes);
  }
  /** Replaces the causes of intervals; those without an heir are cancelled. */
  reassign(heirOf) {
    this.#intervals.reassign(heirOf);
  }
  /** Cancels all intervals. */
  close() {
    this.#intervals.close();
  }
  /** Follows a run that returned. An invalid result is reported, and the run counts as a success. */
  async ended(work, run, outcome) {
    const { queue } = this.#options;
    if (outcome === released) {
      this.#queueAgain(work, {});
      return 'requeue';
    }
    const decision = this.#decide(run, outcome);
    const { kind, after, priority = work.priority } = decision;
    if (kind === 'requeue') {
      await this.#retry(work, run, { priority });
    } else {
      this.#settle(work);
      const repeats = kind === 'requeue_after' ? this.#repeatsOf(work) : void 0;
      if (repeats !== void 0 && !queue.isShutDown) {
        queue.add(again(work.item), { after, priority, cause: repeats.of('requeue') });
      }
    }
    return kind;
  }
  /** Follows a run that threw. Returns `success` for an error that the error policy ignores. */
  async failed(work, run, error) {
    const { observer, queue } = this.#options;
    const { kind, after } = this.#decideFailure(work, run, error);
    const { attempt, isAborted, log } = run;
    if (isPanic(error)) observer.panic();
    if (kind === 'ignore') {
      log.debug({ err: error, attempt }, 'error of reconcile ignored');
      this.#settle(work);
      return 'success';
    }
    const terminal = kind === 'terminal';
    if (!isAborted || !queue.isShutDown) {
      log.error({ err: error, attempt, terminal }, 'reconcile failed');
    }
    if (terminal) {
      observer.terminalError();
      await this.#giveUp(work, run, error);
    } else {
      await this.#retry(work, run, { priority: work.priority, error, backoff: after });
    }
    return 'error';
  }
  /** The decision of the error policy, else the default. After a stop nothing follows, so the policy is not called. */
  #decideFailure(work, run, error) {
    const { callScope, observer, queue, userCode } = this.#options;
    const { errorPolicy } = this.#options.queueOptions;
    const usual = { kind: isTerminal(error) ? 'terminal' : 'retry' };
    if (errorPolicy === void 0 || queue.isShutDown) return usual;
    const { request } = work.item;
    try {
      const given = userCode.timed({ role: 'errorPolicy', facts: run.facts }, () =>
        callScope.run(run, errorPolicy, error, request, run),
      );
      return failureDecision(given) ?? usual;
    } catch (failure) {
      observer.queueFunctionFailed();
      run.log.error({ err: failure }, 'errorPolicy failed');
      return usual;
    }
  }
  #decide(run, outcome) {
    try {
      return decide(outcome);
    } catch (error) {
      this.#options.observer.invalidResult();
      run.log.error({ err: error }, 'invalid result of reconcile');
      return success;
    }
  }
  async #retry(work, run, { error, ...add }) {
    const { controller, queue } = this.#options;
    const { maxAttempts } = this.#options.settings();
    if (queue.isShutDown) return;
    if (maxAttempts === 0 || run.attempt < maxAttempts) {
      this.#queueAgain(work, { rateLimited: true, ...add });
      return;
    }
    const facts = { controller, attempts: run.attempt };
    await this.#giveUp(work, run, error ?? new ManagerError('ATTEMPTS_EXHAUSTED', facts));
  }
  /**
   * The new entry keeps the causes of the run. If every source of them is gone and the object does not
   * exist, the request is dropped.
   */
  #queueAgain(work, options) {
    const { requeue, queue } = this.#options;
    if (queue.isShutDown) return;
    const add = { priority: work.priority, ...options };
    const repeats = this.#repeatsOf(work);
    if (repeats !== void 0 && requeue().exists(work.item.request)) {
      queue.add(again(work.item), { ...add, cause: repeats.of('retry') });
    } else if (repeats === void 0 || queue.isWithdrawn(work.item)) {
      queue.forget(work.item);
    } else if (options.rateLimited === true) {
      queue.add(again(work.item), add);
    } else {
      queue.add(again(work.item), { ...add, cause: repeats.of('requeue') });
    }
  }
  #repeatsOf({ item }) {
    const { requeue, queue } = this.#options;
    return requeue().repeatsOf(item.request, queue.isWithdrawn(item));
  }
  /** Forgets the failures of a request that is not retried, and begins the interval to its next run. */
  #settle(work) {
    const { requeue, queue } = this.#options;
    const { item } = work;
    queue.forget(item);
    if (this.#intervals.interval === 0 || queue.isShutDown) return;
    const source = this.#repeatsOf(work);
    if (source !== void 0 && requeue().exists(item.request)) {
      this.#intervals.schedule(item, source);
    }
  }
  #runAfterInterval(request, source) {
    const { queue, settings } = this.#options;
    const { resync: priority } = settings().priorities;
    const item = { key: request.key, request: request.request, receivedAt: void 0 };
    queue.add(item, { priority, cause: source.of('interval') });
  }
  /** Purges requests whose objects were deleted and do not exist again. */
  #purge(isOld) {
    const { queue, requeue } = this.#options;
    queue.purge(({ key, request }) => isOld(key) && !requeue().exists(request));
  }
  /** Forgets the request until its next event. */
  async #giveUp(work, run, error) {
    const { callScope, observer, userCode } = this.#options;
    const { onDeadLetter } = this.#options.queueOptions;
    this.#settle(work);
    observer.deadLetter();
    if (onDeadLetter === void 0) return;
    try {
      const { request } = work.item;
      await userCode.timed({ role: 'onDeadLetter', facts: run.facts }, () =>
        callScope.run(run, onDeadLetter, request, error, run),
      );
    } catch (failure) {
      observer.queueFunctionFailed();
      run.log.error({ err: failure }, 'onDeadLetter failed');
    }
  }
};

// packages/manager/src/controller/pulled-work.ts
var Handoff = class {
  request;
  context;
  #settled = Promise.withResolvers();
  #hasEnded = false;
  constructor(request, context) {
    this.request = request;
    this.context = context;
  }
  get settled() {
    return this.#settled.promise;
  }
  done(outcome) {
    this.#end();
    this.#settled.resolve(outcome);
  }
  fail(error) {
    this.#end();
    this.#settled.reject(error);
  }
  /** Ends the work with this result, unless it has ended. */
  close(result) {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#settled.resolve(result);
  }
  #end() {
    if (this.#hasEnded) throw new ManagerError('WORK_ENDED', { attempt: this.context.attempt });
    this.#hasEnded = true;
  }
};
var PulledLoops = class {
  /** The loops that wait for a request, in their order. */
  #waiting = /* @__PURE__ */ new Set();
  /** Requests whose loop ended before they arrived. */
  #arrived = [];
  #onWaiting;
  #open = 0;
  #isClosed = false;
  /** `onWaiting` is called when a loop begins to wait. */
  constructor(onWaiting) {
    this.#onWaiting = onWaiting;
  }
  /** The number of loops that take or process requests. */
  get open() {
    return this.#open;
  }
  /** The number of loops that wait for a request. */
  get waiting() {
    return this.#waiting.size;
  }
  /** The reconcile of a pulled controller: gives the request to a loop, and waits until the loop has settled it. */
  reconcile = (request, context) => {
    const work = new Handoff(request, context);
    const [first] = this.#waiting;
    if (first === void 0) this.#arrived.push(work);
    else first(work);
    return work.settled;
  };
  /** Yields requests until the controller stops or `signal` aborts. Leaving the loop queues its request again. */
  loop(options = {}) {
    checkOptions12(options, ['signal'], 'work');
    checkSignal4(options.signal, 'work.signal');
    const left = new AbortController();
    const signals = options.signal === void 0 ? [left.signal] : [options.signal, left.signal];
    return leavable(this.#loop(signals), left);
  }
  /** Ends all loops: waiting ones at once, others at their next turn. */
  close() {
    this.#isClosed = true;
    for (const receive of this.#waiting) receive(void 0);
    for (const work of this.#arrived.splice(0)) work.close(released);
  }
  async *#loop(signals) {
    this.#open += 1;
    let work;
    try {
      for (work = await this.#next(signals); work !== void 0; work = await this.#next(signals)) {
        yield work;
        work.close(void 0);
      }
    } finally {
      this.#open -= 1;
      work?.close(released);
    }
  }
  #next(signals) {
    if (this.#isClosed || signals.some(({ aborted }) => aborted)) return Promise.resolve(void 0);
    const arrived = this.#arrived.shift();
    if (arrived !== void 0) return Promise.resolve(arrived);
    return new Promise((resolve) => {
      const end = () => receive(void 0);
      const receive = (work) => {
        this.#waiting.delete(receive);
        for (const signal of signals) signal.removeEventListener('abort', end);
        resolve(work);
      };
      this.#waiting.add(receive);
      for (const signal of signals) signal.addEventListener('abort', end);
      this.#onWaiting();
    });
  }
};
function leavable(loop, left) {
  return {
    next: () => loop.next(),
    return(value) {
      left.abort();
      return loop.return(value);
    },
    throw(error) {
      left.abort();
      return loop.throw(error);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
    async [Symbol.asyncDispose]() {
      await this.return();
    },
  };
}

// packages/manager/src/controller/queue/request-queue.ts
import { WorkQueue } from '@keelson/workqueue';
function requestQueueOf(options) {
  const { observer, settings, userCode } = options;
  const { groupOf, weightOf, rateLimiter } = options.queueOptions;
  const { counter: _, ...limits } = limitsOf(rateLimiter, settings);
  return new WorkQueue({
    name: options.controller,
    keyOf: (item) => item.key,
    sourceOf: (cause) => cause.source,
    ageAfter: settings.ageAfter,
    ...limits,
    ...(groupOf && { groupOf: (item) => userCode.call(groupOf, item.request) }),
    ...(weightOf && { weightOf: (path) => userCode.call(weightOf, path) }),
    onError: failureReport(options),
    observer: observer.queue,
  });
}
function reassign(queue, from, heirsOf) {
  queue.reassign(
    (source) => from.has(source),
    (item, cause) => {
      const sources = cause === void 0 ? [...from] : [cause.source];
      const heirs = new Set(sources.flatMap((source) => heirsOf(item, source)));
      return Array.from(heirs, (heir) => heir.of(cause?.reason ?? 'updated'));
    },
  );
}
function failureReport({ dependencies, observer }) {
  const failed = /* @__PURE__ */ new Set();
  return (error) => {
    observer.queueFunctionFailed();
    if (failed.has(error.facts['function'])) return;
    failed.add(error.facts['function']);
    dependencies.log.error({ err: error }, 'function of the queue failed');
  };
}

// packages/manager/src/controller/reconcile-loop.ts
var ReconcileLoop = class {
  #options;
  #queue;
  #pool;
  #settings;
  #outcome;
  /** The loops of a pulled controller. */
  #loops;
  #reconcile;
  /** The requests that were taken from the queue and wait for their run. */
  #admitted = 0;
  #running = /* @__PURE__ */ new Map();
  /** The withdrawn causes, whose later events are ignored. */
  #withdrawn = /* @__PURE__ */ new WeakSet();
  /** Takes work in the async context of the controller, not in that of the code that added the request. */
  #pump = () => this.#options.userCode.inContext(() => this.#takeWork());
  #stopListening;
  /** Resolves when a stop has aborted the running reconciles. */
  #aborted = Promise.withResolvers();
  constructor(options) {
    this.#options = options;
    this.#settings = options.settings;
    this.#queue = requestQueueOf(options);
    const settings = () => this.#settings;
    this.#outcome = new RunOutcome({
      ...options,
      settings,
      requeue: options.sources,
      queue: this.#queue,
    });
    const loops = new PulledLoops(this.#pump);
    this.#loops = options.reconcile === void 0 ? loops : void 0;
    this.#reconcile = options.reconcile ?? loops.reconcile;
    const concurrency = this.#loops === void 0 ? options.settings.concurrency : Infinity;
    this.#pool = new PQueue({ concurrency });
    this.#pool.addEventListener('next', this.#pump);
    options.observer.attach(this);
  }
  get length() {
    return this.#queue.length;
  }
  get running() {
    return this.#running.size;
  }
  get concurrency() {
    return this.#loops?.open ?? this.#settings.concurrency;
  }
  depths() {
    return this.#queue.depths();
  }
  pending() {
    return this.#options.sources().pending();
  }
  unfinishedMs() {
    return this.#queue.unfinishedMs();
  }
  longestRunningMs() {
    return this.#queue.longestRunningMs();
  }
  /** Uses other settings, as `Reconfiguration` says when each takes effect. */
  configure(settings, limits) {
    if (settings.ageAfter !== this.#settings.ageAfter) this.#queue.ageAfter = settings.ageAfter;
    this.#settings = settings;
    this.#outcome.configure();
    if (limits !== void 0) this.#queue.limitRetries(limits);
    if (this.#loops === void 0) this.#pool.concurrency = settings.concurrency;
    this.#pump();
  }
  /** Gives the requests of these causes to their heirs, and drops those without an heir. */
  reassign(from, heirsOf) {
    this.#outcome.reassign((request, source) =>
      from.has(source) ? heirsOf(request, source)[0] : source,
    );
    reassign(this.#queue, from, heirsOf);
  }
  /** The key of a request. Throws `INVALID_OPTION` for an invalid one. */
  keyOf(request) {
    return this.#options.identify(request).key;
  }
  /** Queues a request. Returns its key; `undefined` if its source was withdrawn. */
  add(request, options, receivedAt) {
    const { key, request: exact } = this.#options.identify(request);
    if (options.cause !== void 0 && this.#withdrawn.has(options.cause.source)) return void 0;
    this.#queue.add({ key, request: exact, receivedAt }, options);
    return key;
  }
  /** Resets the failures of a request whose object is gone. */
  forget(request) {
    const identified2 = this.#options.identify(request);
    this.#outcome.gone(identified2.key);
    this.#queue.forget({ ...identified2, receivedAt: void 0 });
  }
  /** A loop over the requests of a pulled controller. Throws `NOT_PULLED` for another one. */
  work(options) {
    const { controller } = this.#options;
    if (this.#loops === void 0) throw new ManagerError('NOT_PULLED', { controller });
    return this.#loops.loop(options);
  }
  /** Starts the workers. */
  start() {
    this.#outcome.start();
    this.#stopListening ??= this.#queue.onAvailable(this.#pump);
  }
  /** Drops the requests that only these causes queued, and returns their number. */
  withdraw(causes) {
    this.#withdrawn.add(causes);
    this.#outcome.withdraw(causes);
    return this.#queue.withdraw((source) => source === causes);
  }
  /**
   * Resolves when each running reconcile of these causes has ended, was aborted, or waits in a barrier itself. A
   * run does not wait for itself.
   */
  async endOfRunsFor(causes) {
    const own3 = this.#options.callScope.current;
    const works = this.#queue.processingFor((source) => source === causes);
    const runs = works.map((work) => this.#running.get(work)).filter((run) => run !== void 0);
    await Promise.all(runs.filter((run) => run !== own3).map((run) => run.endedOrAborted()));
  }
  /** Resolves when the run of this key has ended; `undefined` if none is running. */
  runOf(key) {
    return [...this.#running].find(([{ item }]) => item.key === key)?.[1].ended();
  }
  /** Resolves when every running reconcile has ended. */
  async idle() {
    await Promise.all(Array.from(this.#running.values(), (run) => run.ended()));
  }
  /** True if the caller is part of a running reconcile of this loop. */
  get runsCaller() {
    const own3 = this.#options.callScope.current;
    return [...this.#running.values()].some((run) => run === own3);
  }
  /** Resolves when every running reconcile has ended or waits in a barrier; the caller's run waits in one. */
  async endedOrWaiting() {
    await Promise.all(Array.from(this.#running.values(), (run) => run.endedOrWaiting()));
  }
  /**
   * Stops the workers and drops the queue. Running reconciles may finish; after `grace` milliseconds their signals
   * abort. Resolves when all of them have ended.
   */
  async stop(grace) {
    this.#stopListening?.();
    void this.#queue.shutDown();
    this.#outcome.close();
    this.#loops?.close();
    const runs = [...this.#running.values()];
    if (runs.length === 0) return;
    const ended = Promise.all(runs.map((run) => run.ended()));
    const over = Promise.race([ended, this.#aborted.promise]);
    if (grace === 0 || !(await endsWithin2(over, grace))) this.#abort(runs);
    await ended;
  }
  #abort(runs) {
    const { controller, userCode } = this.#options;
    const reason = new ManagerError('STOPPING', { controller });
    for (const run of runs) userCode.call(() => run.abort(reason));
    this.#aborted.resolve();
  }
  #takeWork() {
    while (this.#stopListening !== void 0 && this.#hasSlot()) {
      if (this.#queue.length === 0 || !this.#options.slice.hasTime(this.#pump)) return;
      const work = this.#queue.take();
      if (work === void 0) return;
      this.#admitted += 1;
      this.#options.sources().taken(work.item.key);
      this.#admit(work);
    }
  }
  #hasSlot() {
    if (this.#loops === void 0) return this.#pool.pending < this.concurrency;
    return this.#admitted < this.#loops.waiting;
  }
  /** Waits for a run of an earlier controller without a slot of the pool. The key stays locked meanwhile. */
  #admit(work) {
    const earlier = this.#options.earlierRun(work.item.key);
    if (earlier !== void 0) void earlier.then(() => this.#admit(work));
    else void this.#pool.add(() => this.#process(work));
  }
  async #process(work) {
    const queue = this.#queue;
    this.#admitted -= 1;
    if (queue.isShutDown || queue.isWithdrawn(work.item)) return queue.done(work.item);
    const { observer } = this.#options;
    const run = this.#begin(work);
    const startedAt = performance.now();
    let result = 'error';
    const stopTimer = this.#startTimeout(run, work.item.key);
    try {
      const { callScope, userCode } = this.#options;
      const reconcile = () => callScope.run(run, this.#reconcile, work.item.request, run);
      const outcome = await userCode.timed(run, reconcile);
      result = await this.#outcome.ended(work, run, outcome);
    } catch (error) {
      result = await this.#outcome.failed(work, run, error);
    } finally {
      stopTimer?.();
      this.#queue.done(work.item);
      this.#running.delete(work);
      observer.reconcileEnded(result, performance.now() - startedAt);
      run.end();
    }
  }
  #begin(work) {
    const { request, receivedAt } = work.item;
    const attempt = work.failures + 1;
    const { timeout } = this.#settings;
    const run = new ReconcileRun(this.#options.dependencies, { request, attempt, work, timeout });
    this.#running.set(work, run);
    this.#outcome.begun(work);
    const waited = receivedAt === void 0 ? void 0 : performance.now() - receivedAt;
    this.#options.observer.reconcileStarted(waited);
    return run;
  }
  #startTimeout(run, key) {
    const { controller, observer, userCode } = this.#options;
    const { timeout } = this.#settings;
    if (timeout === 0) return void 0;
    return startTimer3(timeout, () => {
      observer.timedOut();
      run.log.warn({ timeout, attempt: run.attempt }, 'reconcile exceeded its timeout');
      const facts = { controller, request: key, timeout };
      userCode.call(() => run.abort(new ManagerError('RECONCILE_TIMEOUT', facts)));
    });
  }
};

// packages/manager/src/controller/reconfigurations.ts
import { abortable as abortable3, withLinkedSignal } from '@keelson/apimachinery';

// packages/manager/src/controller/sync-wait.ts
import { startTimer as startTimer4 } from '@keelson/apimachinery';
var REMINDER_DELAY_MS = 3e3;
var BLOCKED_POLL_SHARE = 0.1;
var SyncWait = class {
  #options;
  constructor(options) {
    this.#options = options;
  }
  /** Settles with `synced`. Rejects with `CACHE_SYNC_TIMEOUT` when the timeout expires first. */
  async until(synced) {
    const { promise: late, reject } = Promise.withResolvers();
    const stopReminder = startTimer4(REMINDER_DELAY_MS, () => this.#remind());
    const stopTimeout = this.#startTimeout(() => reject(this.#timeoutError()));
    try {
      await Promise.race([synced, late]);
    } finally {
      stopTimeout();
      stopReminder();
    }
  }
  /** Returns a function that cancels the timeout. */
  #startTimeout(expire) {
    const { timeout } = this.#options;
    if (timeout === 0) return () => void 0;
    let stop;
    const check4 = () => {
      const left = this.#timeLeft();
      if (left > 0) stop = startTimer4(left, check4);
      else expire();
    };
    stop = startTimer4(timeout, check4);
    return () => stop();
  }
  /** The milliseconds until a watch can exceed the timeout, rounded up; 0 if one has exceeded it. */
  #timeLeft() {
    const { timeout } = this.#options;
    const times = this.#options.unready().map(({ isBlocked: isBlocked2, syncingMs }) => {
      const left = Math.max(0, Math.ceil(timeout - syncingMs));
      return isBlocked2 ? Math.max(left, Math.ceil(timeout * BLOCKED_POLL_SHARE)) : left;
    });
    return Math.min(timeout, ...times);
  }
  /** Logs the first unready watch: as info while it syncs, as a warning if it is refused or fails. */
  #remind() {
    const { log } = this.#options;
    const [first, ...others] = this.#options.unready();
    if (first === void 0) return;
    const { error, facts } = factsOf(first);
    const level = first.state === 'syncing' ? 'info' : 'warn';
    log[level](
      { ...facts, others: others.length, err: briefError(error) },
      'controller waits for a watch',
    );
  }
  #timeoutError() {
    const { controller, timeout } = this.#options;
    const unready = this.#options.unready();
    const first = unready.find(
      ({ isBlocked: isBlocked2, syncingMs }) => !isBlocked2 && syncingMs >= timeout,
    );
    const others = unready.filter((source) => source !== first);
    const { error, facts } = first === void 0 ? {} : factsOf(first);
    const more = others.length === 0 ? {} : { others: others.map(subjectOf) };
    return new ManagerError(
      'CACHE_SYNC_TIMEOUT',
      { controller, ...facts, ...more, timeout },
      { cause: error },
    );
  }
};
function factsOf({ source, resource, namespace, state, reason, verb, error }) {
  return { facts: { source, resource, namespace, state, reason, verb }, error };
}
function subjectOf({ resource, namespace }) {
  return namespace === void 0 ? resource : `${resource} in namespace ${namespace}`;
}

// packages/manager/src/controller/reconfiguration.ts
import {
  checkOptions as checkOptions13,
  checkSignal as checkSignal5,
  invalidOption as invalidOption17,
  resourceId as resourceId8,
} from '@keelson/apimachinery';
var changeable = [
  'concurrency',
  'timeout',
  'backoff',
  'rateLimiter',
  'tokenBucket',
  'maxAttempts',
  'ageAfter',
  'maxReconcileInterval',
  'debounce',
  'eventRate',
  'resync',
  'namespaces',
  'for',
  'owns',
  'watches',
  'reads',
];
function checkChanges(changes, bounds2) {
  checkOptions13(changes, changeable, 'reconfigure', {
    ...settingMistakes,
    ...controllerMistakes,
    ...fixedOptions,
  });
  checkOptions13(bounds2, ['signal'], 'reconfigure.options');
  checkSignal5(bounds2.signal, 'reconfigure.options.signal');
}
function reconfigured(options, changes) {
  const named = Object.entries(changes).filter(([, value]) => value !== void 0);
  const { backoff, rateLimiter, ...others } = options;
  const limits = changes.rateLimiter === void 0 ? { backoff, rateLimiter } : { rateLimiter };
  const next = {
    ...others,
    ...(changes.backoff === void 0 ? limits : {}),
    ...Object.fromEntries(named),
  };
  checkKind(options, changes);
  checkControllerOptions(next, 'reconfigure', options.reconcile === void 0);
  return Object.freeze(next);
}
function namesCluster({ watches = [], reads = [] }, cluster) {
  return [...watches, ...reads].some((source) => clusterOf(sourceOptionsOf(source)) === cluster);
}
function withoutCluster(options, cluster) {
  const { watches = [], reads = [] } = options;
  return Object.freeze({
    ...options,
    watches: watches.filter((source) => clusterOf(source) !== cluster),
    reads: reads.filter((source) => clusterOf(sourceOptionsOf(source)) !== cluster),
  });
}
function checkKind(options, changes) {
  if (changes.for === void 0) return;
  if (options.for === void 0) {
    throw invalidOption17('reconfigure.for', 'needs a controller that was added with `for`');
  }
  const { resource } = sourceOptionsOf(options.for);
  const { resource: next } = sourceOptionsOf(changes.for);
  if (typeof next !== 'object' || next === null || resourceId8(next) === resourceId8(resource))
    return;
  throw invalidOption17('reconfigure.for.resource', 'must be the kind of the controller', {
    kind: resourceId8(resource),
  });
}

// packages/manager/src/controller/exchange/handover.ts
import { TimeSlice } from '@keelson/apimachinery';
var Handover = class {
  #options;
  /** Objects that the former watch has and the heirs have not, although they select them. */
  #missing = [];
  /** The keys of requests to which only objects that no heir selects are mapped. */
  #dropped = /* @__PURE__ */ new Set();
  constructor(options) {
    this.#options = options;
  }
  /** Compares the objects of the watches in slices. */
  async compare(signal) {
    const { role, former, heirs } = this.#options;
    const slice = new TimeSlice(() => performance.now());
    const missing = [];
    const staying = [];
    const leaving = [];
    const sort = (view) => {
      const heir = this.#heirOf(view.namespace);
      if (heir?.objects.has(view) === true) staying.push(view);
      else (heir?.objects.selects(view) === true ? missing : leaving).push(view);
    };
    await slice.each(former.objects.views(), sort, signal);
    this.#missing = missing;
    if (role === 'for' || leaving.length === 0) return;
    const drop = (view) => this.#eachKey(former, view, (key) => this.#dropped.add(key));
    await slice.each(leaving, drop, signal);
    const keep = (source) => (view) =>
      this.#eachKey(source, view, (key) => this.#dropped.delete(key));
    await slice.each([...staying, ...missing], keep(former), signal);
    for (const heir of heirs) await slice.each(heir.objects.views(), keep(heir), signal);
  }
  /** Delivers the deletions that no watch has delivered. Called while the former watch is in force. */
  deliverMissing() {
    for (const view of this.#missing) {
      const heir = this.#heirOf(view.namespace);
      if (heir?.objects.has(view) === false) heir.missed(view);
    }
  }
  /** The causes that end with the former watch. */
  get causes() {
    return this.#options.former.causeSets;
  }
  /** Returns the causes that take over a request, without the causes of the former watch. */
  heirsOf = (request, source) => {
    const { role, former } = this.#options;
    const heirs = role === 'for' ? this.#heirsOfName(request) : this.#heirsOfKey(request.key);
    return heirs.map((heir) => (source === former.causes ? heir.causes : heir.repeats));
  };
  #heirsOfName({ request }) {
    const name = request;
    const heir = this.#heirOf(name.namespace);
    if (heir === void 0) return [];
    if (heir.objects.has(name)) return [heir];
    const last = this.#options.former.objects.view(name);
    return last !== void 0 && !heir.objects.selects(last) ? [] : [heir];
  }
  #heirsOfKey(key) {
    return this.#dropped.has(key) ? [] : this.#options.heirs;
  }
  #heirOf(namespace) {
    return this.#options.heirs.find(({ objects }) => objects.reaches(namespace));
  }
  #eachKey(source, view, act) {
    for (const request of source.requestsOf(view)) {
      try {
        act(this.#options.keyOf(request));
      } catch {}
    }
  }
};

// packages/manager/src/controller/exchange/source-pairs.ts
import { resourceId as resourceId9 } from '@keelson/apimachinery';
var rules = [
  (one, other) =>
    isSameKind(one, other) && String(one.options.namespaces) === String(other.options.namespaces),
  isSameKind,
  (one, other) =>
    resourceId9(one.options.resource) === resourceId9(other.options.resource) &&
    clusterOf(one.options) === clusterOf(other.options),
];
function pairSources(sources, plans) {
  const left = new Set(sources);
  const found = /* @__PURE__ */ new Map();
  for (const rule of rules) {
    for (const plan of plans) {
      if (found.has(plan)) continue;
      const source = [...left].find(
        ({ plan: known }) => known.role === plan.role && rule(known, plan),
      );
      if (source === void 0) continue;
      left.delete(source);
      found.set(plan, source);
    }
  }
  return {
    pairs: Array.from(found, ([plan, source]) => ({ plan, source })),
    added: plans.filter((plan) => !found.has(plan)),
    ended: [...left],
  };
}
function isSameKind(one, other) {
  return sourceText(one.options) === sourceText(other.options);
}

// packages/manager/src/controller/exchange/source-exchange.ts
var SourceExchange = class {
  #sources;
  #queue;
  /** The sources with a plan for their next watches. */
  #prepared = [];
  #begun = [];
  #ending;
  #handovers = [];
  /** Opens the new watches. Throws if one cannot exist; nothing has changed then. */
  constructor(sources, queue, { plans, namespaces }) {
    this.#sources = sources;
    this.#queue = queue;
    sources.nextNamespaces = namespaces;
    const { pairs, added, ended } = pairSources(sources.declared, plans);
    this.#ending = ended;
    try {
      for (const { source, plan } of pairs) {
        sources.check(plan, source);
        this.#prepared.push(source);
        source.prepare(plan);
      }
      for (const source of namespaces === void 0 ? [] : sources.added) {
        this.#prepared.push(source);
        source.prepare(source.plan);
      }
      for (const plan of added) this.#begun.push(sources.begin(plan));
    } catch (error) {
      for (const member of this.discard()) member.release();
      throw error;
    }
  }
  /**
   * The watches that the exchange waits for: those that the controller requires, and those that replace watches whose
   * objects the controller reads.
   */
  get awaited() {
    if (!this.#sources.isOpen) return [];
    const replaces = ({ leaving }) => leaving.some(({ hasSynced }) => hasSynced);
    const prepared = this.#prepared.filter(
      (source) => !source.isDetached && (source.required || replaces(source)),
    );
    const begun = this.#begun.filter(({ required }) => required);
    return [
      ...prepared.flatMap(({ coming }) => coming),
      ...begun.flatMap(({ members }) => members),
    ];
  }
  /** True if `synced` resolves and `compare` has nothing to compare. */
  get isReady() {
    return this.#unsynced().length === 0 && this.#handoversNow().length === 0;
  }
  /** Resolves when the awaited watches have synced. Rejects if a new source is removed meanwhile. */
  async synced() {
    for (let pending = this.#unsynced(); pending.length > 0; pending = this.#unsynced()) {
      await Promise.all(pending.map((source) => source.syncedOrRemoved()));
      const removed = this.#begun.find(({ isDetached }) => isDetached);
      if (removed !== void 0) throw removed.removed();
    }
  }
  /** Compares the objects of the watches that end with those of their heirs, in slices. */
  async compare(signal) {
    this.#handovers = this.#handoversNow();
    for (const handover of this.#handovers) await handover.compare(signal);
  }
  /** Begins the new sources in one step. Returns the watches and the sources that end, detached, and the difference. */
  commit() {
    const sources = this.#sources;
    const opened = this.#opened;
    for (const handover of this.#handovers) handover.deliverMissing();
    const left = this.#prepared.flatMap((source) => source.commit());
    for (const source of this.#begun) sources.install(source);
    for (const source of this.#ending) {
      sources.detach(source);
      left.push(...source.members);
    }
    left.push(...sources.adoptNamespaces());
    for (const { causes, heirsOf } of this.#handovers)
      this.#queue.reassign(new Set(causes), heirsOf);
    const kept = sources.all
      .flatMap(({ members }) => members)
      .filter((one) => !opened.includes(one));
    const labels = (watches) => watches.map(watchLabel);
    return {
      left,
      ended: this.#ending,
      difference: { started: labels(opened), kept: labels(kept), stopped: labels(left) },
    };
  }
  /** Gives the new watches up. Returns them, detached. */
  discard() {
    const opened = this.#opened;
    for (const source of this.#prepared) source.discard();
    for (const source of this.#begun) this.#sources.detach(source);
    this.#sources.nextNamespaces = void 0;
    return opened;
  }
  get #opened() {
    const prepared = this.#prepared.flatMap(({ coming }) => coming);
    return [...prepared, ...this.#begun.flatMap(({ members }) => members)];
  }
  #unsynced() {
    return this.awaited.filter(({ hasSynced }) => !hasSynced);
  }
  #handoversNow() {
    const keyOf4 = (request) => this.#queue.keyOf(request);
    return this.#prepared.flatMap(({ plan: { role }, leaving, coming }) =>
      leaving.flatMap((former) => {
        const heirs = coming.filter((heir) => overlaps(heir, former));
        return role === 'reads' || heirs.length === 0
          ? []
          : [new Handover({ role, former, heirs, keyOf: keyOf4 })];
      }),
    );
  }
};
function overlaps({ objects: one }, { objects: other }) {
  return other.namespace === void 0 || one.reaches(other.namespace);
}

// packages/manager/src/controller/exchange/turns.ts
import { abortable as abortable2 } from '@keelson/apimachinery';
var Turns = class {
  /** Resolves at the end of the last turn; `undefined` without one. */
  #last;
  /**
   * Calls `act` at once, or after all earlier turns. Rejects with the reason of the signal if it aborts before the turn;
   * `act` is then not called.
   */
  async run(act, signal) {
    const before = this.#last;
    const turn = Promise.withResolvers();
    this.#last = turn.promise;
    const end = () => {
      if (this.#last === turn.promise) this.#last = void 0;
      turn.resolve();
    };
    try {
      if (before !== void 0) await abortable2(before, [signal]);
      return await act();
    } finally {
      if (before === void 0) end();
      else void before.then(end);
    }
  }
};

// packages/manager/src/controller/reconfigurations.ts
var limitNames = /* @__PURE__ */ new Set(['backoff', 'rateLimiter', 'tokenBucket']);
var Reconfigurations = class {
  #setup;
  #removal;
  #turns = new Turns();
  /** Aborts when the controller stops. */
  #stopped = new AbortController();
  /** The options in force. */
  #options;
  /** The accepted changes that are not in force yet, in their order. An abort gives one up. */
  #pending = /* @__PURE__ */ new Map();
  constructor(setup) {
    this.#setup = setup;
    this.#options = setup.options;
    this.#removal = new SourceRemoval(setup.loop, setup.host.callScope);
  }
  /** Checks a change at once, and applies it after the earlier ones. */
  async reconfigure(given, bounds2) {
    checkChanges(given, bounds2);
    const changes = copyOf2(given);
    let expected = this.#options;
    for (const earlier of [...this.#pending.keys(), changes])
      expected = reconfigured(expected, earlier);
    this.#setup.host.settingsOf(expected, 'reconfigure');
    const refusal = new AbortController();
    this.#pending.set(changes, refusal);
    const { result, removed } = await this.#inTurn([bounds2.signal, refusal.signal], (signal) =>
      this.#apply(changes, bounds2.signal, signal),
    ).finally(() => this.#pending.delete(changes));
    await removed;
    return result;
  }
  /**
   * Calls a function after the changes that were accepted before, and waits for it. Later ones do not wait for it. Rejects
   * if the controller stops before the call.
   */
  async inTurn(act) {
    if (this.#pending.size === 0) return act();
    const { ended } = await this.#inTurn([], async () => ({ ended: act() }));
    await ended;
  }
  /** Leaves the sources of a removed cluster out of later changes. Gives up the changes that name it. */
  leaveCluster(cluster) {
    this.#options = withoutCluster(this.#options, cluster);
    for (const [changes, refusal] of this.#pending) {
      if (!namesCluster(changes, cluster)) continue;
      refusal.abort(new ManagerError('UNKNOWN_CLUSTER', { cluster }));
    }
  }
  /** Gives up the changes that are not in force. */
  stop(reason) {
    this.#stopped.abort(reason);
  }
  /** `signal` gives the change up; `given` ends the wait for the runs of the former watches. */
  async #apply(changes, given, signal) {
    signal.throwIfAborted();
    const { host, loop, sources } = this.#setup;
    const options = reconfigured(this.#options, changes);
    const settings = host.settingsOf(options, 'reconfigure');
    const namespaces =
      changes.namespaces && namespaceSet(changes.namespaces, 'reconfigure.namespaces');
    const exchange = new SourceExchange(sources, loop, {
      plans: sources.plansOf(options, settings),
      namespaces,
    });
    try {
      if (!exchange.isReady) await this.#prepare(exchange, settings, signal);
    } catch (error) {
      void this.#removal.remove(exchange.discard(), void 0);
      throw error;
    }
    const changed2 = Object.keys(changes);
    const { left, ended, difference } = exchange.commit();
    const ends = ended.map((source) => sources.removals.endOf(source));
    const removed = this.#removal.remove([...left, ...ends], given);
    sources.configure(settings);
    const changesLimits = changed2.some((name) => limitNames.has(name));
    loop.configure(settings, changesLimits ? limitsOf(options.rateLimiter, settings) : void 0);
    this.#options = reconfigured(this.#options, changes);
    const { started, kept, stopped } = difference;
    host.log.info(
      { changed: changed2, started, kept: kept.length, stopped },
      'controller reconfigured',
    );
    return { removed, result: { changed: changed2, ...difference } };
  }
  /** Waits until the new watches have synced, while the present ones are in force. */
  async #prepare(exchange, { cacheSyncTimeout: timeout }, signal) {
    const { options, host } = this.#setup;
    const unready = () => unreadySources(exchange.awaited);
    const wait = new SyncWait({ controller: options.name, timeout, log: host.log, unready });
    await abortable3(wait.until(exchange.synced()), [signal]);
    await exchange.compare(signal);
    signal.throwIfAborted();
  }
  /** Code of a run that waits here keeps no removal waiting. */
  #inTurn(given, act) {
    return this.#setup.host.callScope.inBarrier(() =>
      withLinkedSignal([...given, this.#stopped.signal], (signal) =>
        this.#turns.run(() => act(signal), signal),
      ),
    );
  }
};
function copyOf2(changes) {
  const named = Object.entries(changes).filter(([, value]) => value !== void 0);
  const copies = named.map(([name, value]) => [name, Array.isArray(value) ? [...value] : value]);
  return Object.fromEntries(copies);
}

// packages/manager/src/controller/request-identity.ts
function identityOf2(options, userCode) {
  const { for: primary, keyOf: keyOf4 } = options;
  if (primary !== void 0) return objectIdentity(sourceOptionsOf(primary).resource);
  if (keyOf4 === void 0) return nameIdentity;
  return keyIdentity((request) => userCode.call(keyOf4, request));
}

// packages/manager/src/phases/stop-deadline.ts
import { endsWithin as endsWithin3 } from '@keelson/apimachinery';
var StopDeadline = class _StopDeadline {
  #endsAt;
  #cut;
  /** `cut` ends the period early when it aborts. */
  constructor(milliseconds, cut) {
    this.#endsAt = performance.now() + milliseconds;
    this.#cut = cut;
  }
  /** Milliseconds until the deadline; 0 once it has passed. */
  get left() {
    return this.#cut.aborted ? 0 : Math.max(0, this.#endsAt - performance.now());
  }
  /** The deadline of a step that may use this fraction of the remaining time. */
  fraction(part) {
    return new _StopDeadline(this.left * part, this.#cut);
  }
  /** Resolves with true if the work ends until the deadline, or within `least` milliseconds if that is later. */
  async awaits(work, least = 0) {
    const cut = new Promise((resolve) => {
      this.#cut.addEventListener('abort', () => resolve(), { once: true });
    });
    const { left } = this;
    if (left > least && !(await endsWithin3(Promise.race([work, cut]), left))) return false;
    return endsWithin3(work, least);
  }
};
var GRACEFUL_FRACTION = 0.9;
function graceWithin(milliseconds) {
  return milliseconds * GRACEFUL_FRACTION;
}

// packages/manager/src/user-code/user-code.ts
import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
var RESOURCE_TYPE = 'KeelsonUserCode';
var SCOPES_END_STORES = scopesEndStores();
var UserCode = class {
  #resource = new AsyncResource(RESOURCE_TYPE, { requireManualDestroy: true });
  #calls;
  /** Kept here, because each event compares it. */
  #warnAfter;
  /** `calls` receives the calls that block the event loop; default: none. */
  constructor(calls) {
    this.#calls = calls;
    this.#warnAfter = calls?.warnAfter ?? Infinity;
  }
  /** Runs code of Keelson in the async context of the creation, so that it keeps no other context alive. */
  inContext(act, ...given) {
    return this.#resource.runInAsyncScope(act, void 0, ...given);
  }
  /** Calls a function of the user and throws its errors. */
  call(act, ...given) {
    if (SCOPES_END_STORES) return this.inContext(act, ...given);
    return this.inContext(inOwnResource, act, given);
  }
  /** Calls a function of the user, reports it if it blocks the event loop, and throws its errors. */
  timed(call, act) {
    const startedAt = performance.now();
    try {
      return this.call(act);
    } finally {
      this.took(call, startedAt, performance.now());
    }
  }
  /** Reports a call that blocked the event loop, and none that was quick. */
  took(call, startedAt, endedAt, object) {
    if (endedAt - startedAt < this.#warnAfter) return;
    const known = object === void 0 ? call : { ...call, facts: { ...call.facts, object } };
    this.#calls?.report(known, { startedAt, endedAt });
  }
  /** Calls a function of the user. On an error calls `failed` and returns `undefined`. */
  attempt(act, failed, ...given) {
    try {
      return this.call(act, ...given);
    } catch (error) {
      failed(error);
      return void 0;
    }
  }
};
function inOwnResource(act, given) {
  const resource = new AsyncResource(RESOURCE_TYPE, { requireManualDestroy: true });
  return resource.runInAsyncScope(act, void 0, ...given);
}
function scopesEndStores() {
  const storage = new AsyncLocalStorage();
  const resource = new AsyncResource(RESOURCE_TYPE, { requireManualDestroy: true });
  resource.runInAsyncScope(() => storage.enterWith(true));
  const isLeft = resource.runInAsyncScope(() => storage.getStore()) === true;
  storage.disable();
  return !isLeft;
}

// packages/manager/src/controller/managed-controller.ts
var ManagedController = class {
  name;
  phase;
  synced;
  #host;
  #loop;
  #sources;
  /** The causes of `enqueue` and `requeueAfter`, which are never withdrawn. */
  #own = new CauseSet(CONTROLLER);
  #watches;
  #reconfigurations;
  #syncWait;
  #waiter = Promise.withResolvers();
  #state = 'created';
  #ending;
  /** Resolves when a later call of `end` had less time, and that time is over. */
  #shortened = Promise.withResolvers();
  constructor(options, host) {
    const { name, phase = 'leader' } = options;
    const userCode = new UserCode(host.calls);
    const identify = identityOf2(options, userCode);
    this.name = name;
    this.phase = phase;
    this.#host = host;
    this.synced = this.#waiter.promise;
    this.synced.catch(() => void 0);
    this.#loop = new ReconcileLoop({
      controller: name,
      reconcile: options.reconcile,
      queueOptions: options,
      settings: host.settings,
      dependencies: host,
      observer: host.observer,
      slice: host.slice,
      callScope: host.callScope,
      userCode,
      identify,
      sources: () => this.#sources,
      earlierRun: (key) => host.earlierRun(key),
    });
    this.#sources = new ControllerSources(options, {
      ...host,
      owner: `${name}#${host.epoch}`,
      ownCauses: this.#own,
      sink: requestSink({ ...host, queue: this.#loop, keyOf: (request) => identify(request).key }),
      userCode,
    });
    this.#watches = new DynamicWatches(this.#sources, this.#loop, host.callScope);
    const parts = { sources: this.#sources, loop: this.#loop };
    this.#reconfigurations = new Reconfigurations({ ...parts, options, host });
    const { log, settings } = host;
    const timeout = settings.cacheSyncTimeout;
    this.#syncWait = new SyncWait({ controller: name, timeout, log, unready: this.unready });
  }
  get length() {
    return this.#loop.length;
  }
  get running() {
    return this.#loop.running;
  }
  watch(options) {
    this.#refuseWhenStopped();
    return this.#watches.add(watching(options));
  }
  async replaceWatches(set, watches, options = {}) {
    this.#refuseWhenStopped();
    return this.#watches.replace(set, watches, options);
  }
  addSource(options) {
    this.#refuseWhenStopped();
    return this.#watches.addSource(options);
  }
  async setNamespaces(namespaces, options = {}) {
    this.#refuseWhenStopped();
    await this.#reconfigurations.inTurn(() => this.#watches.setNamespaces(namespaces, options));
  }
  async reconfigure(changes, options = {}) {
    this.#refuseWhenStopped();
    return this.#reconfigurations.reconfigure(changes, options);
  }
  enqueue(request, options = {}) {
    this.#refuseWhenStopped();
    const { priority, after } = checkEnqueueOptions(options);
    this.#loop.add(request, { priority, after, cause: this.#own.of('manual') });
  }
  work(options) {
    return this.#loop.work(options);
  }
  async stop() {
    const ended = this.end(this.#host.gracePeriod);
    const wait = this.#loop.runsCaller ? Promise.race([ended, this.#loop.endedOrWaiting()]) : ended;
    await this.#host.callScope.inBarrier(() => wait);
  }
  [Symbol.asyncDispose]() {
    return this.stop();
  }
  /** Opens the watches, which fill the queue. A failure rejects `synced`. */
  fill() {
    if (this.#state !== 'created') return;
    this.#state = 'filling';
    void this.#awaitSync();
  }
  /**
   * Resolves when every required watch has synced, or the server does not serve or allow its kind. Rejects as
   * `synced` does, unless the controller was stopped.
   */
  async settled() {
    await Promise.race([this.#sources.settled(), this.#syncedUnlessStopped()]);
  }
  /**
   * Opens the sources of the phase after the sync; in the phase of the controller, then starts the workers. Rejects if
   * the sync fails.
   */
  async run(phase) {
    await this.#syncedUnlessStopped();
    if (phase !== this.phase) {
      if (this.#ending === void 0) await this.#sources.consume(phase);
      return;
    }
    await this.#syncWait.until(this.#sources.synced());
    if (this.#state !== 'filling') return;
    this.#state = 'running';
    await this.#sources.consume(phase);
    if (this.#ending !== void 0) return;
    this.#loop.start();
    this.#host.log.info({}, 'controller started');
  }
  /**
   * Stops within this many milliseconds. Running reconciles may finish in 90 % of that time, then their signals
   * abort. The controller logs reconciles that ignore the abort and does not wait for them. A second call waits for
   * the first, and aborts the signals earlier if its time ends earlier.
   */
  end(milliseconds) {
    if (this.#ending !== void 0) {
      void this.#shorten(this.#ending, milliseconds);
      return this.#ending;
    }
    const { promise, resolve } = Promise.withResolvers();
    this.#ending = promise;
    resolve(this.#end(milliseconds));
    return promise;
  }
  /** Waits up to this many milliseconds for the reconciles that outlived the stop. Returns at once before the stop. */
  async drained(milliseconds) {
    if (this.#state !== 'stopped') return;
    await endsWithin4(Promise.race([this.#loop.idle(), this.#shortened.promise]), milliseconds);
  }
  /** Resolves when every running reconcile has ended. */
  idle = () => this.#loop.idle();
  /** Resolves when the run of this key has ended; `undefined` if none is running. */
  runOf = (key) => this.#loop.runOf(key);
  /** The queries of its watches in the main cluster. */
  queries = () => this.#sources.queries;
  /** Applies changed namespaces of the manager. Resolves as `setNamespaces` does. */
  follow = (options) => this.#watches.follow(options);
  /** Removes the watches of a cluster. Resolves as the removal of a watch does. */
  leaveCluster = (cluster) => {
    this.#reconfigurations.leaveCluster(cluster);
    return this.#watches.leaveCluster(cluster);
  };
  /** The required watches that keep the manager from being ready. */
  unready = () => this.#sources.unready();
  /** Resolves with `synced`. A stop of the controller resolves it too; it is not an error. */
  async #syncedUnlessStopped() {
    try {
      await this.synced;
    } catch (error) {
      if (this.#ending === void 0) throw error;
    }
  }
  async #awaitSync() {
    try {
      const opened = this.#sources.open(this.#host.cache);
      await this.#syncWait.until(Promise.race([opened, this.synced]));
      this.#waiter.resolve();
    } catch (error) {
      this.#waiter.reject(error);
    }
  }
  async #end(milliseconds) {
    const began = this.#state !== 'created';
    this.#state = 'stopping';
    const stopped = new ManagerError('CONTROLLER_STOPPED', { controller: this.name });
    this.#waiter.reject(stopped);
    this.#reconfigurations.stop(stopped);
    const { log, observer } = this.#host;
    const release = this.#sources.detachAll();
    const loopEnd = this.#loop.stop(graceWithin(milliseconds));
    await endsWithin4(Promise.race([loopEnd, this.#shortened.promise]), milliseconds);
    const { running } = this;
    if (running > 0) log.warn({ running }, 'reconciles still run after the stop');
    release();
    this.#state = 'stopped';
    observer.removed();
    this.#host.removed();
    if (began) log.info({}, 'controller stopped');
  }
  /** Ends the wait of a stop earlier. */
  async #shorten(ending, milliseconds) {
    void this.#loop.stop(graceWithin(milliseconds));
    const ended = ending.then(() => this.#loop.idle());
    if (!(await endsWithin4(ended, milliseconds))) this.#shortened.resolve();
  }
  #refuseWhenStopped() {
    if (this.#ending === void 0) return;
    throw new ManagerError('CONTROLLER_STOPPED', { controller: this.name });
  }
};

// packages/manager/src/manager/controller-factory.ts
import { SharedSlice } from '@keelson/apimachinery';

// packages/manager/src/controller/governor/fight-watch.ts
import { LRUCache as LRUCache2 } from 'lru-cache';

// packages/manager/src/controller/governor/read-ownership.ts
import {
  startTimer as startTimer5,
  withLinkedSignal as withLinkedSignal2,
} from '@keelson/apimachinery';

// packages/manager/src/controller/governor/field-ownership.ts
var MAX_FIELDS_NAMED = 3;
var MAX_FIELDS_READ = 1e4;
var MAX_DEPTH2 = 64;
var MAX_NAME_LENGTH = 128;
var MAX_FIELD_LENGTH = 200;
var RECENT_MS = 1e4;
var FieldOwnership = class {
  /** The last known owners by the path of a field. */
  #owners = /* @__PURE__ */ new Map();
  #contest;
  #latest = [];
  /** The first two managers of which one took fields from the other. */
  get contest() {
    return this.#contest;
  }
  /** The managers that wrote last: two at most, the latest first. */
  get latest() {
    return this.#latest;
  }
  /** Compares the next state of the object. */
  add(entries) {
    this.#latest = latestOf(entries);
    const moved = /* @__PURE__ */ new Map();
    for (const [path, owners] of ownersOf(entries)) {
      const before = this.#owners.get(path);
      this.#owners.set(path, owners);
      const lost = before && firstOutside(before, owners);
      const gained = before && firstOutside(owners, before);
      if (lost === void 0 || gained === void 0) continue;
      const pair = `${lost}
${gained}`;
      const fields = moved.get(pair)?.fields ?? [];
      moved.set(pair, { managers: [lost, gained], fields: [...fields, path] });
    }
    const [first] = moved.values();
    if (first !== void 0) this.#contest ??= contestOf(first);
  }
};
function contestOf({ managers: [lost, gained], fields }) {
  const named = fields.slice(0, MAX_FIELDS_NAMED).map(printPath);
  return { managers: lost < gained ? [lost, gained] : [gained, lost], fields: named };
}
function firstOutside(owners, others) {
  for (const owner of owners) if (!others.has(owner)) return owner;
  return void 0;
}
function ownersOf(entries) {
  const owners = /* @__PURE__ */ new Map();
  for (const { manager, fieldsV1 } of entries) {
    const name = nameOf(manager);
    for (const path of leavesOf(fieldsV1, '', 0)) {
      if (owners.size >= MAX_FIELDS_READ) return owners;
      const known = owners.get(path);
      if (known === void 0) owners.set(path, /* @__PURE__ */ new Set([name]));
      else known.add(name);
    }
  }
  return owners;
}
function* leavesOf(fields, path, depth) {
  if (typeof fields !== 'object' || fields === null || depth > MAX_DEPTH2) return;
  let isLeaf = true;
  for (const [step, inner] of Object.entries(fields)) {
    isLeaf = false;
    if (step === '.') yield path;
    else
      yield* leavesOf(
        inner,
        path === ''
          ? step
          : `${path}
${step}`,
        depth + 1,
      );
  }
  if (isLeaf && path !== '') yield path;
}
function printPath(path) {
  const printed = path.split('\n').map((step) => {
    const name = step.slice(2);
    return step.startsWith('f:') ? `.${name}` : `[${name}]`;
  });
  return printed.join('').replace(/^\./, '').slice(0, MAX_FIELD_LENGTH);
}
function latestOf(entries) {
  const times = /* @__PURE__ */ new Map();
  for (const { manager, time: time2 = '' } of entries) {
    const at = Date.parse(time2);
    const name = nameOf(manager);
    if (at >= (times.get(name) ?? -Infinity)) times.set(name, at);
  }
  const sorted = [...times].toSorted(([, left], [, right]) => right - left);
  const [, newest = 0] = sorted[0] ?? [];
  const recent = sorted.filter(([, at]) => newest - at <= RECENT_MS);
  return recent.slice(0, 2).map(([name]) => name);
}
function nameOf(manager) {
  return (manager ?? '').slice(0, MAX_NAME_LENGTH);
}

// packages/manager/src/controller/governor/read-ownership.ts
var MAX_STATES = 10;
var MAX_MS = 1e4;
async function readOwnership(states, signal) {
  const ownership = new FieldOwnership();
  const over = new AbortController();
  const stopTimer = startTimer5(MAX_MS, () => over.abort());
  try {
    await withLinkedSignal2([signal, over.signal], (either) => addAll(ownership, states(either)));
    return { ownership, error: void 0 };
  } catch (error) {
    return { ownership, error: over.signal.aborted ? void 0 : error };
  } finally {
    stopTimer();
  }
}
async function addAll(ownership, states) {
  let count2 = 0;
  for await (const { metadata } of states) {
    ownership.add(metadata?.managedFields ?? []);
    count2 += 1;
    if (ownership.contest !== void 0 || count2 === MAX_STATES) return;
  }
}

// packages/manager/src/controller/governor/fight-watch.ts
var PERIOD_MS = 6e5;
var MAX_REMEMBERED = 1e3;
var MAX_PER_MINUTE = 10;
var MINUTE_MS = 6e4;
var FightWatch = class {
  #options;
  /** The objects and requests that were reported in this period. */
  #reported = new LRUCache2({
    max: MAX_REMEMBERED,
    ttl: PERIOD_MS,
    // Reads the clock on every access; a cached time would need a timer.
    ttlResolution: 0,
    perf: { now: () => performance.now() },
  });
  /** The times at which the latest reports began. */
  #times = [];
  constructor(options) {
    this.#options = options;
  }
  get clientOf() {
    return this.#options.clientOf;
  }
  /** A value of a source without objects was delayed. */
  requestDelayed(delayed) {
    this.#options.observer.eventDelayed();
    if (
      !this.#mayReport(`${delayed.source}
${delayed.request}`)
    )
      return;
    this.#options.log.warn(factsOf2(delayed), 'source yields a request too often');
  }
  /** An event of an object was delayed. */
  objectDelayed(delayed) {
    this.#options.observer.eventDelayed();
    if (
      this.#mayReport(`${delayed.source}
${delayed.object}`)
    )
      void this.#inspect(delayed);
  }
  async #inspect(delayed) {
    const { states, signal } = delayed;
    const reading = await readOwnership(states, signal);
    if (!signal.aborted) this.#report(delayed, reading);
  }
  /** True if a report about this object or request may begin now. */
  #mayReport(id) {
    if (this.#reported.has(id)) return false;
    const now = performance.now();
    const [first = -Infinity] = this.#times;
    if (this.#times.length === MAX_PER_MINUTE) {
      if (now - first < MINUTE_MS) return false;
      this.#times.shift();
    }
    this.#times.push(now);
    this.#reported.set(id, true);
    return true;
  }
  #report(delayed, { ownership, error }) {
    const { log, observer } = this.#options;
    const { contest, latest } = ownership;
    const facts = { ...factsOf2(delayed), object: delayed.object };
    if (error !== void 0) log.debug({ ...facts, err: error }, 'managed fields not readable');
    if (contest === void 0) {
      log.warn({ ...facts, fieldManagers: latest }, 'object changes too often');
      return;
    }
    const { managers, fields } = contest;
    observer.fieldManagersFight(managers);
    log.warn({ ...facts, fieldManagers: managers, fields }, 'field managers overwrite each other');
  }
};
function factsOf2({ source, request, rate: { burst, perSecond } }) {
  return { source, request, burst, perSecond };
}

// packages/manager/src/controller/event-rules/stated-change.ts
import { isDeepStrictEqual as isDeepStrictEqual2 } from 'node:util';
var derived = /* @__PURE__ */ new Set(['resourceVersion', 'managedFields', 'generation']);
function statesChange(body, replaces, { before, after }) {
  const [former, next] = [withoutDerived(before), withoutDerived(after)];
  if (!isObject2(body) || isDeepStrictEqual2(former, next)) return false;
  const hidden = generationOf(before) !== generationOf(after) && onlyMetadataDiffers(former, next);
  return !hidden && new Statement(replaces).states(body, former, next);
}
var Statement = class {
  #replaces;
  constructor(replaces) {
    this.#replaces = replaces;
  }
  states(sent, before, after) {
    if (isDeepStrictEqual2(before, after)) return true;
    if (sent === void 0) return false;
    if (sent === null) return after === void 0;
    if (this.#isWhole(sent) && isDeepStrictEqual2(sent, after)) return true;
    if (Array.isArray(sent)) return statesItems(sent, before, after);
    const next = after ?? {};
    if (!isObject2(sent) || !isObject2(next)) return false;
    const former = isObject2(before) ? before : {};
    const names3 = /* @__PURE__ */ new Set([...Object.keys(former), ...Object.keys(next)]);
    return [...names3].every((name) =>
      this.states(own(sent, name), own(former, name), own(next, name)),
    );
  }
  /** True for a value that states the absence of further members or items. */
  #isWhole(sent) {
    if (Array.isArray(sent)) return this.#replaces !== 'items';
    return !isObject2(sent) || this.#replaces === 'objects';
  }
};
function statesItems(sent, before, after) {
  if (!Array.isArray(after)) return false;
  const former = Array.isArray(before) ? before : [];
  const isIn = (list, item) => list.some((other) => isDeepStrictEqual2(other, item));
  return (
    former.every((item) => isIn(after, item)) &&
    after.every((item) => isIn(former, item) || isIn(sent, item))
  );
}
function withoutDerived(object) {
  const metadata = own(object, 'metadata');
  const kept = isObject2(metadata)
    ? Object.entries(metadata).filter(([name]) => !derived.has(name))
    : [];
  return { ...object, metadata: Object.fromEntries(kept) };
}
function generationOf(object) {
  const metadata = own(object, 'metadata');
  return isObject2(metadata) ? own(metadata, 'generation') : void 0;
}
function onlyMetadataDiffers(before, after) {
  return isDeepStrictEqual2({ ...before, metadata: null }, { ...after, metadata: null });
}
function isObject2(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
function own(object, name) {
  return Object.hasOwn(object, name) ? object[name] : void 0;
}

// packages/manager/src/controller/sources/own-versions.ts
function controllerClient(client, name, own3) {
  return client.withFieldManager(name).withWriteObserver(own3);
}
var MAX_VERSIONS = 1e4;
var MAX_BODY_LENGTH = 16384;
var OwnVersions = class {
  /** By uid and version. */
  #versions = /* @__PURE__ */ new Map();
  #isUsed = false;
  /** Starts to record, because a source ignores own events. */
  use() {
    this.#isUsed = true;
    return this;
  }
  written(_, { metadata }, facts) {
    const { uid, resourceVersion } = metadata ?? {};
    if (!this.#isUsed || !uid || !resourceVersion) return;
    const proof = proofOf(facts, resourceVersion);
    const key = keyOf2({ uid, resourceVersion });
    if (proof === void 0 || this.#versions.has(key)) return;
    this.#versions.set(key, proof);
    if (this.#versions.size <= MAX_VERSIONS) return;
    const [oldest = ''] = this.#versions.keys();
    this.#versions.delete(oldest);
  }
  /** Deletions are never ignored: their responses have no version. */
  deleted() {}
  /**
   * True for the event of an own write that shows nothing else: the update from the state that the source has received
   * before, or the creation. An event that may combine several changes could hide a change of another client.
   */
  made(event) {
    if (event.type === 'deleted' || event.mayCombine === true) return false;
    const proof = this.#versions.get(keyOf2(event.object));
    if (proof === void 0) return false;
    if (event.type === 'added') return proof === 'creation' && !event.initial;
    const { previous, object } = event;
    if (previous.resourceVersion === object.resourceVersion) return false;
    if (typeof proof === 'string') return true;
    const states = { before: previous.value(), after: object.value() };
    return statesChange(JSON.parse(proof.text), replacesOf(proof), states);
  }
};
function proofOf({ isCreation, sent }, version) {
  if (isCreation) return 'creation';
  if (sent === void 0 || sent.text.length > MAX_BODY_LENGTH) return void 0;
  const base = baseOf(sent.text);
  if (base === void 0) return sent;
  return base === version ? void 0 : 'version';
}
function replacesOf({ contentType }) {
  if (contentType === 'application/json') return 'objects';
  return contentType === 'application/merge-patch+json' ? 'lists' : 'items';
}
function baseOf(text) {
  const body = JSON.parse(text);
  const base = Array.isArray(body) ? baseOfPatch(body) : body?.metadata;
  const version = base?.resourceVersion;
  return typeof version === 'string' && version !== '' ? version : void 0;
}
function baseOfPatch(operations) {
  const [first, second] = operations.filter((each) => each?.path === '/metadata/resourceVersion');
  return first?.op === 'replace' && second === void 0 ? { resourceVersion: first.value } : void 0;
}
function keyOf2(state) {
  return `${state.uid} ${state.resourceVersion}`;
}

// packages/manager/src/clusters/controller-clusters.ts
var ControllerClusters = class {
  #clusters;
  #open;
  /** By cluster and not by name, because a name is free again after a removal. */
  #opened = /* @__PURE__ */ new WeakMap();
  constructor(clusters, open) {
    this.#clusters = clusters;
    this.#open = open;
  }
  get(name) {
    const cluster = this.#clusters.get(name);
    const known = this.#opened.get(cluster);
    if (known !== void 0) return known;
    const access = this.#open(cluster);
    this.#opened.set(cluster, access);
    return access;
  }
};

// packages/manager/src/manager/controller-factory.ts
var ControllerFactory = class {
  #options;
  #slice = new SharedSlice();
  #epoch = 0;
  constructor(options) {
    this.#options = options;
  }
  /** Makes a controller. Throws `DUPLICATE_CONTROLLER`, `UNKNOWN_CLUSTER`, and `INVALID_OPTION` for an invalid setting. */
  make(options, where) {
    const { controllers, settings: shared } = this.#options;
    const { name, phase = 'leader' } = options;
    if (controllers.has(name)) throw new ManagerError('DUPLICATE_CONTROLLER', { name });
    const sources = [...(options.watches ?? []), ...(options.reads ?? [])];
    for (const { cluster } of sources)
      if (cluster !== void 0) this.#options.dependencies.clusters.get(cluster);
    const settings = settingsOf(options, shared.controllers, where);
    const host = this.#host(name, phase, settings);
    try {
      return new ManagedController(options, host);
    } catch (error) {
      host.observer.removed();
      throw error;
    }
  }
  #host(name, phase, settings) {
    const { dependencies, leadership, events, controllers, log, settings: shared } = this.#options;
    this.#epoch += 1;
    const own3 = new OwnVersions();
    const clientOf = (client) => controllerClient(leadership.clientOf(phase, client), name, own3);
    const observer = dependencies.metrics.controller(name);
    const ownLog = log.child({ controller: name });
    return {
      cache: dependencies.cache.scope({ declaredIn: 'reads' }),
      client: clientOf(),
      own: own3,
      fights: new FightWatch({
        log: ownLog,
        observer,
        clientOf: (cluster) =>
          (cluster === void 0 ? dependencies : dependencies.clusters.get(cluster)).client,
      }),
      clusters: new ControllerClusters(
        dependencies.clusters,
        ({ name: cluster, cache, client }) => ({
          cache: cache.scope({ declaredIn: `reads (cluster: ${JSON.stringify(cluster)})` }),
          client: clientOf(client),
        }),
      ),
      log: ownLog,
      events: events.recorder(name),
      observer,
      calls: dependencies.eventLoop.calls({
        name,
        log: ownLog,
        blocked: (role, ms) => observer.blocked(role, ms),
      }),
      settings,
      settingsOf: (options, where) => settingsOf(options, shared.controllers, where),
      watchDefaults: this.#options.settings.watchDefaults,
      slice: this.#slice,
      callScope: this.#options.callScope,
      gracePeriod: this.#options.settings.gracePeriod,
      epoch: this.#epoch,
      removed: () => controllers.remove(name),
      earlierRun: (key) => controllers.earlierRun(name, key),
    };
  }
};

// packages/manager/src/manager/declared-access.ts
import { builtin as builtin2 } from '@keelson/apimachinery';
function declaredAccess(sources, election) {
  const byText = new Map(
    sources.map(({ resource, namespace }) => {
      const { group, version, plural } = resource;
      return [JSON.stringify([group, version, plural, namespace]), { resource, namespace }];
    }),
  );
  const names3 = election === void 0 ? [] : [election.lease];
  return {
    sources: [...byText.values()],
    fixedNames: names3.length === 0 ? [] : [{ resource: builtin2.Lease, names: names3 }],
  };
}

// packages/manager/src/manager/controller-set.ts
var ControllerSet = class {
  #byName = /* @__PURE__ */ new Map();
  /** The controllers that `end` stopped, and removed ones with reconciles that still run. */
  #ended = /* @__PURE__ */ new Set();
  get names() {
    return [...this.#byName.keys()];
  }
  has(name) {
    return this.#byName.has(name);
  }
  add(controller) {
    this.#byName.set(controller.name, controller);
  }
  /** Frees the name. Reconciles that outlive the controller still count for `end`, `busy` and `earlierRun`. */
  remove(name) {
    const controller = this.#byName.get(name);
    this.#byName.delete(name);
    if (controller === void 0 || controller.running === 0) return;
    this.#ended.add(controller);
    void controller.idle().then(() => this.#ended.delete(controller));
  }
  /** Resolves at the end of a run of this key by a removed controller of the name; `undefined` without one. */
  earlierRun(name, key) {
    for (const controller of this.#ended) {
      const run = controller.name === name ? controller.runOf(key) : void 0;
      if (run !== void 0) return run;
    }
    return void 0;
  }
  /** The queries that the controllers watch in the main cluster. */
  queries() {
    return this.#all().flatMap((controller) => controller.queries());
  }
  /** Opens the watches. Resolves when each required one has synced, or the server does not serve or allow its kind. */
  async fill() {
    const controllers = this.#all();
    for (const controller of controllers) controller.fill();
    await Promise.all(controllers.map((controller) => controller.settled()));
  }
  /**
   * Starts the workers of each controller of the phase after its sync, and opens the sources of the phase. Resolves
   * when all have started and rejects when one fails; `failed` is called for each failure.
   */
  async run(phase, failed) {
    const runs = this.#all().map((controller) => controller.run(phase));
    for (const run of runs) run.catch(failed);
    await Promise.all(runs);
  }
  /** Runs a controller that was added at run time, and stops only this controller if it cannot start. */
  runAdded(controller, phase, log) {
    controller.run(phase).catch((error) => {
      log.error({ controller: controller.name, err: error }, 'controller did not start');
      void controller.stop();
    });
  }
  /** Removes the watches of a cluster. Resolves at the end of the removal barrier of every controller. */
  async leaveCluster(cluster) {
    await Promise.all(this.#all().map((controller) => controller.leaveCluster(cluster)));
  }
  /** Replaces the namespaces of the manager. Resolves when the reconciles of those that left have ended. */
  async setNamespaces(defaults3, namespaces, options = {}) {
    checkRemoveOptions(options, 'setNamespaces');
    defaults3.setNamespaces(namespaces);
    await Promise.all(this.#all().map((controller) => controller.follow(options)));
  }
  /** Stops the controllers of the phase. A second call may end the grace period earlier. */
  async end(phase, milliseconds) {
    for (const controller of this.#ofPhase(phase)) this.#ended.add(controller);
    const ended = [...this.#ended].filter((controller) => controller.phase === phase);
    await Promise.all(
      ended.flatMap((controller) => [
        controller.drained(milliseconds),
        controller.end(milliseconds),
      ]),
    );
  }
  /** The names of the stopped controllers of the phase with reconciles that still run. */
  busy(phase) {
    const busy = [...this.#ended].filter((one) => one.phase === phase && one.running > 0);
    return [...new Set(busy.map(({ name }) => name))];
  }
  /** Throws `NOT_READY` while a required watch has not synced, or the server does not serve or allow its kind. */
  checkReady() {
    const unready = this.#all().flatMap((controller) => controller.unready());
    const [first] = unready;
    if (first === void 0) return;
    const { error, ...facts } = first;
    throw new ManagerError('NOT_READY', { ...facts, unready: unready.length }, { cause: error });
  }
  #all() {
    return [...this.#byName.values()];
  }
  #ofPhase(phase) {
    return this.#all().filter((controller) => controller.phase === phase);
  }
};

// packages/manager/src/leader-election/leader-election.ts
import { endsWithin as endsWithin5, invalidOption as invalidOption18 } from '@keelson/apimachinery';

// packages/manager/src/leader-election/election-time.ts
import { uptime } from 'node:os';
import { startTimer as startTimer6 } from '@keelson/apimachinery';
var clocksOfComputer = {
  running: () => performance.now(),
  elapsed: () => uptime() * 1e3,
};
var LEAST_SUSPENSION_MS = 2e3;
function processTime(clocks = clocksOfComputer) {
  const drift = () => clocks.elapsed() - clocks.running();
  const driftAtStart = drift();
  let suspendedMs = 0;
  return {
    now() {
      const grown = drift() - driftAtStart;
      if (grown - suspendedMs > LEAST_SUSPENSION_MS) suspendedMs = grown;
      return clocks.running() + suspendedMs;
    },
    wallClock: () => Date.now(),
    startTimer: (milliseconds, fire) => startTimer6(milliseconds, fire),
    random: () => Math.random(),
  };
}
function sleep(time2, milliseconds, signal) {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const stop = time2.startTimer(milliseconds, () => {
      signal.removeEventListener('abort', abort);
      resolve();
    });
    const abort = () => {
      stop();
      reject(signal.reason);
    };
    signal.addEventListener('abort', abort, { once: true });
  });
}

// packages/manager/src/leader-election/leader-elector.ts
import {
  isAlreadyExists,
  isConflict as isConflict4,
  isNotFound as isNotFound5,
  withLinkedSignal as withLinkedSignal3,
} from '@keelson/apimachinery';

// packages/manager/src/leader-election/lease-claim.ts
import { isConflict as isConflict3, isNotFound as isNotFound4 } from '@keelson/apimachinery';

// packages/manager/src/leader-election/lease-record.ts
function recordOf({ spec }) {
  return {
    holder: spec?.holderIdentity ?? '',
    durationSeconds: count(spec?.leaseDurationSeconds),
    acquireTime: spec?.acquireTime ?? '',
    renewTime: spec?.renewTime ?? '',
    transitions: count(spec?.leaseTransitions),
  };
}
function count(value) {
  return typeof value === 'number' && value > 0 ? value : 0;
}
function withRecord(lease, record) {
  const { holderIdentity: _, ...spec } = lease.spec ?? {};
  return {
    ...lease,
    spec: {
      ...spec,
      // A free Lease has no holder; kube-apiserver refuses an empty one.
      ...(record.holder === '' ? {} : { holderIdentity: record.holder }),
      leaseDurationSeconds: record.durationSeconds,
      acquireTime: record.acquireTime,
      renewTime: record.renewTime,
      leaseTransitions: record.transitions,
    },
  };
}
function sameRecord(one, other) {
  return (
    one.holder === other.holder &&
    one.durationSeconds === other.durationSeconds &&
    one.acquireTime === other.acquireTime &&
    one.renewTime === other.renewTime &&
    one.transitions === other.transitions
  );
}
function microTime2(wallClockMs) {
  return new Date(wallClockMs).toISOString().replace('Z', '000Z');
}

// packages/manager/src/leader-election/lease-claim.ts
var LeaseClaim = class {
  #options;
  constructor(options) {
    this.#options = options;
  }
  /** True if the observed Lease names another holder. */
  get isForeign() {
    const { observation, identity } = this.#options;
    const holder = observation.stored?.record.holder ?? '';
    return holder !== '' && holder !== identity;
  }
  /** Reads the Lease. */
  async read(signal) {
    const { lock, observation } = this.#options;
    observation.observe(await lock.get(signal));
  }
  /** Writes this process into the Lease, unless another process wrote since the observed state. */
  async write(signal) {
    const { lock, observation } = this.#options;
    const { stored: stored2 } = observation;
    const record = this.#record(stored2?.record);
    const written = await (stored2 === void 0
      ? lock.create(record, signal)
      : lock.update(stored2, record, signal));
    observation.observe(written);
    return written;
  }
  /** Empties the holder, as client-go does. Returns false if this process is not the holder. */
  async free(signal) {
    const { lock, observation, identity, time: time2 } = this.#options;
    const now = microTime2(time2.wallClock());
    for (;;) {
      const { stored: stored2 } = observation;
      if (stored2 === void 0 || stored2.record.holder !== identity) return false;
      const { transitions } = stored2.record;
      const empty2 = {
        holder: '',
        durationSeconds: 1,
        acquireTime: now,
        renewTime: now,
        transitions,
      };
      try {
        observation.observe(await lock.update(stored2, empty2, signal));
        return true;
      } catch (error) {
        if (isNotFound4(error)) return false;
        if (!isConflict3(error)) throw error;
        await this.read(signal);
      }
    }
  }
  /** A renewal keeps the acquire time and the transitions; a new leader sets the first and counts the second. */
  #record(before) {
    const { identity, time: time2, leaseDuration } = this.#options;
    const now = microTime2(time2.wallClock());
    const isMine = before?.holder === identity;
    return {
      holder: identity,
      durationSeconds: leaseDuration / 1e3,
      acquireTime: isMine ? before.acquireTime : now,
      renewTime: now,
      transitions: before === void 0 ? 0 : before.transitions + (isMine ? 0 : 1),
    };
  }
};

// packages/manager/src/leader-election/lease-observation.ts
var LeaseObservation = class {
  #now;
  #stored;
  /** The last record that was read. It outlives the Lease: a deleted Lease was not released by its holder. */
  #record;
  #since = 0;
  constructor(now) {
    this.#now = now;
  }
  /** `undefined` if the Lease does not exist. */
  get stored() {
    return this.#stored;
  }
  /** Takes a state that was read. A renewal begins a new period; a change of metadata or a deletion does not. */
  observe(stored2) {
    this.#stored = stored2;
    if (stored2 === void 0) return;
    const { record } = stored2;
    if (this.#record !== void 0 && sameRecord(this.#record, record)) return;
    this.#record = record;
    this.#since = this.#now();
  }
  /** Milliseconds until a process other than the holder may take the Lease. 0: now. */
  freeIn(identity) {
    if (this.#record === void 0) return 0;
    const { holder, durationSeconds } = this.#record;
    if (holder === '' || holder === identity) return 0;
    return Math.max(0, this.#since + durationSeconds * 1e3 - this.#now());
  }
};

// packages/manager/src/leader-election/lease-watch.ts
import { isForbidden } from '@keelson/apimachinery';
var LeaseWatch = class {
  #options;
  #stop = new AbortController();
  #changed = Promise.withResolvers();
  #hasWarned = false;
  /** True after the first event of a watch, until the watch ends. */
  isOpen = false;
  constructor(options) {
    this.#options = options;
    void this.#run();
  }
  /** Resolves after the next event, after the start or end of the watch, or with `pause`, whose signal then aborts. */
  async changeWithin(pause4, signal) {
    const over = new AbortController();
    const abort = () => over.abort(signal.reason);
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
    try {
      await Promise.race([pause4(over.signal), this.#changed.promise]);
    } finally {
      signal.removeEventListener('abort', abort);
      over.abort();
    }
  }
  close() {
    this.#stop.abort();
    this.#notify(false);
  }
  async #run() {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        await this.#follow(signal);
      } catch (error) {
        if (!signal.aborted) this.#report(error);
      }
      this.#notify(false);
      await this.#options.retry(signal).catch(() => void 0);
    }
  }
  /** A permission that is missing stays so until the role is changed, so it is a warning, but only once. */
  #report(error) {
    const { log } = this.#options;
    if (!isForbidden(error) || this.#hasWarned) {
      log.debug({ err: error }, 'watch of the Lease failed');
      return;
    }
    this.#hasWarned = true;
    log.warn({ err: error }, 'watch of the Lease is forbidden, so a takeover takes longer');
  }
  async #follow(signal) {
    for await (const stored2 of this.#options.changes(signal)) {
      if (signal.aborted) return;
      this.#options.observe(stored2);
      this.#notify(true);
    }
  }
  #notify(isOpen) {
    this.isOpen = isOpen;
    const { resolve } = this.#changed;
    this.#changed = Promise.withResolvers();
    resolve();
  }
};

// packages/manager/src/leader-election/leader-elector.ts
var JITTER_FACTOR = 1.2;
var HEALTH_TOLERANCE_MS = 2e4;
var NEVER = new AbortController().signal;
var LeaderElector = class {
  #options;
  #observation;
  #claim;
  #end = new AbortController();
  #state = 'standby';
  /** When the last successful renewal began. */
  #renewedAt = 0;
  #stopDeadline;
  /** The write with which a standby tries to take the Lease. A stop awaits it, because it may succeed. */
  #attempt = Promise.resolve();
  constructor(options) {
    this.#options = options;
    this.#observation = new LeaseObservation(() => options.time.now());
    this.#claim = new LeaseClaim({
      lock: options.lock,
      identity: options.identity,
      leaseDuration: options.timings.leaseDuration,
      time: options.time,
      observation: this.#observation,
    });
  }
  get isLeader() {
    return this.#state === 'leading' && !this.#isOverdue();
  }
  /** Aborts when leadership ends. */
  get signal() {
    return this.#end.signal;
  }
  /** Throws `LEADERSHIP_LOST` unless this process is the leader. */
  check() {
    if (this.#state === 'leading' && this.#isOverdue()) this.#expire();
    if (this.#state === 'leading') return;
    throw this.#end.signal.aborted ? this.#end.signal.reason : this.#error('not the leader');
  }
  /** Throws if this process is the leader and could not renew the Lease for much longer than its duration. */
  checkHealth() {
    const { time: time2, timings } = this.#options;
    const limit = timings.leaseDuration + HEALTH_TOLERANCE_MS;
    if (this.#state === 'leading' && time2.now() - this.#renewedAt > limit) {
      throw new Error('the Lease was not renewed in time');
    }
  }
  /** Resolves when this process is the leader. Rejects if the signal aborts or `release` is called first. */
  acquire(signal) {
    return withLinkedSignal3([signal, this.#end.signal], (linked) => this.#compete(linked));
  }
  /**
   * Ends leadership and frees the Lease, so that a standby takes it at once. Rejects if that fails; the Lease then
   * expires. The work of the leader must have ended.
   */
  async release(signal) {
    const mayHold = this.isLeader || this.#state === 'standby';
    this.#finish('released', this.#error('the Lease was released'));
    if (!mayHold) return;
    await this.#attempt.catch(() => void 0);
    if (await this.#claim.free(signal)) this.#options.log.info({}, 'released the Lease');
  }
  /** Ends leadership without a change of the Lease: it expires. For a leader whose work did not end in time. */
  abandon() {
    this.#finish('released', this.#error('the work did not end in time'));
  }
  async #compete(signal) {
    const { lock, time: time2, timings, log } = this.#options;
    const watch = new LeaseWatch({
      changes: (stop) => lock.changes(stop),
      observe: (stored2) => this.#observation.observe(stored2),
      retry: (stop) => sleep(time2, this.#jittered(timings.retryPeriod), stop),
      log,
    });
    try {
      while (!(await this.#tryToAcquire(signal))) await this.#chance(watch, signal);
    } finally {
      watch.close();
    }
  }
  async #tryToAcquire(signal) {
    const { identity, time: time2 } = this.#options;
    try {
      await this.#claim.read(signal);
      if (this.#observation.freeIn(identity) > 0) return false;
      const began = time2.now();
      const attempt = this.#claim.write(NEVER);
      this.#attempt = attempt;
      return this.#lead(await attempt, began);
    } catch (error) {
      signal.throwIfAborted();
      this.#report(error);
      return false;
    }
  }
  /** Waits until another attempt makes sense: the Lease is free, or the retry period has passed. */
  async #chance(watch, signal) {
    const { identity, time: time2, timings } = this.#options;
    const retryAt = time2.now() + this.#jittered(timings.retryPeriod);
    const wasFree = this.#observation.freeIn(identity) === 0;
    for (;;) {
      const left =
        watch.isOpen && !wasFree ? this.#observation.freeIn(identity) : retryAt - time2.now();
      if (left <= 0) return;
      await watch.changeWithin((stop) => sleep(time2, left, stop), signal);
    }
  }
  #lead(stored2, began) {
    this.#renewedAt = began;
    this.#end.signal.throwIfAborted();
    if (this.#isOverdue()) return false;
    this.#state = 'leading';
    this.#options.log.info({ transitions: stored2.record.transitions }, 'became the leader');
    this.#armDeadline();
    void this.#renewUntilEnd();
    return true;
  }
  async #renewUntilEnd() {
    const { time: time2, timings } = this.#options;
    const { signal } = this.#end;
    while (!signal.aborted) {
      try {
        await sleep(time2, timings.retryPeriod, signal);
        await this.#renew(signal);
      } catch (error) {
        if (!signal.aborted) this.#report(error);
      }
    }
  }
  /** Renews with one update. After a conflict, or a deletion of the Lease, it reads the Lease first. */
  async #renew(signal) {
    const { time: time2, observer } = this.#options;
    const began = time2.now();
    try {
      await this.#claim.write(signal);
    } catch (error) {
      if (!isConflict4(error) && !isNotFound5(error) && !isAlreadyExists(error)) throw error;
      observer.slowPath();
      await this.#claim.read(signal);
      if (this.#claim.isForeign) {
        this.#lose('another process holds the Lease');
        return;
      }
      await this.#claim.write(signal);
    }
    this.#renewed(began);
  }
  #renewed(began) {
    if (this.#state !== 'leading') return;
    this.#renewedAt = began;
    this.#armDeadline();
  }
  #armDeadline() {
    const { time: time2, timings } = this.#options;
    this.#stopDeadline?.();
    const left = this.#renewedAt + timings.renewDeadline - time2.now();
    this.#stopDeadline = time2.startTimer(Math.max(0, left), () => {
      if (this.#isOverdue()) this.#expire();
      else this.#armDeadline();
    });
  }
  #isOverdue() {
    const { time: time2, timings } = this.#options;
    return time2.now() - this.#renewedAt >= timings.renewDeadline;
  }
  #expire() {
    this.#lose('the Lease was not renewed in time');
  }
  #lose(reason) {
    if (this.#state !== 'leading') return;
    const error = this.#error(reason);
    this.#finish('lost', error);
    this.#options.log.error({ err: error }, 'lost the leadership');
    this.#options.observer.lost(error);
  }
  #finish(state, reason) {
    if (this.#end.signal.aborted) return;
    this.#state = state;
    this.#stopDeadline?.();
    this.#end.abort(reason);
  }
  #report(error) {
    this.#options.log.warn({ err: error }, 'leader election request failed');
  }
  #error(reason) {
    const { identity } = this.#options;
    return new ManagerError('LEADERSHIP_LOST', { identity, reason });
  }
  #jittered(milliseconds) {
    return milliseconds * (1 + this.#options.time.random() * JITTER_FACTOR);
  }
};

// packages/manager/src/leader-election/lease-lock.ts
import { builtin as builtin3, isNotFound as isNotFound6 } from '@keelson/apimachinery';
var ClientLeaseLock = class {
  #options;
  constructor(options) {
    this.#options = options;
  }
  get #name() {
    return { namespace: this.#options.namespace(), name: this.#options.name };
  }
  async get(signal) {
    const { client, timeout } = this.#options;
    try {
      return stored(await client.get(builtin3.Lease, this.#name, { signal, timeout }));
    } catch (error) {
      if (isNotFound6(error)) return void 0;
      throw error;
    }
  }
  async create(record, signal) {
    const { client, timeout } = this.#options;
    const lease = withRecord({ metadata: this.#name }, record);
    return stored(await client.create(builtin3.Lease, lease, { signal, timeout }));
  }
  async update(old, record, signal) {
    const { client, timeout } = this.#options;
    const lease = withRecord(old.lease, record);
    return stored(await client.update(builtin3.Lease, lease, { signal, timeout }));
  }
  async *changes(signal) {
    const { client } = this.#options;
    const { namespace, name } = this.#name;
    const fieldSelector = `metadata.name=${name}`;
    for await (const event of client.watch(builtin3.Lease, { namespace, fieldSelector, signal })) {
      if (event.type === 'BOOKMARK') continue;
      yield event.type === 'DELETED' ? void 0 : stored(event.object);
    }
  }
};
function stored(lease) {
  return { lease, record: recordOf(lease) };
}

// packages/manager/src/leader-election/leader-election.ts
var LeaderElection = class {
  #settings;
  #log;
  #elector;
  #stop = new AbortController();
  #namespace;
  constructor(settings, host) {
    const { lease, identity, timings } = settings;
    this.#settings = settings;
    this.#namespace = settings.namespace;
    this.#log = host.log.child({ lease, identity });
    this.#elector = new LeaderElector({
      lock: new ClientLeaseLock({
        client: host.client,
        namespace: () => this.#namespace,
        name: lease,
        // Two attempts fit into the renew deadline, as in controller-runtime.
        timeout: timings.renewDeadline / 2,
      }),
      identity,
      timings,
      time: processTime(),
      log: this.#log,
      observer: { lost: host.lost, slowPath: () => host.observer.slowPath() },
    });
  }
  get isLeader() {
    return this.#elector.isLeader;
  }
  /** Permits the writes of the leader. */
  get guard() {
    return this.#elector;
  }
  /** Settles the namespace of the Lease. Throws `INVALID_OPTION` if neither the options nor the cluster name one. */
  useNamespaceOf(cluster) {
    this.#namespace ??= cluster?.namespace;
    if (this.#namespace !== void 0) return;
    const reason = 'must be given, because the cluster does not name a namespace';
    throw invalidOption18('createManager.leaderElection.namespace', reason);
  }
  /** Resolves with true when this process is the leader, and with false if the manager stops first. */
  async acquire() {
    const { signal } = this.#stop;
    this.#log.info({ namespace: this.#namespace }, 'waiting for the Lease');
    try {
      await this.#elector.acquire(signal);
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      throw error;
    }
  }
  /** Ends the wait of `acquire`. */
  stopWaiting() {
    this.#stop.abort(new ManagerError('STOPPING'));
  }
  /**
   * Ends the leadership within this many milliseconds. Frees the Lease, unless components still run: another process
   * must not become the leader before their work has ended.
   */
  async end(milliseconds, stillRunning) {
    this.stopWaiting();
    if (!this.#settings.releaseOnStop || stillRunning.length > 0) {
      const { isLeader } = this;
      this.#elector.abandon();
      if (isLeader) this.#log.info({ stillRunning }, 'left the Lease to expire');
      return;
    }
    const late = new AbortController();
    const released2 = this.#elector.release(late.signal).catch((error) => {
      this.#log.warn({ err: error }, 'the Lease was not released and will expire');
    });
    if (!(await endsWithin5(released2, milliseconds))) late.abort(new ManagerError('STOPPING'));
    await released2;
  }
  /** Throws if the leader could not renew its Lease for much longer than its duration. */
  checkHealth() {
    this.#elector.checkHealth();
  }
};

// packages/manager/src/leader-election/leadership.ts
var Leadership = class {
  #client;
  #election;
  #wasLost = false;
  constructor(settings, host) {
    this.#client = host.client;
    if (settings === void 0) return;
    const election = new LeaderElection(settings, {
      client: host.client,
      log: host.log,
      observer: host.metrics.election(settings.lease, () => election.isLeader),
      lost: (error) => {
        this.#wasLost = true;
        host.lost(error);
      },
    });
    host.health.add('leader-election', () => election.checkHealth());
    this.#election = election;
  }
  /** `undefined` without leader election. */
  get isLeader() {
    return this.#election?.isLeader;
  }
  /** True once the Lease was lost, which ends the manager. */
  get wasLost() {
    return this.#wasLost;
  }
  /**
   * The client for work of a phase; by default that of the main cluster. Work of the phase `leader` writes only while
   * this process is the leader.
   */
  clientOf(phase, client = this.#client) {
    if (phase !== 'leader' || this.#election === void 0) return client;
    return client.withWriteGuard(this.#election.guard);
  }
  /** Settles the namespace of the Lease. Throws `INVALID_OPTION` if neither the options nor the cluster name one. */
  useNamespaceOf(cluster) {
    this.#election?.useNamespaceOf(cluster);
  }
  /** Resolves with true when the phase `leader` may run, and with false if the manager stops first. */
  async acquire() {
    return this.#election === void 0 || this.#election.acquire();
  }
  /** Ends the wait of `acquire`. */
  stopWaiting() {
    this.#election?.stopWaiting();
  }
  /** Ends the leadership after its work; see `LeaderElection.end`. */
  async end(milliseconds, stillRunning) {
    await this.#election?.end(milliseconds, stillRunning);
  }
};

// packages/manager/src/phases/phase.ts
var phases = ['servers', 'caches', 'always', 'leader'];
function forEachPhase(make) {
  const entries = phases.map((phase) => [phase, make(phase)]);
  return Object.fromEntries(entries);
}

// packages/manager/src/phases/runnable-group.ts
import { AsyncLocalStorage as AsyncLocalStorage2 } from 'node:async_hooks';
var RunnableRun = class {
  name;
  calls;
  hasEnded = false;
  constructor(name, calls) {
    this.name = name;
    this.calls = calls;
    calls.began(this);
  }
  get title() {
    return `runnable ${this.name}`;
  }
  blocked(span) {
    this.calls.report({ role: 'runnable' }, span);
  }
  end() {
    this.hasEnded = true;
    this.calls.ended(this);
  }
};
var RunnableGroup = class {
  #options;
  /** Starts the runnables that were added before the phase. */
  #waiting = [];
  #running = /* @__PURE__ */ new Map();
  #abort = new AbortController();
  #started = false;
  constructor(options) {
    this.#options = options;
  }
  /** The names of the runnables that run. */
  get running() {
    return [...this.#running.keys()].map(({ name }) => name);
  }
  /** Adds a runnable, which starts at once if the phase has. It runs in the async context of the caller. */
  add(runnable) {
    const inContext = AsyncLocalStorage2.snapshot();
    const start = () => inContext(() => this.#run(runnable));
    if (this.#started) start();
    else this.#waiting.push(start);
  }
  start() {
    this.#started = true;
    for (const start of this.#waiting.splice(0)) start();
  }
  /** Aborts the signal of the runnables. Resolves when all of them have ended. */
  async stop() {
    this.#abort.abort(new ManagerError('STOPPING'));
    await Promise.all(this.#running.values());
  }
  #run(runnable) {
    const { name } = runnable;
    const log = this.#options.dependencies.log.child({ runnable: name });
    const run = new RunnableRun(name, this.#options.calls(name, log));
    const ended = this.#untilEnd(runnable, run, log).finally(() => {
      run.end();
      this.#running.delete(run);
    });
    this.#running.set(run, ended);
  }
  async #untilEnd(runnable, run, log) {
    const { signal } = this.#abort;
    const { dependencies, failed, callScope } = this.#options;
    const startedAt = performance.now();
    try {
      const running = callScope.run(run, () => runnable.run({ ...dependencies, log, signal }));
      run.blocked({ startedAt, endedAt: performance.now() });
      await running;
    } catch (error) {
      if (!isOurAbort(error, signal)) failed(runnable, error);
    }
  }
};
function isOurAbort(error, signal) {
  if (!signal.aborted) return false;
  return error === signal.reason || error?.name === 'AbortError';
}

// packages/manager/src/phases/phase-sequence.ts
var fractions = {
  leader: 0.8,
  always: 0.5,
  caches: 0.5,
  servers: 1,
};
var LEAST_CLOSE_MS = 500;
var PhaseSequence = class {
  #options;
  #groups;
  #begun = /* @__PURE__ */ new Set();
  #entering;
  #isStopping = false;
  #cut = new AbortController();
  #started = Promise.resolve();
  #stillRunning = [];
  #errors = [];
  constructor(options) {
    this.#options = options;
    this.#groups = forEachPhase((phase) => new RunnableGroup(options.runnables(phase)));
  }
  /** True once a phase has begun to start, even after it has stopped. */
  hasBegun(phase) {
    return this.#begun.has(phase);
  }
  /** Adds a runnable, which starts with its phase, or at once if the phase has started. */
  add(runnable) {
    this.#groups[runnable.phase ?? 'leader'].add(runnable);
  }
  /** Starts the phases. Resolves when every phase has started or the stop has begun. */
  start() {
    this.#started = this.#startPhases();
    return this.#started;
  }
  /** Stops the phases. Resolves within the grace period, even if components still run. */
  async stop() {
    this.#isStopping = true;
    const deadline = new StopDeadline(this.#options.gracePeriod, this.#cut.signal);
    for (const phase of phases.toReversed()) {
      const ofPhase = deadline.fraction(fractions[phase]);
      await this.#drain(phase, ofPhase);
      if (phase === 'leader') await this.#endOfStart(ofPhase);
      await this.#close(phase, ofPhase);
    }
    return { stillRunning: this.#stillRunning, errors: this.#errors };
  }
  /** Ends the grace period of a stop at once, now or when it begins. */
  hurry() {
    this.#cut.abort();
  }
  async #startPhases() {
    for (const phase of phases) {
      if (this.#isStopping) return;
      this.#begun.add(phase);
      this.#entering = phase;
      await this.#options.steps[phase]?.start?.();
      if (!this.#isStopping) this.#groups[phase].start();
    }
  }
  async #drain(phase, deadline) {
    const { drain, busy, close } = this.#options.steps[phase] ?? {};
    const group = this.#groups[phase];
    const ofDrain = close === void 0 ? deadline : deadline.fraction(1 / 2);
    const drained = this.#collected(async () => {
      await Promise.all([group.stop(), drain?.(ofDrain.left, this.#stillRunning)]);
    });
    await ofDrain.awaits(drained);
    this.#report(phase, [...(busy?.() ?? []), ...group.running]);
  }
  /** Waits for a pending start, which must not delay the stop without limit. */
  async #endOfStart(deadline) {
    const ended = await deadline.awaits(this.#started, LEAST_CLOSE_MS);
    if (!ended && this.#entering !== void 0) {
      this.#report(this.#entering, [`start of ${this.#entering}`]);
    }
  }
  async #close(phase, deadline) {
    const { close } = this.#options.steps[phase] ?? {};
    if (close === void 0) return;
    const closed = this.#collected(() => close(deadline.left));
    if (await deadline.awaits(closed, LEAST_CLOSE_MS)) return;
    this.#report(phase, [`end of ${phase}`]);
  }
  /** Collects an error, so that the other phases stop too. */
  async #collected(act) {
    try {
      await act();
    } catch (error) {
      this.#errors.push(error);
    }
  }
  #report(phase, stillRunning) {
    if (stillRunning.length === 0) return;
    this.#stillRunning.push(...stillRunning);
    this.#options.log.warn({ phase, stillRunning }, 'phase did not end in time');
  }
};

// packages/manager/src/manager/manager-phases.ts
function createManagerPhases(components) {
  const { dependencies, servers, controllers, leadership, callScope, log, run } = components;
  return new PhaseSequence({
    steps: {
      servers: {
        start: () => servers.start(),
        close: (milliseconds) => closeServers(components, milliseconds),
      },
      caches: {
        start: () => controllers.fill(),
        // After the later phases, so that no other process becomes the leader before their work has ended.
        drain: (milliseconds, stillRunning) => leadership.end(milliseconds, stillRunning),
        close: (milliseconds) => closeCaches(components, milliseconds),
      },
      always: {
        start: () => run('always'),
        drain: (milliseconds) => controllers.end('always', milliseconds),
        busy: () => controllers.busy('always'),
      },
      leader: {
        start: async () => {
          if (await leadership.acquire()) run('leader');
        },
        drain: (milliseconds) => {
          leadership.stopWaiting();
          return controllers.end('leader', milliseconds);
        },
        busy: () => controllers.busy('leader'),
      },
    },
    runnables: (phase) => ({
      dependencies: { cache: dependencies.cache, client: leadership.clientOf(phase), log },
      callScope,
      calls: (name, runnableLog) =>
        dependencies.eventLoop.calls({
          name: `runnable ${name}`,
          log: runnableLog,
          blocked: (_role, ms) => dependencies.metrics.blocked('runnable', ms),
        }),
      failed: (runnable, error) => {
        log.error({ runnable: runnable.name, err: error }, 'runnable failed');
        components.fail(error);
      },
    }),
    log,
    gracePeriod: components.gracePeriod,
  });
}
async function closeCaches({ events, dependencies }, milliseconds) {
  try {
    await events.close(milliseconds);
  } finally {
    await dependencies.closeCache();
  }
}
async function closeServers({ servers, dependencies }, milliseconds) {
  try {
    await servers.close(milliseconds);
  } finally {
    await dependencies.closeClient();
  }
}

// packages/manager/src/manager/manager-servers.ts
import { invalidOption as invalidOption22 } from '@keelson/apimachinery';

// packages/manager/src/servers/health-checks.ts
import { AsyncLocalStorage as AsyncLocalStorage3 } from 'node:async_hooks';
import { abortable as abortable4, invalidOption as invalidOption19 } from '@keelson/apimachinery';
var CHECK_TIMEOUT_MS = 5e3;
var HealthChecks = class {
  #paths;
  #failedStatus;
  #log;
  #checks = /* @__PURE__ */ new Map();
  /** The running checks by name. */
  #running = /* @__PURE__ */ new Map();
  /** The last logged failure of each check. Probes arrive every few seconds, and repetitions are not logged. */
  #logged = /* @__PURE__ */ new WeakMap();
  constructor(paths, failedStatus, log) {
    this.#paths = paths;
    this.#failedStatus = failedStatus;
    this.#log = log;
  }
  /** Adds a check and returns a function that removes it. Throws `INVALID_OPTION` for a name in use. */
  add(name, check4) {
    if (typeof name !== 'string' || !/^[A-Za-z0-9][-A-Za-z0-9_.]*$/.test(name)) {
      throw invalidOption19('check.name', 'must be a name: letters, digits, - _ .');
    }
    if (this.#checks.has(name)) throw invalidOption19('check.name', 'is in use', { name });
    if (typeof check4 !== 'function') throw invalidOption19('check', 'must be a function');
    const inContext = AsyncLocalStorage3.snapshot();
    const bound = (signal) => inContext(check4, signal);
    this.#checks.set(name, bound);
    return () => {
      if (this.#checks.get(name) === bound) this.#checks.delete(name);
    };
  }
  /** The response for a path; `undefined` for another endpoint or an unknown check. */
  respond(url) {
    const { pathname, searchParams } = url;
    const path = this.#paths.find((each) => pathname === each || pathname.startsWith(`${each}/`));
    if (path === void 0) return void 0;
    const name = pathname.slice(path.length + 1);
    if (name === '') {
      const excluded = new Set(searchParams.getAll('exclude').flatMap((value) => value.split(',')));
      return this.#respondForAll(path, excluded, searchParams.has('verbose'));
    }
    const check4 = this.#checks.get(name);
    return check4 === void 0 ? void 0 : this.#respondForOne(name, check4);
  }
  async #respondForAll(path, excluded, verbose) {
    const lines = await Promise.all(
      [...this.#checks].map(async ([name, check4]) => {
        if (excluded.has(name)) return { ok: true, line: `[+]${name} excluded: ok` };
        const ok2 = await this.#passes(name, check4);
        return { ok: ok2, line: ok2 ? `[+]${name} ok` : `[-]${name} failed: reason withheld` };
      }),
    );
    const ok = lines.every((line) => line.ok);
    const unknown = [...excluded].filter((name) => !this.#checks.has(name));
    const warnings = unknown.map((name) => `warn: no check is called ${JSON.stringify(name)}`);
    const verdict = `${path.slice(1)} check ${ok ? 'passed' : 'failed'}`;
    const report = [...lines.map(({ line }) => line), ...warnings, verdict].join('\n');
    const body =
      ok && !verbose
        ? 'ok'
        : `${report}
`;
    return { status: ok ? 200 : this.#failedStatus, body };
  }
  async #respondForOne(name, check4) {
    const ok = await this.#passes(name, check4);
    return ok
      ? { status: 200, body: 'ok' }
      : {
          status: this.#failedStatus,
          body: `[-]${name} failed: reason withheld
`,
        };
  }
  /** Runs a check. Requests that arrive while it runs share its result, so that probes cannot pile up user code. */
  #passes(name, check4) {
    const running = this.#running.get(name);
    if (running?.check === check4) return running.passes;
    const passes2 = this.#run(name, check4).finally(() => {
      if (this.#running.get(name)?.passes === passes2) this.#running.delete(name);
    });
    this.#running.set(name, { check: check4, passes: passes2 });
    return passes2;
  }
  async #run(name, check4) {
    const late = new AbortController();
    const timer = setTimeout(() => {
      late.abort(new DOMException('the check took too long', 'TimeoutError'));
    }, CHECK_TIMEOUT_MS);
    try {
      await abortable4((async () => check4(late.signal))(), [late.signal]);
      this.#logged.delete(check4);
      return true;
    } catch (error) {
      const why = textOf(error);
      const facts = { endpoint: this.#paths[0], check: name, err: error };
      if (this.#logged.get(check4) !== why) this.#log.info(facts, 'check failed');
      this.#logged.set(check4, why);
      return false;
    } finally {
      clearTimeout(timer);
    }
  }
};
function textOf(error) {
  try {
    return String(error);
  } catch {
    return 'an error without a message';
  }
}

// packages/manager/src/servers/access/delegated-access.ts
import { builtin as builtin4 } from '@keelson/apimachinery';

// packages/manager/src/servers/access/identity.ts
import { TLSSocket } from 'node:tls';
function certificateIdentity(socket) {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return void 0;
  const { subject } = socket.getPeerCertificate();
  const { CN: user, O: organizations = [] } = subject ?? {};
  if (typeof user !== 'string' || user === '') return void 0;
  const groups = [organizations].flat().filter((group) => typeof group === 'string');
  return { user, groups: [...groups, 'system:authenticated'] };
}
function bearerToken(authorization) {
  return /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
}

// packages/manager/src/servers/access/review-cache.ts
import { createHmac, randomBytes } from 'node:crypto';
import { LRUCache as LRUCache3 } from 'lru-cache';
var SUCCESS_LIFETIME_MS = 6e4;
var FAILURE_LIFETIME_MS = 3e4;
var ERROR_LIFETIME_MS = 1e3;
var MAX_RESULTS = 1e3;
var MAX_REVIEWS_PER_SECOND = 30;
var TooManyReviews = class extends Error {
  name = 'TooManyReviews';
};
var ReviewCache = class {
  #secret = randomBytes(32);
  #positive = new LRUCache3({ max: MAX_RESULTS });
  /** The other results and the running reviews, apart from positive ones, which invalid tokens cannot evict. */
  #others = new LRUCache3({ max: MAX_RESULTS });
  #second = { start: Number.NEGATIVE_INFINITY, reviews: 0 };
  /** The result for these facts, by a review unless it is known. Rejects with `TooManyReviews` or its error. */
  async get(facts, review) {
    const key = createHmac('sha256', this.#secret).update(facts).digest('base64');
    const known = this.#positive.get(key) ?? this.#others.get(key);
    if (known !== void 0 && performance.now() < known.expires) return known.result;
    this.#countReview();
    const entry = { result: review(), expires: Number.POSITIVE_INFINITY };
    this.#positive.delete(key);
    this.#others.set(key, entry);
    try {
      const result = await entry.result;
      const isPositive = result !== void 0;
      if (isPositive) {
        this.#others.delete(key);
        this.#positive.set(key, entry);
      }
      expireAfter(entry, isPositive ? SUCCESS_LIFETIME_MS : FAILURE_LIFETIME_MS);
      return result;
    } catch (error) {
      expireAfter(entry, ERROR_LIFETIME_MS);
      throw error;
    }
  }
  #countReview() {
    const now = performance.now();
    if (now - this.#second.start >= 1e3) this.#second = { start: now, reviews: 0 };
    this.#second.reviews += 1;
    if (this.#second.reviews > MAX_REVIEWS_PER_SECOND) throw new TooManyReviews();
  }
};
function expireAfter(entry, milliseconds) {
  entry.expires = performance.now() + milliseconds;
}

// packages/manager/src/servers/access/delegated-access.ts
var REVIEW_TIMEOUT_MS = 1e4;
var UNAUTHORIZED = {
  status: 401,
  headers: { 'www-authenticate': 'Bearer' },
  body: 'unauthorized\n',
};
var FORBIDDEN = { status: 403, body: 'forbidden\n' };
var UNAVAILABLE = {
  status: 503,
  headers: { 'retry-after': '1' },
  body: 'service unavailable\n',
};
var FAILED = { status: 500, body: 'internal error\n' };
var DelegatedAccess = class {
  #options;
  #identities = new ReviewCache();
  #permissions = new ReviewCache();
  /** The kinds of review whose last request failed; the first failure in a row is logged. */
  #failing = /* @__PURE__ */ new Set();
  constructor(options) {
    this.#options = options;
  }
  /** Returns the response to a request that is not allowed, and `undefined` for an allowed one. */
  async refusalOf({ socket, headers }, path) {
    try {
      const identity =
        certificateIdentity(socket) ?? (await this.#identityOf(bearerToken(headers.authorization)));
      if (identity === void 0) return UNAUTHORIZED;
      if (await this.#isAllowed(identity, path)) return void 0;
      const { server, log } = this.#options;
      log.debug({ server, user: identity.user, path }, 'access denied');
      return FORBIDDEN;
    } catch (error) {
      return error instanceof TooManyReviews ? UNAVAILABLE : FAILED;
    }
  }
  async #identityOf(token) {
    if (token === void 0) return void 0;
    return this.#identities.get(token, () =>
      this.#reviewed('TokenReview', () => this.#reviewToken(token)),
    );
  }
  async #isAllowed(identity, path) {
    const facts = JSON.stringify([identity, path]);
    const allowed = await this.#permissions.get(facts, () =>
      this.#reviewed('SubjectAccessReview', () => this.#reviewAccess(identity, path)),
    );
    return allowed === true;
  }
  async #reviewToken(token) {
    const { status } = await this.#options.client.create(
      builtin4.TokenReview,
      { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token } },
      { timeout: REVIEW_TIMEOUT_MS },
    );
    const { username = '', uid, groups, extra } = status?.user ?? {};
    if (status?.authenticated !== true || username === '') return void 0;
    return {
      user: username,
      ...(uid !== void 0 && { uid }),
      ...(groups !== void 0 && { groups }),
      ...(extra !== void 0 && { extra }),
    };
  }
  async #reviewAccess(identity, path) {
    const { status } = await this.#options.client.create(
      builtin4.SubjectAccessReview,
      {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SubjectAccessReview',
        // A HEAD request reads the same facts as a GET request.
        spec: { ...identity, nonResourceAttributes: { path, verb: 'get' } },
      },
      { timeout: REVIEW_TIMEOUT_MS },
    );
    return status?.allowed === true && status.denied !== true ? true : void 0;
  }
  /** Logs the first failure since the last success, because scrapes arrive every few seconds. */
  async #reviewed(kind, review) {
    const { server, log } = this.#options;
    try {
      const result = await review();
      this.#failing.delete(kind);
      return result;
    } catch (error) {
      if (!this.#failing.has(kind))
        log.error({ server, review: kind, err: error }, 'review failed');
      this.#failing.add(kind);
      throw error;
    }
  }
};

// packages/manager/src/servers/http-server.ts
import { createServer as createSecureServer } from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { endsWithin as endsWithin6 } from '@keelson/apimachinery';

// packages/manager/src/servers/connections.ts
var MAX_PIPELINED = 8;
var TRANSFER_TIMEOUT_MS = 1e4;
var Connections = class {
  /** By remote address, because with TLS the socket of a request is not the one that was accepted. */
  #open = /* @__PURE__ */ new Map();
  #onIdle;
  /** Adds an accepted socket, until it closes. */
  follow(socket) {
    const id = idOf(socket);
    const connection = { socket, pending: /* @__PURE__ */ new Set(), deadline: void 0 };
    this.#open.set(id, connection);
    this.#updateDeadline(connection);
    socket.once('close', () => {
      clearTimeout(connection.deadline);
      if (this.#open.get(id) === connection) this.#open.delete(id);
      this.#checkIdle();
    });
  }
  /** Returns false for a request that is pipelined behind too many others. */
  admits(socket, response) {
    const connection = this.#open.get(idOf(socket));
    if (connection === void 0 || connection.pending.size >= MAX_PIPELINED) return false;
    const { pending } = connection;
    pending.add(response);
    this.#updateDeadline(connection);
    response.once('prefinish', () => this.#updateDeadline(connection));
    response.once('close', () => {
      pending.delete(response);
      this.#updateDeadline(connection);
      this.#checkIdle();
    });
    return true;
  }
  /** Resolves when every response has been sent. */
  idle() {
    const { promise, resolve } = Promise.withResolvers();
    this.#onIdle = resolve;
    this.#checkIdle();
    return promise;
  }
  /** Closes every connection, also one whose handshake is not complete. */
  closeAll() {
    for (const { socket } of this.#open.values()) socket.destroy();
  }
  #updateDeadline(connection) {
    clearTimeout(connection.deadline);
    const { socket, pending } = connection;
    const isResponding = [...pending].some(({ writableEnded }) => !writableEnded);
    if (isResponding || socket.destroyed) return;
    connection.deadline = setTimeout(() => socket.destroy(), TRANSFER_TIMEOUT_MS);
  }
  #checkIdle() {
    if (this.#onIdle === void 0) return;
    const isIdle = [...this.#open.values()].every(({ pending }) => pending.size === 0);
    if (isIdle) this.#onIdle();
  }
};
function idOf({ remoteAddress, remotePort }) {
  return `${remoteAddress} ${remotePort}`;
}

// packages/manager/src/servers/http-server.ts
var MAX_HEADER_BYTES = 16 * 1024;
var MAX_URL_LENGTH = 2048;
var MAX_CONNECTIONS = 200;
var MAX_REQUESTS_PER_CONNECTION = 100;
var KEEP_ALIVE_MS = 5e3;
var CLOSE_TIMEOUT_MS2 = 4e3;
var STREAM_TIMEOUT_MS = 3e5;
var MIN_TLS_VERSION = 'TLSv1.2';
var HttpServer = class {
  name;
  #options;
  #server;
  #connections = new Connections();
  #useCertificate;
  constructor(options) {
    this.name = options.name;
    this.#options = options;
    this.#server = this.#create((request, response) => {
      if (this.#connections.admits(request.socket, response)) {
        void respond(request, response, options);
      } else rejectRequest(response);
    });
    this.#server.maxConnections = MAX_CONNECTIONS;
    this.#server.maxRequestsPerSocket = MAX_REQUESTS_PER_CONNECTION;
    this.#server.on('connection', (socket) => this.#connections.follow(socket));
  }
  /** The port of the listening server; `undefined` before `listen` and after `close`. */
  get port() {
    return this.#server.address()?.port;
  }
  /** Resolves when the server listens. Rejects with `INVALID_CERTIFICATE`, `PORT_IN_USE` or `LISTEN_FAILED`. */
  async listen() {
    const { address, certificates } = this.#options;
    await certificates?.start((pair) => this.#useCertificate?.(pair));
    const { promise, resolve, reject } = Promise.withResolvers();
    this.#server.once('error', reject);
    this.#server.listen(address, resolve);
    try {
      await promise;
    } catch (error) {
      throw this.#explained(error);
    } finally {
      this.#server.off('error', reject);
    }
  }
  /**
   * Waits for pending responses for at most this many milliseconds, then closes every connection. Has no effect on a
   * server that never listened.
   */
  async close(milliseconds = CLOSE_TIMEOUT_MS2) {
    this.#options.certificates?.stop();
    const { promise, resolve } = Promise.withResolvers();
    this.#server.close(() => resolve());
    await endsWithin6(this.#connections.idle(), Math.min(milliseconds, CLOSE_TIMEOUT_MS2));
    this.#connections.closeAll();
    await promise;
  }
  #create(listener) {
    const limits = { maxHeaderSize: MAX_HEADER_BYTES, keepAliveTimeout: KEEP_ALIVE_MS };
    if (this.#options.certificates === void 0) {
      return process.getBuiltinModule('node:http').createServer(limits, listener);
    }
    const server = createSecureServer(
      {
        ...limits,
        minVersion: MIN_TLS_VERSION,
        requestCert: this.#options.requestsClientCertificates === true,
        rejectUnauthorized: false,
      },
      listener,
    );
    this.#useCertificate = (pair) =>
      server.setSecureContext({ ...pair, minVersion: MIN_TLS_VERSION });
    return server;
  }
  #explained(cause) {
    const { code: reason } = cause;
    const facts = { server: this.name, ...this.#options.address };
    return reason === 'EADDRINUSE'
      ? new ManagerError('PORT_IN_USE', facts, { cause })
      : new ManagerError('LISTEN_FAILED', { ...facts, reason }, { cause });
  }
};
function rejectRequest(response) {
  response.writeHead(503, { connection: 'close', 'content-length': 0 });
  response.end();
}
async function respond(request, response, options) {
  const made = await responseTo(request, options);
  const { status, type = 'text/plain; charset=utf-8', body } = made;
  const headers = {
    ...made.headers,
    'content-type': type,
    ...(body instanceof Readable ? {} : { 'content-length': Buffer.byteLength(body) }),
    'x-content-type-options': 'nosniff',
    // The unread body makes the connection unusable.
    ...(status === 413 ? { connection: 'close' } : {}),
  };
  response.writeHead(status, headers);
  if (body instanceof Readable) await send(body, request, response);
  else response.end(request.method === 'HEAD' ? void 0 : body);
}
async function send(body, { method }, response) {
  if (method === 'HEAD') {
    body.destroy();
    response.end();
    return;
  }
  const signal = AbortSignal.timeout(STREAM_TIMEOUT_MS);
  await pipeline(body, response, { signal }).catch(() => void 0);
}
async function responseTo(request, { access, responder }) {
  const { method, headers, url = '/' } = request;
  if (method !== 'GET' && method !== 'HEAD') return { status: 405, body: 'method not allowed\n' };
  const length = Number(headers['content-length'] ?? 0);
  if (length > 0 || headers['transfer-encoding'] !== void 0) {
    return { status: 413, body: 'no body expected\n' };
  }
  if (url.length > MAX_URL_LENGTH) return { status: 414, body: 'path too long\n' };
  if (!URL.canParse(url, 'http://server')) return { status: 400, body: 'bad request\n' };
  try {
    const parsed = new URL(url, 'http://server');
    const refusal = await access?.(request, parsed.pathname);
    if (refusal !== void 0) return refusal;
    const result = await responder(parsed);
    return result ?? { status: 404, body: 'not found\n' };
  } catch {
    return { status: 500, body: 'internal error\n' };
  }
}

// packages/manager/src/servers/certificate-files.ts
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
var READ_INTERVAL_MS = 1e4;
var CertificateFiles = class {
  #files;
  #options;
  #current;
  #timer;
  #stopped = false;
  /** The text of the last failure, which is logged once. */
  #failure;
  constructor(files, options) {
    this.#files = files;
    this.#options = options;
  }
  /** Rejects with `INVALID_CERTIFICATE` if the files are missing, invalid or do not match. */
  async start(use) {
    this.#current = await this.#read();
    use(this.#current);
    this.#readLater(use);
  }
  stop() {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }
  #readLater(use) {
    if (this.#stopped) return;
    this.#timer = setTimeout(() => void this.#readAgain(use), READ_INTERVAL_MS);
  }
  async #readAgain(use) {
    const { server, log } = this.#options;
    try {
      const pair = await this.#read();
      this.#failure = void 0;
      if (!this.#stopped && !isSame(pair, this.#current)) {
        use(pair);
        this.#current = pair;
        log.info({ server }, 'certificate reloaded');
      }
    } catch (error) {
      const failure = error.message;
      if (failure !== this.#failure) log.error({ server, err: error }, 'certificate not reloaded');
      this.#failure = failure;
    }
    this.#readLater(use);
  }
  async #read() {
    const { observer } = this.#options;
    observer.certificateRead();
    try {
      const { cert, key, clientCa } = this.#files;
      const pair = {
        cert: await this.#contentOf(cert),
        key: await this.#contentOf(key),
        ...(clientCa !== void 0 && { ca: await this.#contentOf(clientCa) }),
      };
      this.#check(pair);
      return pair;
    } catch (error) {
      observer.certificateFailed();
      throw error;
    }
  }
  async #contentOf(file) {
    try {
      return await readFile(file, 'utf8');
    } catch (cause) {
      throw this.#invalid({ file, reason: cause.code }, cause);
    }
  }
  /**
   * TLS itself accepts empty files. Every handshake would fail, or the public authorities would be those of the client
   * certificates.
   */
  #check(pair) {
    const { cert, key, clientCa = '' } = this.#files;
    const certificate = this.#parsed(cert, () => new X509Certificate(pair.cert));
    const privateKey = this.#parsed(key, () => createPrivateKey(pair.key));
    if (!certificate.checkPrivateKey(privateKey)) {
      throw this.#invalid({ cert, key, reason: 'the key does not belong to the certificate' });
    }
    const { ca } = pair;
    if (ca !== void 0) this.#parsed(clientCa, () => new X509Certificate(ca));
    this.#parsed(cert, () => createSecureContext(pair));
  }
  #parsed(file, parse2) {
    try {
      return parse2();
    } catch (cause) {
      throw this.#invalid({ file, reason: 'the PEM is invalid' }, cause);
    }
  }
  #invalid(facts, cause) {
    const { server } = this.#options;
    return new ManagerError('INVALID_CERTIFICATE', { server, ...facts }, { cause });
  }
};
function isSame({ cert, key, ca }, other) {
  return cert === other?.cert && key === other.key && ca === other.ca;
}

// packages/manager/src/servers/profiles.ts
import { Session } from 'node:inspector/promises';
import { getHeapSnapshot } from 'node:v8';
import { pause as pause3 } from '@keelson/apimachinery';
import { monitorEventLoopDelay as monitorEventLoopDelay2 } from 'node:perf_hooks';

// packages/manager/src/metrics/process/event-loop-delay.ts
import { monitorEventLoopDelay } from 'node:perf_hooks';
var RESOLUTION_MS = 10;
var WINDOW_MS = 6e4;
var EventLoopDelayMonitor = class {
  #older = createHistogram();
  #newer = createHistogram();
  /** The histogram whose samples are added to the totals before each reset. */
  #counted = this.#older;
  #sum = 0;
  #count = 0;
  #timer;
  start() {
    for (const histogram of [this.#older, this.#newer]) histogram.enable();
    this.#timer ??= setInterval(() => this.#swap(), WINDOW_MS).unref();
  }
  stop() {
    for (const histogram of [this.#older, this.#newer]) histogram.disable();
    clearInterval(this.#timer);
    this.#timer = void 0;
  }
  /** The samples of the last one to two minutes. */
  get recent() {
    return this.#older;
  }
  /** The number of samples since the first start, and the sum of their delays in seconds. */
  get totals() {
    const { count: count2, mean } = this.#counted;
    const sum = count2 === 0 ? 0 : count2 * delaySeconds(mean);
    return { sum: this.#sum + sum, count: this.#count + count2 };
  }
  #swap() {
    if (this.#older === this.#counted) {
      const { sum, count: count2 } = this.totals;
      this.#sum = sum;
      this.#count = count2;
    }
    this.#older.reset();
    [this.#older, this.#newer] = [this.#newer, this.#older];
  }
};
function delaySeconds(nanoseconds) {
  return Math.max(0, nanoseconds / 1e9 - RESOLUTION_MS / 1e3);
}
function createHistogram() {
  return monitorEventLoopDelay({ resolution: RESOLUTION_MS });
}

// packages/manager/src/servers/profiles.ts
var DEFAULT_SECONDS = 10;
var MAX_SECONDS = 60;
var BUSY = { status: 409, body: 'another profile or snapshot is being made\n' };
var BAD_SECONDS = {
  status: 400,
  body: `seconds must be a whole number from 1 to ${MAX_SECONDS}
`,
};
var Profiles = class {
  #stop = new AbortController();
  #measurements = /* @__PURE__ */ new Map([
    ['/debug/cpu-profile', (seconds) => this.#cpuProfile(seconds)],
    ['/debug/event-loop-delay', (seconds) => this.#eventLoopDelay(seconds)],
  ]);
  #isBusy = false;
  /** The response to a path below `/debug`; `undefined` for every other path. */
  respond({ pathname, searchParams }) {
    if (pathname === '/debug/heap-snapshot') return this.#isBusy ? BUSY : this.#heapSnapshot();
    const measure = this.#measurements.get(pathname);
    if (measure === void 0) return void 0;
    const given = searchParams.get('seconds');
    const seconds = given === null ? DEFAULT_SECONDS : Number(given);
    const isValid = Number.isInteger(seconds) && seconds >= 1 && seconds <= MAX_SECONDS;
    if (!isValid) return BAD_SECONDS;
    return this.#isBusy ? BUSY : this.#alone(() => measure(seconds));
  }
  /** Ends the measurement that runs; its client receives what there is. */
  stop() {
    this.#stop.abort();
  }
  async #alone(measure) {
    this.#isBusy = true;
    try {
      return await measure();
    } finally {
      this.#isBusy = false;
    }
  }
  async #cpuProfile(seconds) {
    const session = new Session();
    session.connect();
    try {
      await session.post('Profiler.enable');
      await session.post('Profiler.start');
      await this.#wait(seconds);
      const { profile } = await session.post('Profiler.stop');
      return download('cpu.cpuprofile', JSON.stringify(profile));
    } finally {
      session.disconnect();
    }
  }
  async #eventLoopDelay(seconds) {
    const histogram = monitorEventLoopDelay2({ resolution: 10 });
    histogram.enable();
    await this.#wait(seconds);
    histogram.disable();
    const at = (percentile) => delaySeconds(histogram.percentile(percentile));
    const [p50, p90, p99, max] = [at(50), at(90), at(99), at(100)];
    const body = { unit: 'seconds', samples: histogram.count, p50, p90, p99, max };
    return {
      status: 200,
      type: 'application/json',
      body: `${JSON.stringify(body)}
`,
    };
  }
  async #wait(seconds) {
    const { signal } = this.#stop;
    await pause3(seconds * 1e3, [signal]).catch(() => void 0);
  }
  #heapSnapshot() {
    this.#isBusy = true;
    const snapshot = getHeapSnapshot();
    snapshot.once('close', () => (this.#isBusy = false));
    return download('heap.heapsnapshot', snapshot);
  }
};
function download(name, body) {
  const headers = { 'content-disposition': `attachment; filename="${name}"` };
  return { status: 200, type: 'application/json', headers, body };
}

// packages/manager/src/servers/routes.ts
import { abortable as abortable5, invalidOption as invalidOption20 } from '@keelson/apimachinery';
var HANDLER_TIMEOUT_MS = 3e4;
var RESERVED = /^\/(?:metrics|healthz|livez|readyz)(?:\/|$)/;
var Routes = class {
  #server;
  #log;
  #handlers = /* @__PURE__ */ new Map();
  constructor(server, log) {
    this.#server = server;
    this.#log = log;
  }
  /** Adds a route and returns a function that removes it. Throws `INVALID_OPTION`. */
  add(path, handler) {
    if (!isNormalPath(path))
      throw invalidOption20('addRoute.path', 'must be a path such as /state');
    if (RESERVED.test(path))
      throw invalidOption20('addRoute.path', 'belongs to the server', { path });
    if (this.#handlers.has(path)) throw invalidOption20('addRoute.path', 'is in use', { path });
    if (typeof handler !== 'function')
      throw invalidOption20('addRoute.handler', 'must be a function');
    const user = new UserCode();
    const bound = (request) => user.call(handler, request);
    this.#handlers.set(path, bound);
    return () => {
      if (this.#handlers.get(path) === bound) this.#handlers.delete(path);
    };
  }
  /** The response of the route of this path; `undefined` without one. */
  respond(url) {
    const handler = this.#handlers.get(url.pathname);
    return handler === void 0 ? void 0 : this.#run(handler, url);
  }
  async #run(handler, url) {
    const late = new AbortController();
    const timer = setTimeout(() => {
      late.abort(new DOMException('the handler took too long', 'TimeoutError'));
    }, HANDLER_TIMEOUT_MS);
    try {
      const { signal } = late;
      return responseOf(await abortable5((async () => handler({ url, signal }))(), [signal]));
    } catch (error) {
      this.#log.error({ server: this.#server, path: url.pathname, err: error }, 'route failed');
      return { status: 500, body: 'internal error\n' };
    } finally {
      clearTimeout(timer);
    }
  }
};
function responseOf(made) {
  const { status = 200, type, body } = made ?? {};
  const isStatus = Number.isInteger(status) && Number(status) >= 200 && Number(status) < 600;
  const isType = type === void 0 || (typeof type === 'string' && /^[\x20-\x7e]+$/.test(type));
  if (!isStatus || !isType || !(typeof body === 'string' || Buffer.isBuffer(body))) {
    throw new TypeError('the response of the route is invalid');
  }
  return { status: Number(status), body, ...(type !== void 0 && { type }) };
}
function isNormalPath(path) {
  if (typeof path !== 'string' || !/^\/[^/]/.test(path)) return false;
  return URL.canParse(path, 'http://server') && new URL(path, 'http://server').pathname === path;
}

// packages/manager/src/servers/self-signed-certificate.ts
import { generateKeyPair, randomBytes as randomBytes2, sign } from 'node:crypto';
import { isIP } from 'node:net';
import { hostname as hostname2 } from 'node:os';
import { promisify } from 'node:util';

// packages/manager/src/servers/der.ts
var TAGS = {
  integer: 2,
  bitString: 3,
  octetString: 4,
  objectIdentifier: 6,
  utf8String: 12,
  utcTime: 23,
  generalizedTime: 24,
  sequence: 48,
  set: 49,
};
function der(tag, ...content) {
  const bytes = Buffer.concat(
    content.map((part) => (typeof part === 'string' ? Buffer.from(part) : Uint8Array.from(part))),
  );
  const first = typeof tag === 'number' ? tag : TAGS[tag];
  return Buffer.concat([Buffer.from([first, ...lengthOf(bytes.length)]), bytes]);
}
function contextTag(position, form) {
  return (form === 'primitive' ? 128 : 160) + position;
}
function objectIdentifier(dotted) {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const arcs = [first * 40 + second, ...rest];
  return der('objectIdentifier', Buffer.from(arcs.flatMap(base128)));
}
function time(milliseconds) {
  const digits = new Date(milliseconds).toISOString().replace(/\.\d+Z$|[-:T]/g, '');
  if (digits < '2050') return der('utcTime', `${digits.slice(2)}Z`);
  return der('generalizedTime', `${digits}Z`);
}
function lengthOf(length) {
  if (length < 128) return [length];
  const bytes = length < 256 ? [length] : [length >> 8, length & 255];
  return [128 + bytes.length, ...bytes];
}
function base128(arc) {
  const last = arc & 127;
  const bytes = [last];
  for (let rest = arc >> 7; rest > 0; rest >>= 7) bytes.unshift(128 | (rest & 127));
  return bytes;
}

// packages/manager/src/servers/self-signed-certificate.ts
var VALIDITY_DAYS = 365;
var COMMON_NAME = '2.5.4.3';
var SUBJECT_ALTERNATIVE_NAME = '2.5.29.17';
var EXTENDED_KEY_USAGE = '2.5.29.37';
var SERVER_AUTHENTICATION = '1.3.6.1.5.5.7.3.1';
var ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2';
var SERIAL_NUMBER_BYTES = 16;
var SelfSignedCertificate = class {
  async start(use) {
    use(await selfSignedCertificate());
  }
  stop() {}
};
async function selfSignedCertificate() {
  const { publicKey, privateKey } = await promisify(generateKeyPair)('ec', {
    namedCurve: 'P-256',
  });
  const signed = certificateFields(publicKey, Date.now());
  const algorithm = der('sequence', objectIdentifier(ECDSA_WITH_SHA256));
  const signature = der('bitString', [0], sign('sha256', signed, privateKey));
  const certificate = der('sequence', signed, algorithm, signature);
  return {
    cert: pem('CERTIFICATE', certificate),
    key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
  };
}
function certificateFields(publicKey, now) {
  const commonName = der('utf8String', hostname2());
  const attribute = der('sequence', objectIdentifier(COMMON_NAME), commonName);
  const name = der('sequence', der('set', attribute));
  const notBefore = time(now - 36e5);
  const notAfter = time(now + VALIDITY_DAYS * 864e5);
  const hosts = [hostname2(), 'localhost', '127.0.0.1', '::1'].map(alternativeName);
  return der(
    'sequence',
    der(contextTag(0, 'constructed'), der('integer', [2])),
    // version 3
    serialNumber(),
    der('sequence', objectIdentifier(ECDSA_WITH_SHA256)),
    name,
    // the issuer
    der('sequence', notBefore, notAfter),
    name,
    // the subject
    publicKey.export({ type: 'spki', format: 'der' }),
    der(
      contextTag(3, 'constructed'),
      der(
        'sequence',
        extension(EXTENDED_KEY_USAGE, objectIdentifier(SERVER_AUTHENTICATION)),
        extension(SUBJECT_ALTERNATIVE_NAME, ...hosts),
      ),
    ),
  );
}
function extension(identifier, ...values) {
  const content = der('octetString', der('sequence', ...values));
  return der('sequence', objectIdentifier(identifier), content);
}
function serialNumber() {
  const bytes = randomBytes2(SERIAL_NUMBER_BYTES);
  bytes[0] = ((bytes[0] ?? 0) & 63) | 64;
  return der('integer', bytes);
}
function alternativeName(host) {
  if (isIP(host) === 0) return der(contextTag(2, 'primitive'), host);
  return der(contextTag(7, 'primitive'), isIP(host) === 4 ? ipv4(host) : ipv6(host));
}
function ipv4(address) {
  return Buffer.from(address.split('.').map(Number));
}
function ipv6(address) {
  const [head = [], tail = []] = address.split('::').map((part) => part.split(':').filter(Boolean));
  const zeros = Array(8 - head.length - tail.length).fill('0');
  const groups = [...head, ...zeros, ...tail].map((group) => group.padStart(4, '0'));
  return Buffer.from(groups.join(''), 'hex');
}
function pem(label, bytes) {
  const lines = bytes.toString('base64').replace(/.{64}/g, '$&\n').trimEnd();
  return `-----BEGIN ${label}-----
${lines}
-----END ${label}-----
`;
}

// packages/manager/src/servers/server-options.ts
import { isIPv4 } from 'node:net';
import {
  checkFlag as checkFlag2,
  checkOptions as checkOptions14,
  invalidOption as invalidOption21,
} from '@keelson/apimachinery';
function checkServers(servers, where) {
  checkOptions14(servers, ['host', 'metrics', 'health', 'debug'], where);
  const { host, metrics: metrics2, health, debug } = servers;
  checkHost(host, `${where}.host`);
  if (metrics2 !== void 0) {
    checkAddress(metrics2, `${where}.metrics`, ['authentication'], ['clientCa']);
    checkAuthentication(serverOptionsOf(metrics2, host), `${where}.metrics`);
  }
  if (health !== void 0) checkAddress(health, `${where}.health`);
  if (debug !== void 0) {
    checkAddress(debug, `${where}.debug`, ['authentication'], ['clientCa']);
    const options = debugOptionsOf(debug, host);
    checkAuthentication(options, `${where}.debug`);
    if (options.authentication !== true && !isLoopback(options.host ?? '')) {
      const reason = 'must be a loopback address, or needs authentication: true';
      throw invalidOption21(`${where}.debug.host`, reason);
    }
  }
}
function debugOptionsOf(address, host) {
  const own3 = typeof address === 'number' ? { port: address } : address;
  return serverOptionsOf(own3, own3.authentication === true ? host : '127.0.0.1');
}
function serverOptionsOf(address, host) {
  const own3 = typeof address === 'number' ? { port: address } : address;
  return host === void 0 ? own3 : { ...own3, host: own3.host ?? host };
}
function checkAddress(address, where, ownOptions = [], ownFiles = []) {
  const isObject4 = typeof address === 'object' && address !== null;
  const { port, host, tls } = isObject4 ? address : { port: address };
  if (isObject4) {
    checkOptions14(address, ['port', 'host', 'tls', ...ownOptions], where);
    checkHost(host, `${where}.host`);
    if (tls !== void 0) checkTls(tls, `${where}.tls`, ownFiles);
  }
  checkPort(port, isObject4 ? `${where}.port` : where);
}
function checkPort(port, where) {
  if (!Number.isInteger(port) || Number(port) < 0 || Number(port) > 65535) {
    throw invalidOption21(where, 'must be a port from 0 to 65535');
  }
}
function checkAuthentication(options, where) {
  const { authentication = false, host = '', tls } = options;
  checkFlag2(authentication, `${where}.authentication`);
  if (authentication && tls === void 0 && !isLoopback(host)) {
    const reason = 'needs tls, because tokens would be sent in clear text';
    throw invalidOption21(`${where}.authentication`, reason);
  }
  if (typeof tls !== 'object' || tls.clientCa === void 0) return;
  checkPath(tls.clientCa, `${where}.tls.clientCa`);
  if (!authentication) throw invalidOption21(`${where}.tls.clientCa`, 'needs authentication: true');
}
function isLoopback(host) {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}
function checkTls(tls, where, ownFiles) {
  if (tls === 'self-signed') return;
  if (typeof tls !== 'object')
    throw invalidOption21(where, "must be 'self-signed' or { cert, key }");
  checkOptions14(tls, ['cert', 'key', ...ownFiles], where);
  checkPath(tls.cert, `${where}.cert`);
  checkPath(tls.key, `${where}.key`);
}
function checkPath(path, where) {
  if (typeof path !== 'string' || path === '' || path.includes('\0')) {
    throw invalidOption21(where, 'must be the path of a file');
  }
}
function checkHost(host, where) {
  if (host !== void 0 && (typeof host !== 'string' || host === '')) {
    throw invalidOption21(where, 'must be an address or the name of a host');
  }
}

// packages/manager/src/servers/metrics-page.ts
import { endsWithin as endsWithin7, SharedSlice as SharedSlice2 } from '@keelson/apimachinery';

// packages/manager/src/metrics/process/metric-registry.ts
import registry from 'prom-client/lib/registry.js';
var MetricRegistry = registry;

// packages/manager/src/servers/metrics-page.ts
var PAGE_LIFETIME_MS = 1e3;
var COLLECTOR_TIMEOUT_MS = 5e3;
var MetricsPage = class {
  #options;
  /** Lets the event loop turn between two metrics, because most collectors are synchronous. */
  #slice = new SharedSlice2();
  /** Metrics whose collector of an earlier scrape still runs. */
  #hanging = /* @__PURE__ */ new Set();
  #scrape;
  constructor(options) {
    this.#options = options;
  }
  /** The current page. An error of a collector does not reject it. */
  respond() {
    this.#scrape ??= this.#scrapeOnce();
    return this.#scrape;
  }
  async #scrapeOnce() {
    try {
      return await this.#read();
    } finally {
      const timer = setTimeout(() => (this.#scrape = void 0), PAGE_LIFETIME_MS);
      timer.unref();
    }
  }
  async #read() {
    const { registry: registry2 } = this.#options;
    const parts = [];
    for (const metric of registry2.getMetricsAsArray()) {
      parts.push(this.#part(metric));
      await this.#slice.next();
    }
    const texts = (await Promise.all(parts)).filter((text) => text !== void 0);
    const body = isOpenMetrics(registry2)
      ? `${texts.join('\n')}
# EOF
`
      : `${texts.join('\n\n')}
`;
    return { status: 200, type: registry2.contentType, body: Buffer.from(body) };
  }
  /** The text of one metric; `undefined` if its collector failed. */
  async #part(metric) {
    const { registry: registry2, failed, worked } = this.#options;
    const name = keyOf3(metric, registry2);
    if (this.#hanging.has(metric)) {
      failed(name, new CollectorTimeout());
      return void 0;
    }
    this.#hanging.add(metric);
    const text = this.#textOf(metric, name).finally(() => this.#hanging.delete(metric));
    try {
      if (!(await endsWithin7(text, COLLECTOR_TIMEOUT_MS))) throw new CollectorTimeout();
      const known = await text;
      worked(name);
      return known;
    } catch (error) {
      failed(name, error);
      return void 0;
    }
  }
  async #textOf(metric, name) {
    const { registry: registry2 } = this.#options;
    const text = await registry2.getSingleMetricAsString(name);
    const { type } = metric;
    const isCounter = type === 'counter' && name.endsWith('_total');
    return isCounter && isOpenMetrics(registry2) ? withOneSuffix(text, name) : text;
  }
};
function withOneSuffix(text, name) {
  const counter = name.slice(0, -'_total'.length);
  return text
    .replace(`# HELP ${name} `, `# HELP ${counter} `)
    .replace(`# TYPE ${name} `, `# TYPE ${counter} `)
    .replaceAll(
      `
${name}_total`,
      `
${name}`,
    );
}
var CollectorTimeout = class extends Error {
  name = 'TimeoutError';
  constructor() {
    super(`the collector did not end within ${COLLECTOR_TIMEOUT_MS} ms`);
  }
};
function keyOf3(metric, registry2) {
  const { name } = metric;
  return registry2.getSingleMetric(name) === metric ? name : `${name}_total`;
}
function isOpenMetrics({ contentType }) {
  return contentType === MetricRegistry.OPENMETRICS_CONTENT_TYPE;
}

// packages/manager/src/manager/manager-servers.ts
var ManagerServers = class {
  health;
  ready;
  #routes;
  #metrics;
  #probes;
  #debug;
  #profiles = new Profiles();
  #log;
  #client;
  #measured;
  /** Metrics whose collector failed in the last scrape. */
  #failing = /* @__PURE__ */ new Set();
  constructor(options, { client, metrics: measured }, log) {
    this.#log = log;
    this.#client = client;
    this.#routes = { metrics: new Routes('metrics', log), health: new Routes('health', log) };
    this.#measured = measured;
    const { registry: registry2 } = measured;
    this.health = new HealthChecks(['/healthz', '/livez'], 500, log);
    this.ready = new HealthChecks(['/readyz'], 503, log);
    this.health.add('ping', () => void 0);
    const { metrics: metrics2, health, debug, host } = options;
    if (metrics2 !== void 0) {
      const page = new MetricsPage({
        registry: registry2,
        failed: (metric, error) => this.#collectorFailed(metric, error),
        worked: (metric) => void this.#failing.delete(metric),
      });
      this.#metrics = this.#server('metrics', serverOptionsOf(metrics2, host), (url) =>
        url.pathname === '/metrics' ? page.respond() : this.#routes.metrics.respond(url),
      );
    }
    if (health !== void 0) {
      this.#probes = this.#server(
        'health',
        serverOptionsOf(health, host),
        (url) =>
          this.health.respond(url) ?? this.ready.respond(url) ?? this.#routes.health.respond(url),
      );
    }
    if (debug !== void 0) {
      this.#debug = this.#server('debug', debugOptionsOf(debug, host), (url) =>
        this.#profiles.respond(url),
      );
    }
  }
  get ports() {
    return {
      metrics: this.#metrics?.port,
      health: this.#probes?.port,
      debug: this.#debug?.port,
    };
  }
  /** Adds a route of the user to a server. Throws `INVALID_OPTION`. */
  addRoute(server, path, handler) {
    if (!Object.hasOwn(this.#routes, server)) {
      throw invalidOption22('addRoute.server', 'must be metrics or health');
    }
    return this.#routes[server].add(path, handler);
  }
  /** Starts to measure and to listen. Rejects with `INVALID_CERTIFICATE`, `PORT_IN_USE` or `LISTEN_FAILED`. */
  async start() {
    this.#measured.start();
    if (this.#metrics !== void 0) await this.#measured.collectProcess();
    await this.#listen();
  }
  async #listen() {
    const ends = await Promise.allSettled(this.#all().map((server) => server.listen()));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
    for (const { name, port } of this.#all()) this.#log.info({ server: name, port }, 'listening');
  }
  /** Closes the servers; pending responses may take this many milliseconds. */
  async close(milliseconds) {
    this.#profiles.stop();
    await Promise.all(this.#all().map((server) => server.close(milliseconds)));
  }
  /** Logs the first failure since the last success, because scrapes arrive every few seconds. */
  #collectorFailed(metric, error) {
    this.#measured.collectorFailed();
    if (!this.#failing.has(metric)) {
      this.#log.error({ metric, err: error }, 'metric collector failed');
    }
    this.#failing.add(metric);
  }
  #all() {
    return [this.#metrics, this.#probes, this.#debug].filter((server) => server !== void 0);
  }
  #server(name, options, responder) {
    const { tls, authentication = false, ...address } = options;
    return new HttpServer({
      name,
      address,
      certificates: tls === void 0 ? void 0 : this.#certificates(name, tls),
      requestsClientCertificates: typeof tls === 'object' && tls.clientCa !== void 0,
      access: authentication ? this.#access(name) : void 0,
      responder,
    });
  }
  #access(server) {
    const access = new DelegatedAccess({ server, client: this.#client, log: this.#log });
    return (request, path) => access.refusalOf(request, path);
  }
  #certificates(server, tls) {
    if (tls === 'self-signed') return new SelfSignedCertificate();
    return new CertificateFiles(tls, { server, log: this.#log, observer: this.#measured });
  }
};

// packages/manager/src/manager/manager-options.ts
import {
  checkMethods as checkMethods3,
  checkOptions as checkOptions18,
  checkRuntime,
  invalidOption as invalidOption25,
  parseDuration as parseDuration12,
} from '@keelson/apimachinery';
import { checkClusterSource } from '@keelson/client';

// packages/manager/src/clusters/cache-options.ts
import {
  checkCount as checkCount5,
  checkFlag as checkFlag3,
  checkMethods as checkMethods2,
  checkOptions as checkOptions15,
  parseDuration as parseDuration9,
} from '@keelson/apimachinery';
import { checkMemoryBudget } from '@keelson/informer';
var optionNames4 = [
  'linger',
  'parsedBytes',
  'memoryBudget',
  'keepManagedFields',
  'freeze',
  'overlay',
];
var cacheMethods = ['acquire', 'scope', 'inventory', 'memory', 'written', 'deleted'];
function isCache(cache) {
  return 'acquire' in cache;
}
function checkCache(cache, where) {
  checkMethods2(cache, [], where);
  if (isCache(cache)) checkMethods2(cache, cacheMethods, where);
  else checkCacheOptions(cache, where);
}
function checkCacheOptions(cache, where) {
  checkOptions15(cache, optionNames4, where);
  const { linger = 0, parsedBytes = 1, memoryBudget, keepManagedFields, freeze } = cache;
  parseDuration9(linger, `${where}.linger`);
  checkCount5(parsedBytes, `${where}.parsedBytes`);
  if (memoryBudget !== void 0) checkMemoryBudget(memoryBudget, `${where}.memoryBudget`);
  checkFlag3(keepManagedFields, `${where}.keepManagedFields`);
  checkFlag3(freeze, `${where}.freeze`);
  checkFlag3(cache.overlay, `${where}.overlay`);
}

// packages/manager/src/event-loop/event-loop-options.ts
import {
  checkFlag as checkFlag4,
  checkOptions as checkOptions16,
  invalidOption as invalidOption23,
  parseDuration as parseDuration10,
} from '@keelson/apimachinery';
function checkEventLoop(options = {}) {
  const where = 'createManager.eventLoop';
  checkOptions16(options, ['warnAfter', 'traceAwaits'], where);
  const { warnAfter = '200ms', traceAwaits = false } = options;
  checkFlag4(traceAwaits, `${where}.traceAwaits`);
  const limit = parseDuration10(warnAfter, `${where}.warnAfter`);
  if (traceAwaits && limit === 0)
    throw invalidOption23(`${where}.traceAwaits`, 'needs a warnAfter above 0');
  return { warnAfter: limit === 0 ? Infinity : limit, traceAwaits };
}

// packages/manager/src/leader-election/leader-election-options.ts
import { hostname as hostname3 } from 'node:os';
import { randomUUID as randomUUID2 } from 'node:crypto';
import {
  checkFlag as checkFlag5,
  checkOptions as checkOptions17,
  invalidOption as invalidOption24,
  isDnsLabel as isDnsLabel2,
  isDnsSubdomain,
  parseDuration as parseDuration11,
} from '@keelson/apimachinery';
var optionNames5 = [
  'lease',
  'namespace',
  'identity',
  'leaseDuration',
  'renewDeadline',
  'retryPeriod',
  'releaseOnStop',
];
var WHERE = 'createManager.leaderElection';
function checkLeaderElection(options) {
  checkOptions17(options, optionNames5, WHERE);
  const { lease, namespace, identity = `${hostname3()}_${randomUUID2()}`, releaseOnStop } = options;
  if (typeof lease !== 'string' || !isDnsSubdomain(lease)) {
    throw invalidOption24(`${WHERE}.lease`, 'must be the name of a Lease: a DNS-1123 subdomain');
  }
  if (namespace !== void 0 && (typeof namespace !== 'string' || !isDnsLabel2(namespace))) {
    throw invalidOption24(`${WHERE}.namespace`, 'must be a DNS-1123 label');
  }
  if (typeof identity !== 'string' || identity === '' || identity.length > 128) {
    throw invalidOption24(`${WHERE}.identity`, 'must be a string of 1 to 128 characters');
  }
  checkFlag5(releaseOnStop, `${WHERE}.releaseOnStop`);
  return {
    lease,
    namespace,
    identity,
    timings: timingsOf(options),
    releaseOnStop: releaseOnStop ?? true,
  };
}
function timingsOf(options) {
  const { leaseDuration = '15s', renewDeadline = '10s', retryPeriod = '2s' } = options;
  const timings = {
    leaseDuration: parseDuration11(leaseDuration, `${WHERE}.leaseDuration`),
    renewDeadline: parseDuration11(renewDeadline, `${WHERE}.renewDeadline`),
    retryPeriod: parseDuration11(retryPeriod, `${WHERE}.retryPeriod`),
  };
  if (timings.leaseDuration < 1e3 || timings.leaseDuration % 1e3 !== 0) {
    throw invalidOption24(`${WHERE}.leaseDuration`, 'must be whole seconds, at least one');
  }
  if (timings.renewDeadline >= timings.leaseDuration) {
    throw invalidOption24(`${WHERE}.renewDeadline`, 'must be less than leaseDuration');
  }
  if (timings.retryPeriod <= 0 || timings.retryPeriod * JITTER_FACTOR >= timings.renewDeadline) {
    throw invalidOption24(
      `${WHERE}.retryPeriod`,
      `must be more than 0 and less than renewDeadline divided by ${JITTER_FACTOR}`,
    );
  }
  return timings;
}

// packages/manager/src/manager/manager-options.ts
var optionNames6 = [
  'name',
  'cluster',
  'kubeConfig',
  'client',
  'cache',
  'namespaces',
  'kinds',
  'servers',
  'registry',
  'logger',
  'gracePeriod',
  'controllers',
  'leaderElection',
  'eventLoop',
  'stopSignals',
];
var understoodSignals = ['SIGTERM', 'SIGINT'];
var loggerMethods = ['debug', 'info', 'warn', 'error', 'child'];
var clientMethods = [
  'get',
  'create',
  'patch',
  'listerWatcher',
  'apiClient',
  'withFieldManager',
  'withWriteObserver',
];
var electionMethods = ['update', 'watch', 'withWriteGuard'];
var registryMethods = [
  'registerMetric',
  'getSingleMetric',
  'removeSingleMetric',
  'getMetricsAsArray',
];
function checkManagerOptions(options) {
  checkRuntime();
  const where = 'createManager';
  checkOptions18(options, optionNames6, where, managerMistakes);
  checkName(options.name);
  checkCluster(options);
  if (options.registry !== void 0) {
    checkMethods3(options.registry, registryMethods, `${where}.registry`);
  }
  if (options.servers !== void 0) checkServers(options.servers, `${where}.servers`);
  const { logger = createLogger(), controllers = {} } = options;
  const { cache = {}, gracePeriod = '25s' } = options;
  checkCache(cache, `${where}.cache`);
  checkWatchDefaults(options, where);
  checkMethods3(logger, loggerMethods, `${where}.logger`);
  checkControllerDefaults(controllers, `${where}.controllers`);
  return {
    logger,
    controllers,
    watchDefaults: new WatchDefaults(options),
    gracePeriod: parseDuration12(gracePeriod, `${where}.gracePeriod`),
    leaderElection: electionOf(options),
    eventLoop: checkEventLoop(options.eventLoop),
    stopSignals: stopSignalsOf(options.stopSignals),
  };
}
function checkName(name) {
  if (name === void 0 || (typeof name === 'string' && name !== '')) return;
  throw invalidOption25('createManager.name', 'must be a name');
}
function checkCluster({ cluster, kubeConfig, client }) {
  const all = { cluster, kubeConfig, client };
  const given = Object.entries(all).filter(([, value]) => value !== void 0);
  for (const [name, value] of given) checkMethods3(value, [], `createManager.${name}`);
  if (given.length > 1) {
    const [, [name] = ['']] = given;
    throw invalidOption25(`createManager.${name}`, 'give one of cluster, kubeConfig and client');
  }
  if (client !== void 0) checkMethods3(client, clientMethods, 'createManager.client');
  if (kubeConfig !== void 0) checkClusterSource(kubeConfig, 'createManager.kubeConfig');
}
function electionOf({ leaderElection, client }) {
  if (leaderElection === void 0) return void 0;
  if (client !== void 0) checkMethods3(client, electionMethods, 'createManager.client');
  return checkLeaderElection(leaderElection);
}
function stopSignalsOf(signals) {
  if (signals === void 0) return ['SIGTERM', 'SIGINT'];
  if (!Array.isArray(signals) || !signals.every((signal) => understoodSignals.includes(signal))) {
    throw invalidOption25('createManager.stopSignals', 'must be a list of SIGTERM and SIGINT');
  }
  return [...signals];
}

// packages/manager/src/user-code/call-scope.ts
import { AsyncLocalStorage as AsyncLocalStorage4 } from 'node:async_hooks';
var CallScope = class {
  #storage = new AsyncLocalStorage4();
  /**
   * The run that the caller is part of, or `undefined`. A timer or server that a run left behind keeps the async
   * context of the run, but is not part of it after its end.
   */
  get current() {
    const work = this.#storage.getStore();
    return work?.hasEnded === true ? void 0 : work;
  }
  /** The run that started the caller, even if it has ended. */
  get origin() {
    return this.#storage.getStore();
  }
  /**
   * Waits in a barrier for the end of other runs. Meanwhile no other barrier waits for the caller's run, because
   * two runs that wait for each other would never end.
   */
  async inBarrier(wait) {
    const leave = this.current?.enterBarrier?.();
    try {
      return await wait();
    } finally {
      leave?.();
    }
  }
  /** Calls `act` as part of the run. */
  run(work, act, ...given) {
    return this.#storage.run(work, act, ...given);
  }
};

// packages/manager/src/phases/runnable.ts
import {
  checkOptions as checkOptions19,
  invalidOption as invalidOption26,
} from '@keelson/apimachinery';
function checkRunnable(runnable) {
  if (typeof runnable !== 'object' || runnable === null) {
    throw invalidOption26('addRunnable', 'must be an object');
  }
  if (Object.getPrototypeOf(runnable) === Object.prototype) {
    checkOptions19(runnable, ['name', 'phase', 'run'], 'addRunnable');
  }
  if (typeof runnable.name !== 'string' || runnable.name === '') {
    throw invalidOption26('addRunnable.name', 'must be a name');
  }
  if (runnable.phase !== void 0 && !phases.includes(runnable.phase)) {
    throw invalidOption26('addRunnable.phase', 'must be a phase', { known: phases.join(' ') });
  }
  if (typeof runnable.run !== 'function')
    throw invalidOption26('addRunnable.run', 'must be a function');
}

// packages/manager/src/manager/stop-errors.ts
var StopErrors = class {
  #errors = /* @__PURE__ */ new Set();
  get size() {
    return this.#errors.size;
  }
  add(error) {
    this.#errors.add(error);
  }
  /** Adds the errors of a stop. A grace period of 0 does not wait, so components that still run are not an error. */
  addReport({ errors, stillRunning }, gracePeriod) {
    for (const error of errors) this.#errors.add(error);
    if (stillRunning.length === 0 || gracePeriod === 0) return;
    this.#errors.add(new ManagerError('STOP_DEADLINE_EXCEEDED', { stillRunning, gracePeriod }));
  }
  /** The first error, or `otherwise` if none was added. */
  first(otherwise) {
    const [first] = this.#errors.size > 0 ? this.#errors : [otherwise];
    return first;
  }
  /** Throws a single error as it is, and several as one `SeveralErrors`. */
  throwIfAny() {
    const [first] = this.#errors;
    if (this.#errors.size > 1) throw new SeveralErrors(this.#errors);
    if (this.#errors.size === 1) throw first;
  }
};
var SeveralErrors = class extends AggregateError {
  name = 'SeveralErrors';
  code = 'SEVERAL_ERRORS';
  constructor(errors) {
    super(errors, managerErrors.SEVERAL_ERRORS);
  }
};

// packages/manager/src/manager/process-signals.ts
function onStopSignals(signals, stop) {
  let isRepeated = false;
  const listener = (signal) => {
    if (isRepeated) process.exit(1);
    isRepeated = true;
    stop(signal);
  };
  for (const signal of signals) process.on(signal, listener);
  return () => {
    for (const signal of signals) process.off(signal, listener);
  };
}

// packages/manager/src/manager/stop-requests.ts
function listenForStop({ stopSignals, signal, log, stop }) {
  const ignoreSignals = onStopSignals(stopSignals, (name) => {
    log.info({ signal: name }, 'stopping');
    stop();
  });
  signal?.addEventListener('abort', stop);
  if (signal?.aborted === true) stop();
  const keepAlive = setInterval(() => void 0, 2 ** 30);
  return () => {
    clearInterval(keepAlive);
    ignoreSignals();
    signal?.removeEventListener('abort', stop);
  };
}

// packages/manager/src/manager/manager-dependencies.ts
import { loadOnce as loadOnce2 } from '@keelson/apimachinery';
import { createClient as createClient2, loadCluster } from '@keelson/client';
import { createInformerCache as createInformerCache2 } from '@keelson/informer';

// packages/manager/src/clusters/added-clusters.ts
import {
  checkMethods as checkMethods4,
  checkOptions as checkOptions20,
  invalidOption as invalidOption27,
} from '@keelson/apimachinery';

// packages/manager/src/clusters/added-cluster.ts
import { abortable as abortable6 } from '@keelson/apimachinery';
import { createClient } from '@keelson/client';
import { createInformerCache } from '@keelson/informer';

// packages/manager/src/logging/client-log.ts
import { LRUCache as LRUCache4 } from 'lru-cache';
var REMEMBERED_WARNINGS = 1e3;
var COMPARED_CHARACTERS = 512;
function clientLog(metrics2, log) {
  const logged = new LRUCache4({ max: REMEMBERED_WARNINGS });
  let refreshFails = false;
  return {
    ...metrics2,
    warning(warning) {
      metrics2.warning?.(warning);
      const { method, path, text } = warning;
      const key = text.slice(0, COMPARED_CHARACTERS);
      if (logged.get(key) === true) return;
      logged.set(key, true);
      log.warn({ method, path, warning: text }, 'the API server sent a warning');
    },
    protobufRefused(refusal) {
      metrics2.protobufRefused?.(refusal);
      const { apiVersion, kind, error } = refusal;
      log.warn(
        { apiVersion, kind, err: briefError(error) },
        'the kind is read as JSON from now on',
      );
    },
    credentialsRefreshed(refresh) {
      metrics2.credentialsRefreshed?.(refresh);
      refreshFails = false;
    },
    credentialsFailed(error) {
      metrics2.credentialsFailed?.(error);
      if (!refreshFails) log.warn({ err: briefError(error) }, 'credentials were not refreshed');
      refreshFails = true;
    },
  };
}

// packages/manager/src/metrics/watch-log.ts
import { resourceId as resourceId10 } from '@keelson/apimachinery';
var levelOf = {
  parked: 'info',
  'backing-off': 'warn',
  forbidden: 'warn',
  'over-budget': 'warn',
  stale: 'warn',
};
function watchLog(metrics2, log) {
  const failing = /* @__PURE__ */ new Map();
  return {
    watchStarted: (watch) => metrics2.watchStarted(watch),
    watchStopped(watch) {
      failing.delete(watch);
      metrics2.watchStopped(watch);
    },
    listing: (watch, cause) => metrics2.listing(watch, cause),
    restarting: (watch, cause) => metrics2.restarting(watch, cause),
    event: (watch, type) => metrics2.event(watch, type),
    lingerReused: () => metrics2.lingerReused(),
    healthChanged: (watch, health) => logHealth(watch, health, { failing, log }),
    memoryBudgetChanged: (change) => logBudget(change, log),
    skipped: (watch, cause, error) =>
      log.debug({ ...factsOf3(watch), cause, err: error }, 'object skipped'),
    handlerError: (watch, owner, error) =>
      log.error({ ...factsOf3(watch), owner, err: error }, 'event handler failed'),
    indexerError: (watch, indexer, error) =>
      log.error({ ...factsOf3(watch), indexer, err: error }, 'indexer failed'),
    loopRestarted: (watch, error) =>
      log.error({ ...factsOf3(watch), err: error }, 'reflector restarted'),
    handleLeaked: (watch, owner) =>
      log.warn({ ...factsOf3(watch), owner }, 'handle was never released'),
  };
}
function logHealth(watch, { state, reason, verb, lastError }, { failing, log }) {
  const level = levelOf[state];
  const failure = state === 'forbidden' ? `${state} ${reason}` : state;
  if (level !== void 0 && failing.get(watch) !== failure) {
    failing.set(watch, failure);
    const err = briefError(lastError);
    log[level]({ ...factsOf3(watch), state, reason, verb, err }, 'watch is not live');
  }
  if (state === 'live' && failing.delete(watch)) log.info(factsOf3(watch), 'watch is live');
}
var budgetMessages = {
  limited: 'memory budget limits a watch',
  lifted: 'memory budget no longer limits a watch',
  exceeded: 'memory budget is exceeded',
  within: 'memory budget is no longer exceeded',
};
function logBudget({ change, watch, ...use }, log) {
  const level = change === 'limited' || change === 'exceeded' ? 'warn' : 'info';
  log[level]({ ...(watch && factsOf3(watch)), ...use }, budgetMessages[change]);
}
function factsOf3({ query }) {
  const { resource, namespace, labelSelector, fieldSelector } = query;
  return { resource: resourceId10(resource), namespace, labelSelector, fieldSelector };
}

// packages/manager/src/clusters/added-cluster.ts
var AddedCluster = class {
  name;
  client;
  cache;
  #options;
  #connections;
  #removal;
  #closing;
  constructor(options) {
    const { name, cluster, metrics: metrics2 } = options;
    const log = options.log.child({ cluster: name });
    this.name = name;
    this.#options = options;
    this.#connections = createClient({ cluster, observer: clientLog(metrics2.client, log) });
    this.cache = createInformerCache({
      ...options.cache,
      listerWatcher: (query) => this.#connections.listerWatcher(query),
      observer: watchLog(metrics2.watches, log),
    });
    this.client = this.#connections.withWriteObserver(this.cache);
  }
  get health() {
    const watches = this.cache.inventory().map(({ health }) => health);
    const failing = watches.filter(({ state }) => state !== 'live');
    return {
      isLive: failing.length === 0,
      watches: watches.length,
      notLive: failing.length,
      lastError: failing[0]?.lastError,
    };
  }
  /** True from the call of `remove` on. */
  get isRemoved() {
    return this.#removal !== void 0;
  }
  async remove(options = {}) {
    checkRemoveOptions(options, 'remove');
    const { promise, resolve } = Promise.withResolvers();
    if (this.#removal === void 0) {
      this.#removal = promise;
      resolve(this.#remove());
    }
    const removal = this.#removal;
    await this.#options.host.callScope.inBarrier(() => abortable6(removal, [options.signal]));
  }
  [Symbol.asyncDispose]() {
    return this.remove();
  }
  /** Closes the cache and the client and removes the metric series. */
  close() {
    this.#closing ??= this.#close();
    return this.#closing;
  }
  async #remove() {
    await this.#options.host.leave(this.name);
    await this.close();
  }
  async #close() {
    try {
      await this.cache.close();
    } finally {
      await this.#connections.close().finally(() => {
        this.#options.metrics.close();
        this.#options.closed();
      });
    }
  }
};

// packages/manager/src/clusters/added-clusters.ts
var AddedClusters = class {
  #metrics;
  #log;
  /** A cluster keeps its name until its removal has ended. */
  #byName = /* @__PURE__ */ new Map();
  constructor(metrics2, log) {
    this.#metrics = metrics2;
    this.#log = log;
  }
  /** Throws `INVALID_OPTION`, `INVALID_CLUSTER` and `DUPLICATE_CLUSTER`. */
  add(host, name, cluster, options = {}) {
    checkName2(name);
    if (typeof cluster !== 'function') checkMethods4(cluster, [], 'addCluster.cluster');
    checkOptions20(options, ['cache'], 'addCluster');
    const { cache = {} } = options;
    checkCacheOptions(cache, 'addCluster.cache');
    if (this.#byName.has(name)) throw new ManagerError('DUPLICATE_CLUSTER', { cluster: name });
    const metrics2 = this.#metrics.cluster(name, () => added.cache);
    const closed = () => void this.#byName.delete(name);
    const added = createdOr(metrics2.close, () => {
      return new AddedCluster({
        name,
        cluster,
        cache,
        host,
        metrics: metrics2,
        log: this.#log,
        closed,
      });
    });
    this.#byName.set(name, added);
    return added;
  }
  /** Throws `UNKNOWN_CLUSTER`. */
  get(name) {
    const cluster = this.#byName.get(name);
    if (cluster !== void 0 && !cluster.isRemoved) return cluster;
    const known = [...this.#byName.values()].filter(({ isRemoved }) => !isRemoved);
    throw new ManagerError('UNKNOWN_CLUSTER', {
      cluster: name,
      known: known.map((one) => one.name),
    });
  }
  /** Closes every cluster. One that fails does not keep the others open. */
  async close() {
    await Promise.all([...this.#byName.values()].map((cluster) => cluster.close()));
  }
};
function checkName2(name) {
  if (typeof name === 'string' && /^[A-Za-z0-9][-A-Za-z0-9_.]{0,127}$/.test(name)) return;
  throw invalidOption27('addCluster.name', 'must be a name: letters, digits, - _ .');
}
function createdOr(undo, create) {
  try {
    return create();
  } catch (error) {
    undo();
    throw error;
  }
}

// packages/manager/src/event-loop/await-tracer.ts
import { createHook, executionAsyncResource } from 'node:async_hooks';

// packages/manager/src/own-places.ts
import { fileURLToPath } from 'node:url';
var OWN_MODULE = /\/(?:@keelson|packages)\/manager\/(?:src|dist)\/[^/]+$/;
var ownPlaces = ownPlacesOf(import.meta.url);
function ownPlacesOf(url) {
  if (url === void 0 || !OWN_MODULE.test(url)) return ['/node_modules/@keelson/'];
  const folder = new URL('../../', url);
  return [folder.href, fileURLToPath(folder)];
}

// packages/manager/src/event-loop/user-frames.ts
var MAX_FRAMES = 5;
var MAX_FRAME_LENGTH = 200;
var NODE_FRAME = /[( ]node:|\(<anonymous>\)$/;
function userFrames(stack, own3 = ownPlaces) {
  const lines = stack.split('\n').slice(2);
  const frames = lines.filter((line) => line.includes(' at ') && !NODE_FRAME.test(line));
  const isOwn = (line) =>
    // The tests of Keelson are its users.
    own3.some((place) => line.includes(place)) && !line.includes('.test.');
  const first = frames.findIndex((line) => !isOwn(line));
  const outer = frames.findIndex((line, at) => at > first && isOwn(line));
  const chosen = first === -1 ? frames : frames.slice(first, outer === -1 ? void 0 : outer);
  return chosen.slice(0, MAX_FRAMES).map((line) => line.trim().slice(3, MAX_FRAME_LENGTH));
}

// packages/manager/src/event-loop/await-tracer.ts
var AwaitTracer = class {
  #options;
  #hook;
  /** The stacks at which the promises and other resources of runs were created. */
  #created = /* @__PURE__ */ new WeakMap();
  /** The ids of the parts that run, the outermost first, and when each started. */
  #ids = [];
  #startedAt = [];
  #isOn = false;
  constructor(options) {
    this.#options = options;
    const { now, origin } = options;
    this.#hook = createHook({
      init: (_id, _type, _trigger, resource) => {
        if (origin() === void 0) return;
        const created = {};
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
  /** Has no effect while the hooks are on. */
  start() {
    if (this.#isOn) return;
    this.#isOn = true;
    this.#hook.enable();
  }
  stop() {
    this.#isOn = false;
    this.#hook.disable();
    this.#ids.length = 0;
    this.#startedAt.length = 0;
  }
  #ended(id) {
    const at = this.#ids.lastIndexOf(id);
    if (at === -1) return;
    const startedAt = this.#startedAt[at];
    this.#ids.length = at;
    this.#startedAt.length = at;
    const endedAt = this.#options.now();
    if (endedAt - startedAt < this.#options.warnAfter) return;
    const run = this.#options.origin();
    run?.blocked?.({ startedAt, endedAt, awaitedAt: this.#lastAwait() });
  }
  /** The frames at which the current part began to wait. */
  #lastAwait() {
    try {
      const stack = this.#created.get(executionAsyncResource())?.stack;
      return stack === void 0 ? void 0 : userFrames(stack);
    } catch {
      return void 0;
    }
  }
};

// packages/manager/src/event-loop/loop-watchdog.ts
var LoopWatchdog = class {
  #options;
  #timer;
  #checkedAt = 0;
  #cpu;
  constructor(options) {
    this.#options = options;
  }
  /** Begins the checks. Has no effect while they happen. */
  start() {
    if (this.#timer !== void 0) return;
    this.#begin();
    this.#timer = setInterval(() => this.#check(), this.#options.interval).unref();
  }
  stop() {
    clearInterval(this.#timer);
    this.#timer = void 0;
  }
  #begin() {
    this.#checkedAt = this.#options.now();
    this.#cpu = process.cpuUsage();
  }
  #check() {
    const { interval, now, check: check4 } = this.#options;
    const startedAt = this.#checkedAt;
    const endedAt = now();
    const { user, system } = process.cpuUsage(this.#cpu);
    this.#begin();
    const cpuMs = (user + system) / 1e3;
    const lateMs = endedAt - startedAt - interval;
    if (!check4({ startedAt, endedAt, lateMs, cpuMs })) this.stop();
  }
};

// packages/manager/src/event-loop/user-calls.ts
var UserCalls = class {
  /** The name of the controller or runnable. */
  name;
  /** Milliseconds from which a call is reported. */
  warnAfter;
  #host;
  #owner;
  constructor(host, owner) {
    this.name = owner.name;
    this.warnAfter = host.warnAfter;
    this.#host = host;
    this.#owner = owner;
  }
  /** A run has begun. Until its end it may block the event loop. */
  began(run) {
    this.#host.began(run);
  }
  ended(run) {
    this.#host.ended(run);
  }
  /** Counts a call that blocked the event loop, and logs it, at most once a minute for its role and source. */
  report({ role, source, facts }, span) {
    const ms = this.#host.unreported(span);
    if (ms === void 0) return;
    const { name, log, blocked } = this.#owner;
    blocked(role, ms);
    const suppressed = this.#host.admit(`${name}
${role}
${source ?? ''}`);
    if (suppressed === void 0) return;
    const { awaitedAt } = span;
    const known = {
      role,
      ...(source !== void 0 && { source }),
      ...facts,
      blockedMs: Math.round(ms),
      ...(awaitedAt !== void 0 && { awaitedAt }),
      suppressed,
    };
    log.warn(known, 'user code blocked the event loop');
  }
};

// packages/manager/src/event-loop/warning-limit.ts
var INTERVAL_MS = 6e4;
var MAX_NAMES = 500;
var WarningLimit = class {
  #now;
  /** The least recently admitted name is first. */
  #admitted = /* @__PURE__ */ new Map();
  constructor(now) {
    this.#now = now;
  }
  /** The number of warnings of this name that were left out since its last one; `undefined` if this one is left out. */
  admit(name) {
    const now = this.#now();
    const last = this.#admitted.get(name);
    if (last !== void 0 && now - last.at < INTERVAL_MS) {
      last.suppressed += 1;
      return void 0;
    }
    this.#admitted.delete(name);
    this.#admitted.set(name, { at: now, suppressed: 0 });
    if (this.#admitted.size > MAX_NAMES) this.#forgetOldest();
    return last?.suppressed ?? 0;
  }
  #forgetOldest() {
    for (const name of this.#admitted.keys()) {
      this.#admitted.delete(name);
      return;
    }
  }
};

// packages/manager/src/event-loop/event-loop-watch.ts
var MAX_CANDIDATES = 16;
var MAX_SPANS = 64;
var LEAST_INTERVAL_MS = 10;
var LONGEST_INTERVAL_MS = 1e3;
var EventLoopWatch = class {
  /** Milliseconds from which a call is reported. */
  warnAfter;
  #options;
  #limit;
  #watchdog;
  #tracer;
  #running = /* @__PURE__ */ new Set();
  /** The last runs that ended since the last check, in a ring. */
  #ended = [];
  #endedCount = 0;
  /** The last reported spans since the last check. */
  #spans = [];
  #isOn;
  constructor(options) {
    const { settings, origin, now = () => performance.now() } = options;
    const { warnAfter } = settings;
    this.#options = options;
    this.warnAfter = warnAfter;
    this.#isOn = warnAfter !== Infinity;
    this.#limit = new WarningLimit(now);
    this.#watchdog = new LoopWatchdog({
      interval: Math.min(LONGEST_INTERVAL_MS, Math.max(LEAST_INTERVAL_MS, warnAfter / 2)),
      now,
      check: (check4) => this.#check(check4),
    });
    if (settings.traceAwaits) this.#tracer = new AwaitTracer({ warnAfter, origin, now });
  }
  /** The reporter of the calls of one component. */
  calls(owner) {
    return new UserCalls(this, owner);
  }
  began(run) {
    if (!this.#isOn) return;
    if (this.#running.size === 0) this.#start();
    this.#running.add(run);
  }
  ended(run) {
    if (!this.#running.delete(run)) return;
    this.#ended[this.#endedCount % MAX_CANDIDATES] = run;
    this.#endedCount += 1;
  }
  /** Ends the reports, also those of runs that outlive the manager. */
  stop() {
    this.#isOn = false;
    this.#watchdog.stop();
    this.#tracer?.stop();
    this.#running.clear();
    this.#forget();
  }
  /**
   * The milliseconds of a span that no inner call was reported for; `undefined` if they are too few for a report. Else
   * the span counts as reported. `busyMs`: how long the event loop was busy in it; default all the time.
   */
  unreported(span, busyMs = span.endedAt - span.startedAt) {
    if (!this.#isOn) return void 0;
    const ms = busyMs - this.#reportedIn(span);
    if (ms < this.warnAfter) return void 0;
    if (this.#spans.length === MAX_SPANS) this.#spans.shift();
    this.#spans.push(span);
    return ms;
  }
  /** The number of warnings of this name that were left out since its last one; `undefined` if this one is left out. */
  admit(name) {
    return this.#limit.admit(name);
  }
  #start() {
    this.#watchdog.start();
    this.#tracer?.start();
  }
  #reportedIn({ startedAt, endedAt }) {
    let ms = 0;
    let from = endedAt;
    for (const inner of this.#spans.toReversed()) {
      if (inner.endedAt > from || inner.startedAt < startedAt) continue;
      ms += inner.endedAt - inner.startedAt;
      from = inner.startedAt;
    }
    return ms;
  }
  #check({ lateMs, cpuMs, ...span }) {
    const ms = lateMs < this.warnAfter ? void 0 : this.unreported(span, lateMs);
    if (ms !== void 0) this.#reportUnknown(ms, cpuMs);
    this.#forget();
    return this.#running.size > 0;
  }
  #reportUnknown(ms, cpuMs) {
    const { log, blocked } = this.#options;
    blocked(ms);
    const suppressed = this.admit('');
    if (suppressed === void 0) return;
    const runs = [...this.#running, ...this.#ended];
    const facts = {
      blockedMs: Math.round(ms),
      cpuMs: Math.round(cpuMs),
      candidates: runs.slice(0, MAX_CANDIDATES).map(({ title }) => title),
      others: Math.max(0, this.#running.size + this.#endedCount - MAX_CANDIDATES),
      suppressed,
    };
    log.warn(facts, 'event loop was blocked, perhaps by one of these runs');
  }
  #forget() {
    this.#ended.length = 0;
    this.#endedCount = 0;
    this.#spans.length = 0;
  }
};

// packages/manager/src/metrics/client-metrics.ts
function clientMetrics(scope) {
  return {
    requestEnded({ method, host }, { code, duration }) {
      scope.counter('requests', { code: String(code), method, host }).inc();
      scope.histogram('requestDuration', { verb: method, host }).observe(duration / 1e3);
    },
    warning() {
      scope.counter('apiWarnings').inc();
    },
    protobufRefused() {
      scope.counter('protobufRefusals').inc();
    },
    requestRetried({ method, host }, { code }) {
      scope.counter('requestRetries', { code: String(code), verb: method, host }).inc();
    },
  };
}

// packages/manager/src/metrics/bounded-label.ts
var BoundedLabel = class {
  #seen = /* @__PURE__ */ new Map();
  #limit;
  #overflow;
  #hasOverflown = false;
  constructor(limit, overflow) {
    this.#limit = limit;
    this.#overflow = overflow;
  }
  of(value) {
    const known = this.#seen.get(value);
    if (known !== void 0) return known;
    if (this.#seen.size >= this.#limit) {
      this.#hasOverflown = true;
      return this.#overflow;
    }
    const label = String(value);
    this.#seen.set(value, label);
    return label;
  }
  /** Every label that `of` has returned. */
  seen() {
    return [...this.#seen.values(), ...(this.#hasOverflown ? [this.#overflow] : [])];
  }
};

// packages/manager/src/metrics/controller-metrics.ts
var EXACT_PRIORITIES = 25;
var EXACT_PAIRS = 25;
var ControllerMetrics = class {
  queue;
  #scope;
  #onRemoved;
  #priorities = new BoundedLabel(EXACT_PRIORITIES, 'other');
  #results;
  #failures;
  #pairs = new BoundedLabel(EXACT_PAIRS, 'other\nother');
  #handlerErrors;
  #delayedEvents;
  #reconcileTime;
  #apiToReconcile;
  #handlerDuration;
  #reading;
  constructor(scope, purged, onRemoved) {
    this.#scope = scope;
    this.#onRemoved = onRemoved;
    const result = (label) => scope.counter('reconciles', { result: label });
    this.#results = {
      success: result('success'),
      error: result('error'),
      requeue: result('requeue'),
      requeue_after: result('requeue_after'),
    };
    this.#failures = {
      error: scope.counter('reconcileErrors'),
      terminal: scope.counter('terminalErrors'),
      panic: scope.counter('panics'),
      deadLetter: scope.counter('deadLetters'),
      queueFunction: scope.counter('queueFunctionErrors'),
      invalid: scope.counter('invalidResults'),
      timeout: scope.counter('timeouts'),
    };
    this.#handlerErrors = scope.counter('handlerErrors');
    this.#delayedEvents = scope.counter('delayedEvents');
    this.#reconcileTime = scope.histogram('reconcileTime');
    this.#apiToReconcile = scope.histogram('apiToReconcile');
    this.#handlerDuration = scope.histogram('handlerDuration');
    this.queue = queueObserver(scope, purged);
    this.#priorities.of(0);
  }
  attach(reading) {
    this.#reading = reading;
  }
  reconcileStarted(waitedMs) {
    if (waitedMs !== void 0) this.#apiToReconcile.observe(waitedMs / 1e3);
  }
  reconcileEnded(result, durationMs) {
    this.#results[result].inc();
    if (result === 'error') this.#failures.error.inc();
    this.#reconcileTime.observe(durationMs / 1e3);
  }
  terminalError() {
    this.#failures.terminal.inc();
  }
  deadLetter() {
    this.#failures.deadLetter.inc();
  }
  queueFunctionFailed() {
    this.#failures.queueFunction.inc();
  }
  panic() {
    this.#failures.panic.inc();
  }
  invalidResult() {
    this.#failures.invalid.inc();
  }
  timedOut() {
    this.#failures.timeout.inc();
  }
  sourceError() {
    this.#handlerErrors.inc();
  }
  eventHandled(durationMs) {
    this.#handlerDuration.observe(durationMs / 1e3);
  }
  eventDelayed() {
    this.#delayedEvents.inc();
  }
  fieldManagersFight(managers) {
    const [manager = '', other = ''] = this.#pairs.of(managers.join('\n')).split('\n');
    this.#scope.counter('managerFights', { manager, other_manager: other }).inc();
  }
  /** The series of a role exists from its first report on, because most controllers have none. */
  blocked(role, ms) {
    this.#scope.histogram('eventLoopBlocked', { role }).observe(ms / 1e3);
  }
  removed() {
    this.#scope.close();
    this.#onRemoved();
  }
  /** Sets a gauge to one number of the controller. */
  read(set, name, value) {
    if (this.#reading !== void 0) set({ name, controller: name }, value(this.#reading));
  }
  /** Sets the number of requests that wait for a worker, by their async-iterable source. */
  readPending(set, controller) {
    for (const [source, count2] of this.#reading?.pending() ?? [])
      set({ controller, source }, count2);
  }
  /** Sets the number of ready requests by priority. A priority that occurred once keeps its series. */
  readDepths(set, name) {
    const depths = /* @__PURE__ */ new Map();
    for (const [priority, depth] of this.#reading?.depths() ?? []) {
      const label = this.#priorities.of(priority);
      depths.set(label, (depths.get(label) ?? 0) + depth);
    }
    for (const priority of this.#priorities.seen()) {
      set({ name, controller: name, priority }, depths.get(priority) ?? 0);
    }
  }
};
function queueObserver(scope, purged) {
  const adds = scope.counter('queueAdds');
  const retries = scope.counter('queueRetries');
  const queued = scope.histogram('queueDuration');
  const held = scope.histogram('workDuration');
  return {
    added: () => adds.inc(),
    retried: () => retries.inc(),
    taken: (_priority, queuedMs) => queued.observe(queuedMs / 1e3),
    finished: (heldMs) => held.observe(heldMs / 1e3),
    purged: (count2) => purged.inc(count2),
  };
}

// packages/manager/src/metrics/metric-set.ts
import { invalidOption as invalidOption28 } from '@keelson/apimachinery';

// packages/manager/src/metrics/metric-definition.ts
var bounds = {
  /** Those of controller-runtime for reconciles. */
  reconcile: [
    5e-3, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1,
    1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
  ],
  /** Those of controller-runtime for queues: 10e-9 · 10^k, k = 0…11. */
  queue: [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1, 10, 100, 1e3],
  /** Those of client-go for requests. */
  request: [5e-3, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60],
  path: [1e-4, 25e-5, 5e-4, 1e-3, 25e-4, 5e-3, 0.01, 0.05, 0.1, 0.5, 1, 5],
  blocking: [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  handler: [1e-5, 5e-5, 1e-4, 5e-4, 1e-3, 5e-3, 0.01, 0.05, 0.1, 1],
};
function bucketsOf({ buckets }) {
  return buckets === void 0 ? [] : [...bounds[buckets]];
}
function labelsFor({ labels }, known) {
  const own3 = Object.fromEntries(labels.map((label) => [label, known[label] ?? '']));
  const { cluster } = known;
  return cluster === void 0 ? own3 : { ...own3, cluster };
}

// packages/manager/src/metrics/kind-metrics.ts
var kindMetrics = {
  watches: {
    type: 'gauge',
    name: 'keelson_watches',
    help: 'Watches by state.',
    labels: ['group', 'version', 'resource', 'state'],
  },
  watchesIntended: {
    type: 'gauge',
    name: 'keelson_watches_intended',
    help: 'Watches that at least one handle holds.',
    labels: ['group', 'version', 'resource'],
  },
  watchHandles: {
    type: 'gauge',
    name: 'keelson_watch_handles',
    help: 'Handles on watches.',
    labels: ['group', 'version', 'resource'],
  },
  storeObjects: {
    type: 'gauge',
    name: 'keelson_store_objects',
    help: 'Objects kept.',
    labels: ['group', 'version', 'resource'],
  },
  storeBytes: {
    type: 'gauge',
    name: 'keelson_store_bytes',
    help: 'Bytes kept for objects, estimated.',
    labels: ['group', 'version', 'resource'],
  },
  lastEventAge: {
    type: 'gauge',
    name: 'keelson_watch_last_event_age_seconds',
    help: 'Time since the last frame of a watch stream; the longest of the resource.',
    labels: ['group', 'version', 'resource'],
  },
  watchVersion: {
    type: 'gauge',
    name: 'keelson_watch_resource_version',
    help: 'The resourceVersion that a watch has reached; the oldest of the resource.',
    labels: ['group', 'version', 'resource'],
  },
  lists: {
    type: 'counter',
    name: 'keelson_lists_total',
    help: 'Lists and WatchLists by cause.',
    labels: ['group', 'version', 'resource', 'cause'],
  },
  watchRestarts: {
    type: 'counter',
    name: 'keelson_watch_restarts_total',
    help: 'Watch streams that were reopened, by cause.',
    labels: ['group', 'version', 'resource', 'cause'],
  },
  events: {
    type: 'counter',
    name: 'keelson_events_total',
    help: 'Changes of stored objects.',
    labels: ['group', 'version', 'resource', 'type'],
  },
  ownWrites: {
    type: 'gauge',
    name: 'keelson_own_writes',
    help: 'Own writes that reads return although the watch has not received them.',
    labels: ['group', 'version', 'resource'],
  },
  ownWritesEnded: {
    type: 'counter',
    name: 'keelson_own_writes_ended_total',
    help: 'Own writes that reads no longer return from the response, by cause.',
    labels: ['group', 'version', 'resource', 'cause'],
  },
  ownWriteLag: {
    type: 'histogram',
    name: 'keelson_own_write_lag_seconds',
    help: 'Time from the response of an own write until the watch reached it.',
    labels: ['group', 'version', 'resource'],
    buckets: 'path',
  },
};

// packages/manager/src/metrics/metrics.ts
var commonMetrics = {
  reconciles: {
    type: 'counter',
    name: 'controller_runtime_reconcile_total',
    help: 'Reconciles by result.',
    labels: ['controller', 'result'],
  },
  reconcileErrors: {
    type: 'counter',
    name: 'controller_runtime_reconcile_errors_total',
    help: 'Reconciles that failed.',
    labels: ['controller'],
  },
  terminalErrors: {
    type: 'counter',
    name: 'controller_runtime_terminal_reconcile_errors_total',
    help: 'Reconciles that failed with a terminal error, which is not retried.',
    labels: ['controller'],
  },
  deadLetters: {
    type: 'counter',
    name: 'keelson_dead_letters_total',
    help: 'Requests that were given up, after maxAttempts or a terminal error.',
    labels: ['controller'],
  },
  queueFunctionErrors: {
    type: 'counter',
    name: 'keelson_queue_function_errors_total',
    help: 'Errors of groupOf, weightOf, rateLimiter, errorPolicy and onDeadLetter.',
    labels: ['controller'],
  },
  panics: {
    type: 'counter',
    name: 'controller_runtime_reconcile_panics_total',
    help: 'Reconciles that threw an error of the language, a failed assertion, or a value that is not an Error.',
    labels: ['controller'],
  },
  timeouts: {
    type: 'counter',
    name: 'controller_runtime_reconcile_timeouts_total',
    help: 'Reconciles that exceeded the timeout of their controller.',
    labels: ['controller'],
  },
  reconcileTime: {
    type: 'histogram',
    name: 'controller_runtime_reconcile_time_seconds',
    help: 'How long reconciles took.',
    labels: ['controller'],
    buckets: 'reconcile',
  },
  maxConcurrent: {
    type: 'gauge',
    name: 'controller_runtime_max_concurrent_reconciles',
    help: 'How many reconciles may run at the same time.',
    labels: ['controller'],
  },
  activeWorkers: {
    type: 'gauge',
    name: 'controller_runtime_active_workers',
    help: 'Reconciles that run.',
    labels: ['controller'],
  },
  queueDepth: {
    type: 'gauge',
    name: 'workqueue_depth',
    help: 'Ready requests by priority; priorities after the first 25 share the series "other".',
    labels: ['name', 'controller', 'priority'],
  },
  queueAdds: {
    type: 'counter',
    name: 'workqueue_adds_total',
    help: 'Requests that became ready.',
    labels: ['name', 'controller'],
  },
  queueRetries: {
    type: 'counter',
    name: 'workqueue_retries_total',
    help: 'Requests queued with a delay.',
    labels: ['name', 'controller'],
  },
  queueDuration: {
    type: 'histogram',
    name: 'workqueue_queue_duration_seconds',
    help: 'How long requests were ready before a worker took them.',
    labels: ['name', 'controller'],
    buckets: 'queue',
  },
  workDuration: {
    type: 'histogram',
    name: 'workqueue_work_duration_seconds',
    help: 'How long workers held requests.',
    labels: ['name', 'controller'],
    buckets: 'queue',
  },
  unfinishedWork: {
    type: 'gauge',
    name: 'workqueue_unfinished_work_seconds',
    help: 'How long workers have held the current requests, summed over the requests.',
    labels: ['name', 'controller'],
  },
  longestRunning: {
    type: 'gauge',
    name: 'workqueue_longest_running_processor_seconds',
    help: 'How long a worker has held its current request; the longest.',
    labels: ['name', 'controller'],
  },
  requests: {
    type: 'counter',
    name: 'rest_client_requests_total',
    help: 'Requests to the API server, each attempt counted.',
    labels: ['code', 'method', 'host'],
  },
  requestDuration: {
    type: 'histogram',
    name: 'rest_client_request_duration_seconds',
    help: 'Time until the API server began its responses; verb is the HTTP method.',
    labels: ['verb', 'host'],
    buckets: 'request',
  },
  requestRetries: {
    type: 'counter',
    name: 'rest_client_request_retries_total',
    help: 'Requests tried again, by the code of the attempt before; verb is the HTTP method.',
    labels: ['code', 'verb', 'host'],
  },
  apiWarnings: {
    type: 'counter',
    name: 'keelson_api_warnings_total',
    help: 'Warnings that the API server sent with its responses.',
    labels: [],
  },
  protobufRefusals: {
    type: 'counter',
    name: 'keelson_protobuf_refusals_total',
    help: 'Kinds that a client reads as JSON, because it could not read their protobuf.',
    labels: [],
  },
  pinnedBytes: {
    type: 'gauge',
    name: 'keelson_pinned_bytes',
    help: 'Bytes of objects that no store contains: of kept views, and of objects that await garbage collection.',
    labels: [],
  },
  budgetBytes: {
    type: 'gauge',
    name: 'keelson_memory_budget_bytes',
    help: 'Limits of the memory of cached objects.',
    labels: ['budget'],
  },
  budgetUsed: {
    type: 'gauge',
    name: 'keelson_memory_budget_used_bytes',
    help: 'Memory of the cached objects that a budget limits.',
    labels: ['budget'],
  },
  leaderStatus: {
    type: 'gauge',
    name: 'leader_election_master_status',
    help: '1 while this process holds the Lease of this name, else 0.',
    labels: ['name'],
  },
  leaderSlowPath: {
    type: 'counter',
    name: 'leader_election_slowpath_total',
    help: 'Renewals of the Lease that met a conflict and read it first.',
    labels: ['name'],
  },
  certificateReads: {
    type: 'counter',
    name: 'certwatcher_read_certificate_total',
    help: 'Reads of the certificate files of the servers.',
    labels: [],
  },
  certificateErrors: {
    type: 'counter',
    name: 'certwatcher_read_certificate_errors_total',
    help: 'Reads of certificate files that were missing, invalid, or did not match.',
    labels: [],
  },
  handlerErrors: {
    type: 'counter',
    name: 'keelson_handler_errors_total',
    help: 'Predicates, mappers and sources that threw.',
    labels: ['controller'],
  },
  delayedEvents: {
    type: 'counter',
    name: 'keelson_delayed_events_total',
    help: 'Events beyond the eventRate of their objects, whose requests were delayed.',
    labels: ['controller'],
  },
  managerFights: {
    type: 'counter',
    name: 'keelson_field_manager_fights_total',
    help: 'Objects that two field managers overwrite by turns; pairs after the first 25 share the series "other".',
    labels: ['controller', 'manager', 'other_manager'],
  },
  sourcePending: {
    type: 'gauge',
    name: 'keelson_source_pending_requests',
    help: 'Requests of async-iterable sources that wait for a worker.',
    labels: ['controller', 'source'],
  },
  handlerDuration: {
    type: 'histogram',
    name: 'keelson_handler_duration_seconds',
    help: 'How long it took to filter and map an event.',
    labels: ['controller'],
    buckets: 'handler',
  },
  collectorErrors: {
    type: 'counter',
    name: 'keelson_collector_errors_total',
    help: 'Metrics left out of a scrape because their collector threw or hung.',
    labels: [],
  },
  invalidResults: {
    type: 'counter',
    name: 'keelson_invalid_results_total',
    help: 'Invalid results of reconciles, which were treated as no result.',
    labels: ['controller'],
  },
  logErrors: {
    type: 'counter',
    name: 'keelson_log_errors_total',
    help: 'Lines that were not written because the logger threw.',
    labels: [],
  },
  requestsPurged: {
    type: 'counter',
    name: 'keelson_requests_purged_total',
    help: 'Queued requests dropped because only a removed watch had queued them.',
    labels: [],
  },
  lingerReuses: {
    type: 'counter',
    name: 'keelson_linger_reuses_total',
    help: 'Watches acquired again before their linger time expired.',
    labels: [],
  },
  eventLoopDelay: {
    type: 'summary',
    name: 'keelson_event_loop_delay_seconds',
    help: 'Delay of the event loop. The quantiles cover the last one to two minutes; quantile 1 is the longest delay.',
    labels: [],
  },
  eventLoopBlocked: {
    type: 'histogram',
    name: 'keelson_event_loop_blocked_seconds',
    help: 'How long user code blocked the event loop, for each time beyond the limit.',
    labels: ['controller', 'role'],
    buckets: 'blocking',
  },
  apiToReconcile: {
    type: 'histogram',
    name: 'keelson_api_to_reconcile_seconds',
    help: "Time from an event's arrival at the socket to the start of its reconcile.",
    labels: ['controller'],
    buckets: 'path',
  },
};
var metrics = {
  ...commonMetrics,
  ...kindMetrics,
};

// packages/manager/src/metrics/read-metric.ts
function readGauge(definition, own3, read3) {
  const samples = () => {
    const found = /* @__PURE__ */ new Map();
    read3((known, value) => {
      const labels = labelsFor(definition, known);
      found.set(Object.values(labels).join('\n'), { labels: { ...labels, ...own3 }, value });
    });
    return [...found.values()];
  };
  return { samples, reset: () => void 0 };
}
function readSummary(own3, read3) {
  const samples = (name) => {
    const { quantiles, sum, count: count2 } = read3();
    const values = Object.entries(quantiles).map(([quantile, value]) => ({
      labels: { quantile, ...own3 },
      value,
    }));
    return [
      ...values,
      { metricName: `${name}_sum`, labels: own3, value: sum },
      { metricName: `${name}_count`, labels: own3, value: count2 },
    ];
  };
  return { samples, reset: () => void 0 };
}

// packages/manager/src/metrics/registered-metric.ts
var RegisteredMetric = class _RegisteredMetric {
  /** The registry renames counters of the OpenMetrics format. */
  name;
  help;
  type;
  aggregator = 'sum';
  #parts = /* @__PURE__ */ new Map();
  constructor({ name, help, type }) {
    this.name = name;
    this.help = help;
    this.type = type;
  }
  /** Returns the metric of a definition, if managers have registered it. */
  static find(registry2, { name }) {
    const found = registry2.getSingleMetric(name);
    return found instanceof _RegisteredMetric ? found : void 0;
  }
  /** Adds the values of a manager to a metric, which is registered if no other manager has done so. */
  static join(registry2, definition, manager, part) {
    let metric = _RegisteredMetric.find(registry2, definition);
    if (metric === void 0) {
      metric = new _RegisteredMetric(definition);
      registry2.registerMetric(metric);
    }
    metric.#parts.set(manager, part);
  }
  /** Removes the values of a manager. The metric is removed with those of the last manager. */
  static leave(registry2, definition, manager) {
    const metric = _RegisteredMetric.find(registry2, definition);
    if (metric === void 0) return;
    metric.#parts.delete(manager);
    if (metric.#parts.size === 0) registry2.removeSingleMetric(definition.name);
  }
  /** True if the metric has the values of a manager of this name. */
  has(manager) {
    return this.#parts.has(manager);
  }
  /** Returns the values in the form of prom-client. */
  async get() {
    const { name, help, type, aggregator } = this;
    const values = [...this.#parts.values()].flatMap((part) => part.samples(name));
    return { name, help, type, aggregator, values };
  }
  /** Sets every counted value to 0, for `Registry.resetMetrics`. */
  reset() {
    for (const part of this.#parts.values()) part.reset();
  }
};

// packages/manager/src/metrics/series-metric.ts
var SeriesMetric = class {
  #definition;
  #create;
  #series = /* @__PURE__ */ new Set();
  constructor(definition, create) {
    this.#definition = definition;
    this.#create = create;
  }
  /** Creates a series that starts at 0. It is not part of the metric before `add`. */
  create(known) {
    return this.#create(labelsFor(this.#definition, known));
  }
  add(series) {
    this.#series.add(series);
  }
  /** Removes a series. Measurements that its owner still makes have no effect. */
  remove(series) {
    this.#series.delete(series);
  }
  samples(name) {
    return [...this.#series].flatMap((series) => series.samples(name));
  }
  reset() {
    for (const series of this.#series) series.reset();
  }
};

// packages/manager/src/metrics/series-scope.ts
var SeriesScope = class {
  #metrics;
  #labels;
  #series = /* @__PURE__ */ new Map();
  #removals = [];
  #closed = false;
  constructor(metrics2, labels) {
    this.#metrics = metrics2;
    this.#labels = labels;
  }
  /** Returns the series of a counter. Frequent callers keep it, because this method searches it. */
  counter(key, extra = {}) {
    return this.#open(key, extra);
  }
  /** Returns the series of a histogram. Frequent callers keep it, because this method searches it. */
  histogram(key, extra = {}) {
    return this.#open(key, extra);
  }
  close() {
    this.#closed = true;
    for (const remove of this.#removals.splice(0)) remove();
    this.#series.clear();
  }
  #open(key, extra) {
    const id = [key, ...Object.values(extra)].join('\n');
    const known = this.#series.get(id);
    if (known !== void 0) return known;
    const metric = this.#metrics.get(key);
    const series = metric.create({ ...this.#labels, ...extra });
    if (this.#closed) return series;
    metric.add(series);
    this.#series.set(id, series);
    this.#removals.push(() => metric.remove(series));
    return series;
  }
};

// packages/manager/src/metrics/series.ts
var CountedSeries = class {
  #labels;
  #count = 0;
  constructor(labels) {
    this.#labels = labels;
  }
  inc(by = 1) {
    this.#count += by;
  }
  samples() {
    return [{ labels: this.#labels, value: this.#count }];
  }
  reset() {
    this.#count = 0;
  }
};
var ObservedSeries = class {
  #labels;
  /** The upper bounds of the buckets in seconds, in ascending order. */
  #bounds;
  /** The number of durations per bucket; the last one is of the durations beyond all bounds. */
  #counts;
  #sum = 0;
  constructor(labels, bounds2) {
    this.#labels = labels;
    this.#bounds = bounds2;
    this.#counts = [...bounds2, Infinity].map(() => 0);
  }
  observe(seconds) {
    const bounds2 = this.#bounds;
    let bucket = 0;
    while (bucket < bounds2.length && seconds > bounds2[bucket]) bucket += 1;
    this.#counts[bucket] = this.#counts[bucket] + 1;
    this.#sum += seconds;
  }
  samples(name) {
    const labels = this.#labels;
    let count2 = 0;
    const buckets = this.#counts.map((inBucket, index) => {
      count2 += inBucket;
      const le = this.#bounds[index] ?? '+Inf';
      return { labels: { le, ...labels }, value: count2, metricName: `${name}_bucket` };
    });
    return [
      ...buckets,
      { labels, value: this.#sum, metricName: `${name}_sum` },
      { labels, value: count2, metricName: `${name}_count` },
    ];
  }
  reset() {
    this.#counts.fill(0);
    this.#sum = 0;
  }
};

// packages/manager/src/metrics/metric-set.ts
var MetricSet = class {
  #registry;
  #manager;
  /** The labels of every series: the name of the manager, if it has one. */
  #own;
  /** The counters and histograms. */
  #measured = /* @__PURE__ */ new Map();
  constructor(registry2, readers, manager) {
    this.#registry = registry2;
    this.#manager = manager;
    this.#own = manager === void 0 ? {} : { manager };
    checkFree(registry2, manager);
    for (const key of Object.keys(metrics)) {
      RegisteredMetric.join(registry2, metrics[key], manager, this.#part(key, readers));
    }
  }
  /** Opens the series of one component, such as a controller or a watch. `close` removes them. */
  scope(labels) {
    return new SeriesScope(this.#measured, labels);
  }
  /** Removes the values of this manager from the registry, which may be the user's. */
  close() {
    for (const definition of Object.values(metrics)) {
      RegisteredMetric.leave(this.#registry, definition, this.#manager);
    }
  }
  /** True if a registry has the values of a manager. */
  static isOn(registry2) {
    return Object.values(metrics).some((one) => RegisteredMetric.find(registry2, one) !== void 0);
  }
  #part(key, readers) {
    const definition = metrics[key];
    switch (definition.type) {
      case 'counter':
        return this.#series(key, (labels) => new CountedSeries(labels));
      case 'histogram': {
        const bounds2 = bucketsOf(definition);
        return this.#series(key, (labels) => new ObservedSeries(labels, bounds2));
      }
      case 'gauge':
        return readGauge(definition, this.#own, readers.gauges[key]);
      case 'summary':
        return readSummary(this.#own, readers.summaries[key]);
    }
  }
  #series(key, create) {
    const metric = new SeriesMetric(metrics[key], (labels) => create({ ...labels, ...this.#own }));
    this.#measured.set(key, metric);
    return metric;
  }
};
function checkFree(registry2, manager) {
  for (const definition of Object.values(metrics)) {
    const { name } = definition;
    const shared = RegisteredMetric.find(registry2, definition);
    if (shared?.has(manager) === true) {
      throw invalidOption28('createManager.name', 'must differ between managers of one registry', {
        manager: manager ?? '',
      });
    }
    if (shared !== void 0 || registry2.getSingleMetric(name) === void 0) continue;
    throw invalidOption28('createManager.registry', 'has a metric of this name already', { name });
  }
}

// packages/manager/src/metrics/process/process-metrics.ts
import { setImmediate as nextTurn } from 'node:timers/promises';
import { loadOnce } from '@keelson/apimachinery';
var unsafe2 = [
  'nodejs_active_handles',
  'nodejs_active_handles_total',
  'nodejs_active_requests',
  'nodejs_active_requests_total',
];
var ProcessMetric = class {
  /** The registry renames counters of the OpenMetrics format. */
  name;
  id;
  help;
  type;
  aggregator;
  #metric;
  constructor(id, metric) {
    const { help, type, aggregator } = metric;
    this.name = id;
    this.id = id;
    this.help = String(help);
    this.type = type;
    this.aggregator = aggregator;
    this.#metric = metric;
  }
  async get() {
    return { ...(await this.#metric.get()), name: this.name };
  }
  reset() {
    this.#metric.reset();
  }
};
var collected = loadOnce(async () => {
  const promClient = await import('prom-client');
  const registry2 = new promClient.Registry();
  promClient.collectDefaultMetrics({ register: registry2 });
  for (const name of unsafe2) registry2.removeSingleMetric(name);
  replaceLag(registry2, promClient);
  return registry2.getMetricsAsArray().map(({ name }) => {
    return new ProcessMetric(name, registry2.getSingleMetric(name));
  });
});
async function shareProcessMetrics(registry2) {
  for (const metric of await collected()) {
    if (registry2.getSingleMetric(metric.id) !== void 0) continue;
    metric.name = metric.id;
    registry2.registerMetric(metric);
  }
}
function removeProcessMetrics(registry2) {
  for (const metric of registry2.getMetricsAsArray()) {
    if (metric instanceof ProcessMetric) registry2.removeSingleMetric(metric.id);
  }
}
var lags = {
  min: ({ min }) => min,
  max: ({ max }) => max,
  mean: ({ mean }) => mean,
  stddev: ({ stddev }) => stddev,
  p50: (recent) => recent.percentile(50),
  p90: (recent) => recent.percentile(90),
  p99: (recent) => recent.percentile(99),
};
function replaceLag(registry2, { Gauge }) {
  const monitor = new EventLoopDelayMonitor();
  monitor.start();
  replace('nodejs_eventloop_lag_seconds', async () => {
    const startedAt = performance.now();
    await nextTurn();
    return (performance.now() - startedAt) / 1e3;
  });
  for (const [name, read3] of Object.entries(lags)) {
    replace(`nodejs_eventloop_lag_${name}_seconds`, () => lagSeconds(monitor.recent, read3));
  }
  function replace(name, value) {
    const { help = name } = registry2.getSingleMetric(name) ?? {};
    registry2.removeSingleMetric(name);
    const collect = async () => gauge.set(await value());
    const gauge = new Gauge({ name, help, registers: [registry2], collect });
  }
}
function lagSeconds(recent, read3) {
  return recent.count === 0 ? 0 : read3(recent) / 1e9;
}

// packages/manager/src/metrics/watch-metrics.ts
import { resourceId as resourceId11 } from '@keelson/apimachinery';
var WatchMetrics = class {
  #openScope;
  #lingerReuses;
  #resources = /* @__PURE__ */ new Map();
  #watches = /* @__PURE__ */ new Map();
  constructor(openScope, lingerReuses) {
    this.#openScope = openScope;
    this.#lingerReuses = lingerReuses;
  }
  watchStarted(watch) {
    const { resource } = watch.query;
    const id = resourceId11(resource);
    const series = this.#resources.get(id) ?? openSeries(this.#openScope(labelsOf(resource)));
    series.watches += 1;
    this.#resources.set(id, series);
    this.#watches.set(watch, series);
  }
  watchStopped(watch) {
    const series = this.#watches.get(watch);
    if (series === void 0) return;
    this.#watches.delete(watch);
    series.watches -= 1;
    if (series.watches > 0) return;
    series.scope.close();
    this.#resources.delete(resourceId11(watch.query.resource));
  }
  listing(watch, cause) {
    this.#watches.get(watch)?.scope.counter('lists', { cause }).inc();
  }
  restarting(watch, cause) {
    this.#watches.get(watch)?.scope.counter('watchRestarts', { cause }).inc();
  }
  event(watch, type) {
    this.#watches.get(watch)?.events[type].inc();
  }
  ownWriteEnded(watch, cause, age) {
    const scope = this.#watches.get(watch)?.scope;
    scope?.counter('ownWritesEnded', { cause }).inc();
    if (cause === 'reached') scope?.histogram('ownWriteLag').observe(age / 1e3);
  }
  lingerReused() {
    this.#lingerReuses.inc();
  }
};
function openSeries(scope) {
  const events = (type) => scope.counter('events', { type });
  return {
    scope,
    events: { added: events('added'), updated: events('updated'), deleted: events('deleted') },
    watches: 0,
  };
}
function readPerResource(set, watches, value) {
  const sums = /* @__PURE__ */ new Map();
  for (const watch of watches) {
    const { resource } = watch.query;
    const id = resourceId11(resource);
    const sum = (sums.get(id)?.sum ?? 0) + value(watch);
    sums.set(id, { resource, sum });
  }
  for (const { resource, sum } of sums.values()) set(labelsOf(resource), sum);
}
function readStates(set, watches) {
  const states = Map.groupBy(watches, ({ health }) => health.state);
  for (const [state, group] of states) {
    readPerResource(
      (labels, count2) => set({ ...labels, state }, count2),
      group,
      () => 1,
    );
  }
}
function readEventAges(set, watches) {
  const withEvents = watches.filter(({ lastEventAge }) => lastEventAge !== void 0);
  const byAge = withEvents.toSorted((a, b) => (a.lastEventAge ?? 0) - (b.lastEventAge ?? 0));
  for (const { query, lastEventAge = 0 } of byAge)
    set(labelsOf(query.resource), lastEventAge / 1e3);
}
function readVersions(set, watches) {
  const versions = watches
    .filter(({ resourceVersion }) => /^[0-9]+$/.test(resourceVersion))
    .map(({ query, resourceVersion }) => ({ query, reached: Number(resourceVersion) }));
  for (const { query, reached } of versions.toSorted((a, b) => b.reached - a.reached))
    set(labelsOf(query.resource), reached);
}
function labelsOf({ group, version, plural }) {
  return { group, version, resource: plural };
}

// packages/manager/src/metrics/manager-metrics.ts
var ManagerMetrics = class {
  registry;
  /** Receives the measurements of the manager's client. */
  client;
  /** Receives the measurements of the manager's cache. */
  watches;
  #set;
  #common;
  #loopDelay = new EventLoopDelayMonitor();
  #controllers = /* @__PURE__ */ new Map();
  #cache;
  /** The caches of the further clusters, by name. */
  #clusters = /* @__PURE__ */ new Map();
  #election;
  /** Managers of one registry need different names. */
  constructor(registry2, cache, name) {
    this.registry = registry2;
    this.#cache = cache;
    this.#set = new MetricSet(registry2, this.#readers(), name);
    this.#common = this.#set.scope({});
    this.client = clientMetrics(this.#common);
    const lingerReuses = this.#common.counter('lingerReuses');
    this.watches = new WatchMetrics((labels) => this.#set.scope(labels), lingerReuses);
    this.#common.counter('requestsPurged');
    this.#common.counter('apiWarnings');
    this.#common.counter('protobufRefusals');
    this.#common.counter('logErrors');
    this.#common.counter('collectorErrors');
    this.#common.counter('certificateReads');
    this.#common.counter('certificateErrors');
  }
  /** Counts an error of the logger. */
  logFailed() {
    this.#common.counter('logErrors').inc();
  }
  /** Counts a user's collector that threw or did not end in time. */
  collectorFailed() {
    this.#common.counter('collectorErrors').inc();
  }
  /** Counts a time in which code of this role that belongs to no controller blocked the event loop. */
  blocked(role, ms) {
    this.#common.histogram('eventLoopBlocked', { role }).observe(ms / 1e3);
  }
  /** Counts a read of the certificate files of a server. */
  certificateRead() {
    this.#common.counter('certificateReads').inc();
  }
  /** Counts a read whose certificate files were missing or invalid. */
  certificateFailed() {
    this.#common.counter('certificateErrors').inc();
  }
  /** Creates the series of a further cluster, which exist until its `close` is called. */
  cluster(name, cache) {
    const scope = this.#set.scope({ cluster: name });
    this.#clusters.set(name, cache);
    const open = (labels) => this.#set.scope({ ...labels, cluster: name });
    return {
      client: clientMetrics(scope),
      watches: new WatchMetrics(open, scope.counter('lingerReuses')),
      close: () => {
        this.#clusters.delete(name);
        scope.close();
      },
    };
  }
  /** Creates the series of the leader election for this Lease. */
  election(name, isLeader) {
    this.#election = { name, isLeader };
    const slowPath = this.#set.scope({ name }).counter('leaderSlowPath');
    return { slowPath: () => slowPath.inc() };
  }
  /** Creates the series of a controller, which exist until its `removed` is called. */
  controller(name) {
    const scope = this.#set.scope({ name, controller: name });
    const purged = this.#common.counter('requestsPurged');
    const metrics2 = new ControllerMetrics(scope, purged, () => this.#controllers.delete(name));
    this.#controllers.set(name, metrics2);
    return metrics2;
  }
  start() {
    this.#loopDelay.start();
  }
  stop() {
    this.#loopDelay.stop();
  }
  /** Removes the manager's metrics from a registry that the user keeps, and with the last manager those of the process. */
  release() {
    this.#set.close();
    if (!MetricSet.isOn(this.registry)) removeProcessMetrics(this.registry);
  }
  /** Adds the default metrics of prom-client. */
  async collectProcess() {
    await shareProcessMetrics(this.registry);
  }
  #readers() {
    const perController = (value) => (set) => {
      for (const [name, metrics2] of this.#controllers) metrics2.read(set, name, value);
    };
    const perCache = (read3) => (set) => {
      read3(set, this.#cache());
      for (const [cluster, cache] of this.#clusters)
        read3((labels, value) => set({ ...labels, cluster }, value), cache());
    };
    const perResource = (value) =>
      perCache((set, cache) => readPerResource(set, cache.inventory(), value));
    const perBudget = (value) =>
      perCache((set, cache) => {
        for (const use of cache.memory().budgets) set({ budget: use.budget }, value(use));
      });
    return {
      gauges: {
        leaderStatus: (set) => {
          const { name, isLeader } = this.#election ?? {};
          if (name !== void 0) set({ name }, isLeader?.() === true ? 1 : 0);
        },
        maxConcurrent: perController(({ concurrency }) => concurrency),
        activeWorkers: perController(({ running }) => running),
        unfinishedWork: perController((reading) => reading.unfinishedMs() / 1e3),
        longestRunning: perController((reading) => reading.longestRunningMs() / 1e3),
        queueDepth: (set) => {
          for (const [name, metrics2] of this.#controllers) metrics2.readDepths(set, name);
        },
        sourcePending: (set) => {
          for (const [name, metrics2] of this.#controllers) metrics2.readPending(set, name);
        },
        watches: perCache((set, cache) => readStates(set, cache.inventory())),
        watchesIntended: perResource(({ handles }) => (handles.length > 0 ? 1 : 0)),
        watchHandles: perResource(({ handles }) => handles.length),
        storeObjects: perResource(({ objects }) => objects),
        storeBytes: perResource(({ bytes }) => bytes),
        ownWrites: perResource(({ ownWrites }) => ownWrites),
        pinnedBytes: perCache((set, cache) => set({}, cache.memory().pinnedBytes)),
        budgetBytes: perBudget(({ bytes }) => bytes),
        budgetUsed: perBudget(({ used }) => used),
        lastEventAge: perCache((set, cache) => readEventAges(set, cache.inventory())),
        watchVersion: perCache((set, cache) => readVersions(set, cache.inventory())),
      },
      summaries: { eventLoopDelay: () => this.#readLoopDelay() },
    };
  }
  #readLoopDelay() {
    const { recent, totals } = this.#loopDelay;
    const at = (percentile) =>
      recent.count === 0 ? 0 : delaySeconds(recent.percentile(percentile));
    const max = recent.count === 0 ? 0 : delaySeconds(recent.max);
    return { quantiles: { 0.5: at(50), 0.99: at(99), 1: max }, ...totals };
  }
};

// packages/manager/src/manager/manager-dependencies.ts
var ManagerDependencies = class {
  client;
  cache;
  metrics;
  clusters;
  /** Reports user code that blocks the event loop. */
  eventLoop;
  /** Loads the kubeconfig once; resolves to `undefined` for a given client. Rejects if the kubeconfig is invalid. */
  loadCluster;
  #connections;
  #owned;
  constructor(options, settings, callScope) {
    const { client, cache = {}, registry: registry2, name } = options;
    this.#owned = {
      client: client === void 0,
      cache: !isCache(cache),
      registry: registry2 === void 0,
    };
    this.metrics = new ManagerMetrics(registry2 ?? new MetricRegistry(), () => this.cache, name);
    this.clusters = new AddedClusters(this.metrics, settings.logger);
    this.eventLoop = new EventLoopWatch({
      settings: settings.eventLoop,
      log: settings.logger,
      origin: () => callScope.origin,
      blocked: (ms) => this.metrics.blocked('unknown', ms),
    });
    this.loadCluster = loadOnce2(async () =>
      client === void 0 ? (options.cluster ?? loadCluster(options.kubeConfig)) : void 0,
    );
    this.#connections = client ?? this.#createClient(options, settings);
    this.cache = isCache(cache) ? cache : this.#createCache(cache, settings);
    this.client = this.#connections.withWriteObserver(this.cache);
  }
  /** Closes the cache, and the further clusters. */
  async closeCache() {
    const main = this.#owned.cache ? this.cache.close() : void 0;
    await Promise.all([main, this.clusters.close()]);
  }
  async closeClient() {
    if (this.#owned.client) await this.#connections.close();
  }
  /** Stops to measure and removes the manager's metrics from a given registry. */
  closeMetrics() {
    this.eventLoop.stop();
    this.metrics.stop();
    if (!this.#owned.registry) this.metrics.release();
  }
  #createClient({ cluster }, { logger }) {
    const load = () => this.loadCluster();
    return createClient2({
      cluster: cluster ?? load,
      observer: clientLog(this.metrics.client, logger),
    });
  }
  #createCache(options, { logger }) {
    return createInformerCache2({
      ...options,
      listerWatcher: (query) => this.#connections.listerWatcher(query),
      observer: watchLog(this.metrics.watches, logger),
    });
  }
};

// packages/manager/src/manager/uncaught-errors.ts
function onUncaughtError(listener) {
  process.on('uncaughtExceptionMonitor', listener);
  return () => process.off('uncaughtExceptionMonitor', listener);
}

// packages/manager/src/manager/controller-manager.ts
var createManager = (given = {}) => {
  const options = given;
  return new ControllerManager(options, checkManagerOptions(options));
};
var ControllerManager = class {
  started;
  #settings;
  #log;
  #dependencies;
  #servers;
  #events;
  #controllers = new ControllerSet();
  #factory;
  #phases;
  #callScope = new CallScope();
  #leadership;
  /** The phases whose controllers run. */
  #runningPhases = /* @__PURE__ */ new Set();
  #start = Promise.withResolvers();
  #stopRequest = Promise.withResolvers();
  #end = Promise.withResolvers();
  #state = 'created';
  #errors = new StopErrors();
  constructor(options, settings) {
    this.#log = guardedLogger(settings.logger, () => this.#dependencies.metrics.logFailed());
    this.#settings = { ...settings, logger: this.#log };
    this.#dependencies = new ManagerDependencies(options, this.#settings, this.#callScope);
    this.#events = new EventWriter({ client: this.client, log: this.#log });
    const { metrics: metrics2 } = this.#dependencies;
    this.#servers = new ManagerServers(options.servers ?? {}, this.#dependencies, this.#log);
    this.#leadership = new Leadership(settings.leaderElection, {
      client: this.client,
      log: this.#log,
      metrics: metrics2,
      health: this.#servers.health,
      lost: (error) => this.#leadershipLost(error),
    });
    this.#servers.ready.add('manager', () => this.#checkRunning());
    this.#servers.ready.add('caches', () => this.#controllers.checkReady());
    this.#factory = new ControllerFactory({
      dependencies: this.#dependencies,
      leadership: this.#leadership,
      events: this.#events,
      controllers: this.#controllers,
      callScope: this.#callScope,
      log: this.#log,
      settings,
    });
    this.#phases = createManagerPhases({
      dependencies: this.#dependencies,
      servers: this.#servers,
      events: this.#events,
      controllers: this.#controllers,
      leadership: this.#leadership,
      callScope: this.#callScope,
      log: this.#log,
      gracePeriod: settings.gracePeriod,
      run: (phase) => this.#runControllers(phase),
      fail: (error) => this.#fail(error),
    });
    this.started = this.#start.promise;
    this.started.catch(() => void 0);
  }
  get client() {
    return this.#dependencies.client;
  }
  get cache() {
    return this.#dependencies.cache;
  }
  get registry() {
    return this.#dependencies.metrics.registry;
  }
  get isLeader() {
    const runs = this.#state !== 'stopping' && this.#runningPhases.has('leader');
    return this.#leadership.isLeader ?? runs;
  }
  get ports() {
    return this.#servers.ports;
  }
  addController(typed) {
    const options = typed;
    checkControllerOptions(options, 'addController');
    return this.#add(options, 'addController');
  }
  addPulledController(typed) {
    const options = typed;
    checkControllerOptions(options, 'addPulledController', true);
    return this.#add(options, 'addPulledController');
  }
  addCluster(...cluster) {
    this.#refuseWhenStopped();
    const leave = (name) => this.#controllers.leaveCluster(name);
    return this.#dependencies.clusters.add({ callScope: this.#callScope, leave }, ...cluster);
  }
  async setNamespaces(...change) {
    this.#refuseWhenStopped();
    await this.#controllers.setNamespaces(this.#settings.watchDefaults, ...change);
  }
  addRunnable(runnable) {
    this.#refuseWhenStopped();
    checkRunnable(runnable);
    this.#phases.add(runnable);
  }
  addHealthCheck = (name, check4) => this.#servers.health.add(name, check4);
  addReadyCheck = (name, check4) => this.#servers.ready.add(name, check4);
  addRoute(...route) {
    return this.#servers.addRoute(...route);
  }
  eventRecorder = (name) => this.#events.recorder(name);
  apiClient(constructor) {
    return this.client.apiClient(constructor);
  }
  declaredAccess() {
    return declaredAccess(this.#controllers.queries(), this.#settings.leaderElection);
  }
  async start(options = {}) {
    this.#refuseWhenStopped();
    if (this.#state !== 'created') throw new ManagerError('ALREADY_STARTED');
    checkOptions21(options, ['signal'], 'start');
    checkSignal6(options.signal, 'start.signal');
    this.#state = 'starting';
    const stopMonitoring = onUncaughtError((error) => this.#callScope.origin?.uncaught?.(error));
    const stopListening = listenForStop({
      stopSignals: this.#settings.stopSignals,
      signal: options.signal,
      log: this.#log,
      stop: () => this.#requestStop(),
    });
    this.#startPhases().catch((error) => this.#fail(error));
    await this.#stopRequest.promise;
    try {
      await this.#stopPhases();
    } catch (error) {
      this.#fail(error);
    } finally {
      stopListening();
      stopMonitoring();
      this.#log.info({ failures: this.#errors.size }, 'manager stopped');
    }
    this.#errors.throwIfAny();
  }
  async stop() {
    const hasStarted = this.#state !== 'created';
    this.#requestStop();
    if (!hasStarted) await this.#stopPhases();
    else if (this.#callScope.current === void 0) await this.#end.promise;
  }
  [Symbol.asyncDispose]() {
    return this.stop();
  }
  async #startPhases() {
    const cluster = await this.#dependencies.loadCluster();
    this.#leadership.useNamespaceOf(cluster);
    await this.#phases.start();
    if (this.#state !== 'starting') return;
    this.#state = 'running';
    this.#log.info({ controllers: this.#controllers.names }, 'manager started');
  }
  async #stopPhases() {
    this.#start.reject(this.#errors.first(new ManagerError('MANAGER_STOPPED')));
    try {
      const report = await this.#phases.stop();
      this.#errors.addReport(report, this.#leadership.wasLost ? 0 : this.#settings.gracePeriod);
      this.#dependencies.closeMetrics();
    } finally {
      this.#end.resolve();
    }
  }
  /** Another process may become the leader soon, so the stop does not wait for the work of this one. */
  #leadershipLost(error) {
    this.#phases.hurry();
    this.#fail(error);
    void this.#controllers.end('leader', 0);
  }
  #add(options, where) {
    this.#refuseWhenStopped();
    const controller = this.#factory.make(options, where);
    this.#controllers.add(controller);
    if (this.#phases.hasBegun('caches')) controller.fill();
    for (const running of this.#runningPhases)
      this.#controllers.runAdded(controller, running, this.#log);
    return controller;
  }
  #runControllers(phase) {
    this.#runningPhases.add(phase);
    const failed = (error) => this.#fail(error);
    const begun = this.#controllers.run(phase, failed);
    begun.then(() => (phase === 'leader' ? this.#start.resolve() : void 0), failed);
  }
  /** Stops the manager with an error, which `start` rejects with. */
  #fail(error) {
    this.#errors.add(error);
    this.#requestStop();
  }
  /** Begins the stop: from now on additions throw, and the manager is not ready. */
  #requestStop() {
    this.#state = 'stopping';
    this.#stopRequest.resolve();
  }
  #checkRunning() {
    if (this.#state === 'stopping' || !this.#phases.hasBegun('leader')) {
      throw new Error(`the manager is ${this.#state}`);
    }
  }
  #refuseWhenStopped() {
    if (this.#state === 'stopping') throw new ManagerError('MANAGER_STOPPED');
  }
};

// packages/manager/src/index.ts
import {
  CappedLimiter,
  CombinedLimiter as CombinedLimiter2,
  ExponentialBackoff as ExponentialBackoff2,
  FastSlowLimiter,
  TokenBucket as TokenBucket2,
} from '@keelson/workqueue';

// packages/manager/src/reconcile/event-predicates.ts
import {
  checkFunction as checkFunction6,
  checkOptions as checkOptions22,
  labelRequirementsOf,
  matchesLabels as matchesLabels2,
  parseLabelSelector as parseLabelSelector2,
} from '@keelson/apimachinery';
var types2 = ['added', 'updated', 'deleted'];
function byType(predicates) {
  checkOptions22(predicates, types2, 'byType', eventTypeMistakes);
  const given = { ...predicates };
  for (const type of types2) {
    if (given[type] !== void 0) checkFunction6(given[type], `byType.${type}`);
  }
  return (event) => {
    const predicate = given[event.type];
    return predicate === void 0 || passes(predicate, event);
  };
}
function labelsMatch(selector) {
  const requirements =
    typeof selector === 'string' ? parseLabelSelector2(selector) : labelRequirementsOf(selector);
  const matches = (view) => matchesLabels2(requirements, view.metadata.labels ?? {});
  return (event) => matches(event.object) || (event.type === 'updated' && matches(event.previous));
}

// packages/manager/src/intent/durable-intent.ts
import {
  checkCount as checkCount6,
  checkFunction as checkFunction8,
  checkMethods as checkMethods6,
  checkOptions as checkOptions26,
  checkSignal as checkSignal8,
  invalidOption as invalidOption32,
} from '@keelson/apimachinery';

// packages/manager/src/intent/execution-guard.ts
import { AsyncLocalStorage as AsyncLocalStorage5 } from 'node:async_hooks';
import {
  checkFunction as checkFunction7,
  checkOptions as checkOptions23,
  checkSignal as checkSignal7,
  invalidOption as invalidOption29,
} from '@keelson/apimachinery';
var executionPolicies = ['queue', 'reject', 'supersede'];
var ExecutionGuard = class {
  #policy;
  #holders = /* @__PURE__ */ new Map();
  #ancestors = new AsyncLocalStorage5();
  /** Throws `INVALID_OPTION`. */
  constructor(options = {}) {
    checkOptions23(options, ['policy'], 'ExecutionGuard');
    const { policy = 'queue' } = options;
    checkPolicy(policy, 'ExecutionGuard.policy');
    this.#policy = policy;
  }
  /**
   * Executes for an object, as the policy permits. Rejects with an error of `execute`, with the reason of `signal` if it
   * aborts during a wait, and with `EXECUTION_NESTED` within an execution of the same object, which would wait for itself.
   */
  async run(object, execute, options = {}) {
    const { uid, generation } = identityOf3(object, 'ExecutionGuard.run');
    checkFunction7(execute, 'ExecutionGuard.run.execute');
    checkOptions23(options, ['signal'], 'ExecutionGuard.run');
    const { signal } = options;
    checkSignal7(signal, 'ExecutionGuard.run.signal');
    signal?.throwIfAborted();
    const current = this.#holders.get(uid);
    if (current === void 0) {
      return this.#execute(uid, this.#hold(uid, generation), { execute, signal, hasWaited: false });
    }
    if (this.#policy === 'reject') return { state: 'rejected' };
    if (this.#ancestors.getStore()?.includes(current) === true) {
      throw new ManagerError('EXECUTION_NESTED', { uid });
    }
    this.supersede(object);
    const holder = await waitFor(current, generation, signal);
    if (holder === void 0) return { state: 'superseded' };
    return this.#execute(uid, holder, { execute, signal, hasWaited: true });
  }
  /**
   * Aborts the running execution of an earlier generation of the object if the policy is `supersede`. Returns whether it
   * did.
   */
  supersede(object) {
    const { uid, generation } = identityOf3(object, 'ExecutionGuard.supersede');
    const running = this.#holders.get(uid);
    if (this.#policy !== 'supersede' || running === void 0) return false;
    if (!isLater(generation, running.generation)) return false;
    running.abort.abort(new ManagerError('EXECUTION_SUPERSEDED', { uid, generation }));
    return true;
  }
  /** Whether an execution of the object runs. */
  isRunning(object) {
    return this.#holders.has(identityOf3(object, 'ExecutionGuard.isRunning').uid);
  }
  #hold(uid, generation) {
    const holder = { generation, abort: new AbortController(), next: void 0 };
    this.#holders.set(uid, holder);
    return holder;
  }
  async #execute(uid, holder, { execute, signal, hasWaited }) {
    const superseded = holder.abort.signal;
    const both = signal === void 0 ? superseded : AbortSignal.any([signal, superseded]);
    const ancestors = [...(this.#ancestors.getStore() ?? []), holder];
    try {
      signal?.throwIfAborted();
      const act = async () => execute({ signal: both, hasWaited });
      return { state: 'ended', value: await this.#ancestors.run(ancestors, act) };
    } catch (error) {
      if (superseded.aborted) return { state: 'superseded', error };
      throw error;
    } finally {
      this.#release(uid, holder);
    }
  }
  /** Gives the place to the waiting trigger in the same step, so that no third one can take it. */
  #release(uid, { next }) {
    if (next === void 0) this.#holders.delete(uid);
    else next.settle(this.#hold(uid, next.generation));
  }
};
function checkPolicy(policy, option) {
  if (executionPolicies.includes(policy)) return;
  throw invalidOption29(option, `must be one of ${executionPolicies.join(', ')}`);
}
async function waitFor(current, generation, signal) {
  const { next: other } = current;
  if ((other?.generation ?? 0) > (generation ?? Infinity)) return void 0;
  const { promise, resolve, reject } = Promise.withResolvers();
  const waiter = { generation, settle: resolve };
  current.next = waiter;
  other?.settle(void 0);
  const leave = () => {
    if (current.next !== waiter) return;
    current.next = void 0;
    reject(signal?.reason);
  };
  signal?.addEventListener('abort', leave, { once: true });
  try {
    return await promise;
  } finally {
    signal?.removeEventListener('abort', leave);
  }
}
function isLater(generation, than) {
  return generation === void 0 || than === void 0 || generation > than;
}
function identityOf3(object, where) {
  const metadata = object?.metadata;
  if (typeof metadata?.uid !== 'string' || metadata.uid === '') {
    throw invalidOption29(`${where}.object`, 'must be an object with a uid');
  }
  return metadata;
}

// packages/manager/src/intent/intent-execution.ts
import {
  checkOptions as checkOptions24,
  invalidOption as invalidOption30,
} from '@keelson/apimachinery';

// packages/manager/src/intent/spec-difference.ts
function specDifference(before, after) {
  const added = [];
  const changed2 = [];
  const removed = [];
  const open = [{ path: '', before: before ?? {}, after: after ?? {} }];
  for (let pair = open.pop(); pair !== void 0; pair = open.pop()) {
    if (pair.before === void 0) added.push(pair.path);
    else if (pair.after === void 0) removed.push(pair.path);
    else if (haveMembers(pair.before, pair.after)) {
      for (const member of membersOf2(pair)) open.push(member);
    } else if (pair.before !== pair.after) changed2.push(pair.path);
  }
  const paths = [added, changed2, removed];
  const members = new Set(paths.flat().map(memberOf));
  return {
    added,
    changed: changed2,
    removed,
    isEmpty: before !== void 0 && members.size === 0,
    touches: (member) => members.has(member),
  };
}
function haveMembers(before, after) {
  return isObject3(before) && isObject3(after) && Array.isArray(before) === Array.isArray(after);
}
function membersOf2({ path, before, after }) {
  const [former, next] = [before, after];
  const names3 = /* @__PURE__ */ new Set([...Object.keys(next), ...Object.keys(former)]);
  const pairs = [...names3].map((name) => ({
    path: `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
    before: own2(former, name),
    after: own2(next, name),
  }));
  return pairs.filter((pair) => pair.before !== pair.after).toReversed();
}
function own2(members, name) {
  return Object.hasOwn(members, name) ? members[name] : void 0;
}
function memberOf(path) {
  return (path.split('/')[1] ?? '').replaceAll('~1', '/').replaceAll('~0', '~');
}
function isObject3(value) {
  return typeof value === 'object' && value !== null;
}

// packages/manager/src/intent/intent-execution.ts
var resultMembers = ['requeueAfter', 'retry', 'priority', 'applied', 'status'];
async function executeIntent(store, { access: given, action, signal, hasWaited }) {
  const current = await store.current(given, hasWaited);
  if (current === void 0) return void 0;
  const { object, lastApplied } = current;
  const access = { ...given, object };
  const { spec } = object;
  const wanted = { generation: object.metadata.generation ?? 0, spec: spec ?? empty() };
  const difference = specDifference(lastApplied?.spec, wanted.spec);
  if (!difference.isEmpty) store.check(access, wanted);
  const result = (await action({ object, lastApplied, difference, signal })) ?? {};
  checkResult(result);
  const { applied = result.retry !== true, status, ...outcome } = result;
  const intent = typeof applied === 'object' ? applied : wanted;
  const written = applied === false ? void 0 : await store.write(access, intent, lastApplied);
  if (status !== void 0) {
    const { client, resource, signal: callers } = given;
    await patchStatus({
      client,
      resource,
      object: written ?? object,
      status: observing(status, intent.generation),
      ...(callers && { signal: callers }),
    });
  }
  return Object.keys(outcome).length === 0 ? void 0 : outcome;
}
function checkResult(result) {
  const where = 'durableIntent.run.result';
  checkOptions24(result, resultMembers, where);
  const { applied, status } = result;
  if (status !== void 0) checkStatusChange(status, `${where}.status`);
  if (applied === void 0 || typeof applied === 'boolean') return;
  const { generation, spec } = applied ?? {};
  if (Number.isSafeInteger(generation) && typeof spec === 'object' && spec !== null) return;
  throw invalidOption30(`${where}.applied`, 'must be true, false or { generation, spec }');
}
function observing(status, observedGeneration) {
  const { conditions } = status;
  if (!Array.isArray(conditions)) return status;
  const observed = conditions.map((condition) => ({ observedGeneration, ...condition }));
  return { ...status, conditions: observed };
}
function empty() {
  return {};
}

// packages/manager/src/intent/intent-history.ts
import { builtin as builtin6, isNotFound as isNotFound7 } from '@keelson/apimachinery';

// packages/manager/src/intent/record-config-map.ts
import { apiVersionOf, builtin as builtin5, ownerReferenceTo } from '@keelson/apimachinery';
var RECORD_KEY = 'record';
function recordName({ object: { metadata } }, namespace) {
  return {
    namespace: metadata.namespace ?? namespace ?? '',
    name: `last-applied-${metadata.uid}`,
  };
}
async function applyRecord({ client, resource, object, signal }, name, { text, labels = {} }) {
  const owner = ownerReferenceTo({
    ...object,
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
  });
  const metadata = { ...name, labels, ownerReferences: [owner] };
  await client.apply(builtin5.ConfigMap, { metadata, data: { [RECORD_KEY]: text } }, { signal });
}

// packages/manager/src/intent/intent-history.ts
var { ConfigMap } = builtin6;
var OWNER_LABEL = 'keelson.dev/last-applied-of';
var IntentHistory = class {
  #keep;
  #namespace;
  constructor({ keep, namespace }) {
    this.#keep = keep;
    this.#namespace = namespace;
  }
  /** Stores the record of a generation. A repetition replaces it. */
  async add(access, generation, text) {
    const { namespace, name } = recordName(access, this.#namespace);
    const labels = { [OWNER_LABEL]: access.object.metadata.uid };
    await applyRecord(access, { namespace, name: `${name}-${generation}` }, { text, labels });
  }
  /** Deletes the records of all but the latest generations. */
  async prune(access) {
    const { client, signal, object } = access;
    const { namespace, name } = recordName(access, this.#namespace);
    const labelSelector = `${OWNER_LABEL}=${object.metadata.uid}`;
    const { items } = await client.list(ConfigMap, { namespace, labelSelector, signal });
    const generations = items.map(({ metadata }) => Number(metadata.name.slice(name.length + 1)));
    for (const old of generations.toSorted((a, b) => b - a).slice(this.#keep)) {
      try {
        await client.delete(ConfigMap, { namespace, name: `${name}-${old}` }, { signal });
      } catch (error) {
        if (!isNotFound7(error)) throw error;
      }
    }
  }
};

// packages/manager/src/intent/last-applied.ts
function encodeRecord(record, uid) {
  const { schemaVersion, generation, appliedAt, spec } = record;
  return JSON.stringify({ schemaVersion, generation, appliedAt, uid, spec });
}
function decodeRecord(text, { schemaVersion, uid }) {
  const stored2 = parse(text);
  if (stored2 === void 0 || !Object.hasOwn(stored2, 'spec')) return void 0;
  const { generation, appliedAt, spec } = stored2;
  if (stored2['schemaVersion'] !== schemaVersion || stored2['uid'] !== uid) return void 0;
  if (!Number.isSafeInteger(generation) || Number(generation) < 0) return void 0;
  if (typeof appliedAt !== 'string' || Number.isNaN(Date.parse(appliedAt))) return void 0;
  const known = spec;
  return { schemaVersion, generation: Number(generation), appliedAt, spec: known };
}
function parse(text) {
  if (typeof text !== 'string') return void 0;
  try {
    const value = JSON.parse(text);
    const isObject4 = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject4 ? value : void 0;
  } catch {
    return void 0;
  }
}

// packages/manager/src/intent/read-again.ts
import { isNotFound as isNotFound8 } from '@keelson/apimachinery';
async function readAgain({ client, resource, object, signal }) {
  try {
    const found = await client.get(resource, requestFor(object), { signal });
    return found.metadata.uid === object.metadata.uid ? found : void 0;
  } catch (error) {
    if (isNotFound8(error)) return void 0;
    throw error;
  }
}

// packages/manager/src/intent/intent-store.ts
var IntentStore = class {
  #place;
  #history;
  #schemaVersion;
  constructor(place, { history, schemaVersion }) {
    this.#place = place;
    this.#history = history;
    this.#schemaVersion = schemaVersion;
  }
  async read(access) {
    const { uid } = access.object.metadata;
    const text = await this.#place.read(access);
    return decodeRecord(text, { schemaVersion: this.#schemaVersion, uid });
  }
  /**
   * The object and its record. An object that is older than its record is read again: to act on it would restore a former
   * spec. An old object with the record in itself cannot show that, so it is read again if it differs from its record. A record that is newer than the newest object counts as absent. `undefined` if the object is gone.
   */
  async current(access, mayBeOld) {
    if (!mayBeOld) {
      const { object: object2 } = access;
      const lastApplied2 = await this.read(access);
      const mayHaveOldRecord = this.#place.isInObject === true && differs(lastApplied2, object2);
      if (!mayHaveOldRecord && !isNewer(lastApplied2, object2))
        return { object: object2, lastApplied: lastApplied2 };
    }
    const object = await readAgain(access);
    if (object === void 0) return void 0;
    const lastApplied = await this.read({ ...access, object });
    return { object, lastApplied: isNewer(lastApplied, object) ? void 0 : lastApplied };
  }
  /** Throws if the place cannot store the spec. */
  check(access, applied) {
    this.#place.check?.(access, this.#encode(access, applied));
  }
  /**
   * Writes the record if it differs from the last one. Returns the object after the write; `undefined` if the object or
   * its new state is not known.
   */
  async write(access, applied, lastApplied) {
    const { generation, spec } = applied;
    const isSame2 = generation === lastApplied?.generation;
    if (isSame2 && specDifference(lastApplied.spec, spec).isEmpty) return void 0;
    this.check(access, applied);
    const text = this.#encode(access, applied);
    await this.#history?.add(access, generation, text);
    const written = await this.#place.write(access, text);
    await this.#history?.prune(access);
    return written ?? void 0;
  }
  #encode({ object }, { generation, spec }) {
    const appliedAt = /* @__PURE__ */ new Date().toISOString();
    const schemaVersion = this.#schemaVersion;
    return encodeRecord({ schemaVersion, generation, appliedAt, spec }, object.metadata.uid);
  }
};
function differs(lastApplied, object) {
  const { spec } = object;
  return !specDifference(lastApplied?.spec ?? {}, spec ?? {}).isEmpty;
}
function isNewer(lastApplied, { metadata }) {
  return lastApplied !== void 0 && lastApplied.generation > (metadata.generation ?? 0);
}

// packages/manager/src/intent/place-options.ts
import {
  checkMethods as checkMethods5,
  checkOptions as checkOptions25,
  invalidOption as invalidOption31,
  isDnsLabel as isDnsLabel3,
} from '@keelson/apimachinery';

// packages/manager/src/intent/annotation-place.ts
import {
  isConflict as isConflict5,
  isInvalid,
  isNotFound as isNotFound9,
} from '@keelson/apimachinery';

// packages/manager/src/intent/record-limit.ts
function checkRecordSize({ resource, object }, { size, limit, place }) {
  if (size <= limit) return;
  const { namespace, name } = object.metadata;
  const facts = { kind: resource.kind, namespace, name, place };
  const cause = new TerminalError(
    'the spec must become smaller, or its record needs another place',
  );
  throw new ManagerError('INTENT_TOO_LARGE', { ...facts, size, limit }, { cause });
}

// packages/manager/src/intent/annotation-place.ts
var MAX_ANNOTATION_BYTES = 256 * 1024;
var AnnotationPlace = class {
  isInObject = true;
  #name;
  constructor(name) {
    this.#name = name;
  }
  read({ object }) {
    const { annotations = {} } = object.metadata;
    return Object.hasOwn(annotations, this.#name) ? annotations[this.#name] : void 0;
  }
  check(access, text) {
    const others = Object.entries(access.object.metadata.annotations ?? {});
    const all = [...others.filter(([name]) => name !== this.#name), [this.#name, text]];
    const size = all.flat().reduce((sum, part) => sum + Buffer.byteLength(part), 0);
    checkRecordSize(access, { size, limit: MAX_ANNOTATION_BYTES, place: 'annotations' });
  }
  /** Without a resourceVersion: a change of the spec meanwhile must not discard the record of the applied spec. */
  async write(access, text) {
    const { client, resource, object, signal } = access;
    const body = { metadata: { uid: object.metadata.uid, annotations: { [this.#name]: text } } };
    const patch = { type: 'merge', body };
    try {
      const any = resource;
      const written = await client.patch(any, requestFor(object), patch, { signal });
      return written;
    } catch (error) {
      const isRefused = isConflict5(error) || isInvalid(error);
      if (isRefused && (await readAgain(access)) === void 0) return void 0;
      if (isNotFound9(error)) return void 0;
      throw error;
    }
  }
};

// packages/manager/src/intent/config-map-place.ts
import { builtin as builtin7, isNotFound as isNotFound10 } from '@keelson/apimachinery';
var MAX_CONFIG_MAP_BYTES = 1024 * 1024;
var ConfigMapPlace = class {
  #namespace;
  /** The namespace of the ConfigMaps of a cluster-scoped kind. */
  constructor(namespace) {
    this.#namespace = namespace;
  }
  async read(access) {
    const { client, signal } = access;
    try {
      const name = recordName(access, this.#namespace);
      const { data } = await client.get(builtin7.ConfigMap, name, { signal });
      return data?.[RECORD_KEY];
    } catch (error) {
      if (isNotFound10(error)) return void 0;
      throw error;
    }
  }
  check(access, text) {
    const size = Buffer.byteLength(text);
    checkRecordSize(access, { size, limit: MAX_CONFIG_MAP_BYTES, place: 'ConfigMap' });
  }
  async write(access, text) {
    await applyRecord(access, recordName(access, this.#namespace), { text });
  }
};

// packages/manager/src/intent/status-place.ts
var MAX_OBJECT_BYTES = 1.5 * 1024 * 1024;
var StatusPlace = class {
  isInObject = true;
  #member;
  constructor(member) {
    this.#member = member;
  }
  read({ object }) {
    return this.#valueOf(object);
  }
  check(access, text) {
    const { status } = access.object;
    const stored2 = { ...access.object, status: { ...status, [this.#member]: text } };
    const size = Buffer.byteLength(JSON.stringify(stored2));
    const place = `status.${this.#member}`;
    checkRecordSize(access, { size, limit: MAX_OBJECT_BYTES, place });
  }
  /** Throws `INTENT_NOT_STORED` if the schema of the kind lacks the member. */
  async write({ client, resource, object, signal }, text) {
    const status = { [this.#member]: text };
    const access = { client, resource, object, ...(signal && { signal }) };
    const written = await patchStatus({ ...access, status });
    if (written !== void 0 && this.#valueOf(written) !== text) {
      const { kind } = resource;
      throw new ManagerError('INTENT_NOT_STORED', {
        kind,
        ...requestFor(object),
        member: `status.${this.#member}`,
      });
    }
    return written;
  }
  #valueOf(object) {
    const { status } = object;
    const value = status && Object.hasOwn(status, this.#member) ? status[this.#member] : void 0;
    return typeof value === 'string' ? value : void 0;
  }
};

// packages/manager/src/intent/place-options.ts
var kinds = ['annotation', 'status', 'configMap'];
var annotationName =
  /^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?\/)[A-Za-z0-9]([-\w.]{0,61}[A-Za-z0-9])?$/;
function placeOf(options, resource, where) {
  if (isPlace(options)) {
    checkMethods5(options, ['read', 'write'], where);
    return options;
  }
  checkOptions25(options, kinds, where);
  const given = kinds.filter((kind) => Reflect.get(options, kind) !== void 0);
  if (given.length !== 1) throw invalidOption31(where, `must have one of ${kinds.join(', ')}`);
  if ('annotation' in options) {
    if (typeof options.annotation !== 'string' || !annotationName.test(options.annotation)) {
      throw invalidOption31(`${where}.annotation`, 'must be a qualified name: example.com/name');
    }
    return new AnnotationPlace(options.annotation);
  }
  if ('status' in options) {
    if (typeof options.status !== 'string' || ['', '__proto__'].includes(options.status)) {
      throw invalidOption31(`${where}.status`, 'must be the name of a member of the status');
    }
    return new StatusPlace(options.status);
  }
  const { configMap } = options;
  checkOptions25(configMap, ['namespace'], `${where}.configMap`);
  checkRecordNamespace(configMap.namespace, resource, `${where}.configMap.namespace`);
  return new ConfigMapPlace(configMap.namespace);
}
function checkRecordNamespace(namespace, { namespaced }, option) {
  if (namespaced && namespace === void 0) return;
  if (namespaced) throw invalidOption31(option, 'has no meaning for a namespaced kind');
  if (typeof namespace === 'string' && isDnsLabel3(namespace)) return;
  throw invalidOption31(
    option,
    'must be the name of a namespace, because the kind is cluster-scoped',
  );
}
function isPlace(options) {
  const { read: read3, write: write2 } = options ?? {};
  return read3 !== void 0 || write2 !== void 0;
}

// packages/manager/src/intent/durable-intent.ts
var optionNames7 = ['resource', 'place', 'schemaVersion', 'policy', 'history'];
var clientMethods2 = ['get', 'list', 'patch', 'apply', 'delete', 'status'];
var SUPERSEDED = { requeueAfter: 1 };
var REJECTED = { requeueAfter: '1s' };
function durableIntent(options) {
  const { resource, store, policy } = check3(options);
  const guard = new ExecutionGuard({ policy });
  return {
    async read(target) {
      checkTarget(target, 'durableIntent.read');
      return store.read({ ...target, resource });
    },
    async run(target, action) {
      checkTarget(target, 'durableIntent.run');
      checkFunction8(action, 'durableIntent.run.action');
      const { signal } = target;
      const execute = (context) =>
        executeIntent(store, { access: { ...target, resource }, action, ...context });
      const end = await guard.run(target.object, execute, { signal });
      if (end.state === 'ended') return end.value;
      return end.state === 'superseded' ? SUPERSEDED : REJECTED;
    },
    supersede: (object) => guard.supersede(object),
  };
}
function check3(options) {
  checkOptions26(options, optionNames7, 'durableIntent');
  const { resource, place, schemaVersion = 1, policy = 'queue', history } = options;
  const isToken = typeof resource?.plural === 'string';
  if (!isToken) throw invalidOption32('durableIntent.resource', 'must be a resource token');
  checkCount6(schemaVersion, 'durableIntent.schemaVersion');
  checkPolicy(policy, 'durableIntent.policy');
  if (history !== void 0) {
    const where = 'durableIntent.history';
    checkOptions26(history, ['keep', 'namespace'], where);
    checkCount6(history.keep, `${where}.keep`);
    checkRecordNamespace(history.namespace, resource, `${where}.namespace`);
  }
  const store = new IntentStore(placeOf(place, resource, 'durableIntent.place'), {
    history: history && new IntentHistory(history),
    schemaVersion,
  });
  return { resource, store, policy };
}
function checkTarget(target, where) {
  checkOptions26(target, ['client', 'object', 'signal'], where);
  checkMethods6(target.client, clientMethods2, `${where}.client`);
  const { metadata } = target.object ?? {};
  const { name, uid, resourceVersion, generation } = metadata ?? {};
  if (!name || !uid || !resourceVersion || !Number.isSafeInteger(generation)) {
    const reason = 'must be an object with a generation, from the cache or the client';
    throw invalidOption32(`${where}.object`, reason);
  }
  checkSignal8(target.signal, `${where}.signal`);
}

// packages/manager/src/index.ts
import {
  aggregateConditions,
  apiVersionOf as apiVersionOf2,
  builtin as builtin8,
  controllerOf,
  defineResource as defineResource2,
  findCondition,
  hasCode,
  hasFinalizer as hasFinalizer2,
  isAlreadyExists as isAlreadyExists2,
  isConditionTrue,
  isConflict as isConflict6,
  isControlledBy,
  isDeleting as isDeleting3,
  isForbidden as isForbidden2,
  isGone,
  isInvalid as isInvalid2,
  isNotFound as isNotFound11,
  isTimeout,
  isTooManyRequests,
  isUnauthorized,
  mutableCopy,
  objectKey,
  ownerReferenceTo as ownerReferenceTo2,
  parseObjectKey as parseObjectKey3,
  refersToKind as refersToKind2,
  resourceId as resourceId12,
  setCondition as setCondition2,
  setControllerReference,
  StatusError,
} from '@keelson/apimachinery';
import {
  createClient as createClient3,
  loadCluster as loadCluster2,
  retryOnConflict,
} from '@keelson/client';
import { defineIndex, fieldIndex, labelIndex } from '@keelson/informer';
export {
  CappedLimiter,
  CombinedLimiter2 as CombinedLimiter,
  ExecutionGuard,
  ExponentialBackoff2 as ExponentialBackoff,
  FastSlowLimiter,
  ManagerError,
  StatusError,
  TerminalError,
  TokenBucket2 as TokenBucket,
  aggregateConditions,
  and,
  annotationsChanged,
  apiVersionOf2 as apiVersionOf,
  builtin8 as builtin,
  byType,
  controllerOf,
  createClient3 as createClient,
  createLogger,
  createManager,
  defineIndex,
  defineResource2 as defineResource,
  durableIntent,
  fieldIndex,
  findCondition,
  generationChanged,
  hasCode,
  hasFinalizer2 as hasFinalizer,
  isAlreadyExists2 as isAlreadyExists,
  isConditionTrue,
  isConflict6 as isConflict,
  isControlledBy,
  isDeleting3 as isDeleting,
  isForbidden2 as isForbidden,
  isGone,
  isInvalid2 as isInvalid,
  isNotFound11 as isNotFound,
  isTimeout,
  isTooManyRequests,
  isUnauthorized,
  labelIndex,
  labelsChanged,
  labelsMatch,
  loadCluster2 as loadCluster,
  managerErrors,
  mutableCopy,
  not,
  objectKey,
  or,
  ownerReferenceTo2 as ownerReferenceTo,
  parseObjectKey3 as parseObjectKey,
  patchStatus,
  phases,
  refersToKind2 as refersToKind,
  requestFor,
  resourceId12 as resourceId,
  resourceVersionChanged,
  retryOnConflict,
  selfSignedCertificate,
  setCondition2 as setCondition,
  setControllerReference,
  specDifference,
  watching,
  withFinalizer,
};
//# sourceMappingURL=index.js.map
