// packages/workqueue/src/backlog/released-slots.ts
var ReleasedSlots = class {
  #table;
  #oldest = -1;
  #newest = -1;
  #size = 0;
  constructor(table) {
    this.#table = table;
  }
  get size() {
    return this.#size;
  }
  /** The slot that was released first; -1 without a slot. */
  get oldest() {
    return this.#oldest;
  }
  push(slot) {
    const { next, previous } = this.#table;
    next[slot] = -1;
    previous[slot] = this.#newest;
    if (this.#newest === -1) this.#oldest = slot;
    else next[this.#newest] = slot;
    this.#newest = slot;
    this.#size += 1;
  }
  remove(slot) {
    const before = this.#table.previous[slot];
    const after = this.#table.next[slot];
    if (before === -1) this.#oldest = after;
    else this.#table.next[before] = after;
    if (after === -1) this.#newest = before;
    else this.#table.previous[after] = before;
    this.#size -= 1;
  }
};

// packages/workqueue/src/backlog/entry-table.ts
var Place = {
  none: 0,
  /** In the delay heap, until its deadline. */
  waiting: 1,
  /** In the list of its priority. */
  listed: 2,
  /** Ready, but skipped because its key was locked: outside of the list until `done`. */
  skipped: 3,
  /** In the list of free slots, which belong to no key. */
  free: 4,
  /** Of a key that was released and keeps its slot for its next add. */
  released: 5,
};
var KEPT_ROWS = 1024;
var KEPT_KEYS = 512;
var SPARSE_FACTOR = 128;
var EntryTable = class {
  keys = [];
  items = [];
  /** The causes and sources of the entry; `undefined` if no add named a cause. */
  origins = [];
  /** The group of the entry; `undefined` for a queue without groups, which costs no memory. */
  groups;
  place = new Uint8Array(16);
  priority = new Float64Array(16);
  /** The time when the entry became ready, in ms of the queue's clock. */
  readyAt = new Float64Array(16);
  /** Increases with every entry that is queued: the order among equal entries. */
  order = new Float64Array(16);
  /** The row of `HeldItems` while a worker holds the key; 0 for a key that is not locked. */
  held = new Int32Array(16);
  /** The neighbours in the list of a priority, or of the released slots; `next` also links the free slots. */
  next = new Int32Array(16);
  previous = new Int32Array(16);
  /** The index in the delay heap while the entry waits. */
  heapIndex = new Int32Array(16);
  /** The slot of every key that is queued, held or released. */
  #slots = /* @__PURE__ */ new Map();
  #released = new ReleasedSlots(this);
  #stamps = 0;
  #used = 0;
  /** The number of keys that are queued or held. */
  #live = 0;
  /** The slot that was freed last; -1 without a free slot. It is reused first. */
  #free = -1;
  constructor(hasGroups = false) {
    this.groups = hasGroups ? [] : void 0;
  }
  /** The number of rows: every slot is below it. */
  get size() {
    return this.#used;
  }
  /** True if a large table is almost empty. */
  get isSparse() {
    return this.#used > KEPT_ROWS && this.#live * SPARSE_FACTOR < this.#used;
  }
  /** Returns the slot of a key that is queued, held, or was released a short time ago. */
  slotOf(key) {
    return this.#slots.get(key);
  }
  /** True if the key of the slot is queued, and not only held. */
  hasEntry(slot) {
    const place = this.place[slot];
    return place >= Place.waiting && place <= Place.skipped;
  }
  /** Returns the slot of a key that is used from now on. `known` is the result of `slotOf`. */
  claim(key, known) {
    if (known === void 0) return this.allocate(key);
    if (this.place[known] === Place.released) {
      this.#released.remove(known);
      this.place[known] = Place.none;
      this.#live += 1;
    }
    return known;
  }
  /** Returns a slot for a key that has none. */
  allocate(key) {
    const slot = this.#free === -1 ? this.#append() : this.#reuse();
    this.keys[slot] = key;
    this.#slots.set(key, slot);
    this.#live += 1;
    return slot;
  }
  /**
   * Releases the slot of a key and drops its references, so that nothing keeps the item alive. A string or a number
   * keeps its slot until others were released after it.
   */
  release(slot) {
    this.clear(slot);
    this.#live -= 1;
    const key = this.keys[slot];
    if (typeof key !== 'string' && typeof key !== 'number') {
      this.#freeSlot(slot);
      return;
    }
    this.place[slot] = Place.released;
    this.#released.push(slot);
    const kept = Math.max(KEPT_KEYS, this.#live);
    while (this.#released.size > kept) this.#freeOldest();
  }
  /** Creates the entry of a slot; its place is still `none`. */
  fill(slot, item, priority, origin) {
    this.items[slot] = item;
    this.priority[slot] = priority;
    this.origins[slot] = origin;
  }
  /** Gives the entry the last place in the order of adds. */
  stamp(slot) {
    this.order[slot] = this.#stamps++;
  }
  /** Removes the entry of a slot whose key may still be held. */
  clear(slot) {
    this.items[slot] = void 0;
    this.origins[slot] = void 0;
    if (this.groups !== void 0) this.groups[slot] = void 0;
    this.place[slot] = Place.none;
  }
  /**
   * Moves all keys into the first rows and frees the remaining memory. Only keys of later rows move.
   * Calls `onMoved` with the new slot of each: other data with its old slot must be changed.
   */
  compact(onMoved) {
    while (this.#released.size > 0) this.#freeOldest();
    const count = this.#live;
    let target = 0;
    for (const slot of this.#slots.values()) {
      if (slot < count) continue;
      while (this.place[target] !== Place.free) target += 1;
      this.#copyRow(slot, target);
      onMoved(target);
    }
    this.#used = count;
    this.#free = -1;
    this.#resize(Math.max(KEPT_ROWS, capacityFor(2 * count)));
    this.keys.length = count;
    this.items.length = count;
    this.origins.length = count;
    if (this.groups !== void 0) this.groups.length = count;
  }
  #copyRow(from, to) {
    this.#slots.set(this.keys[from], to);
    this.keys[to] = this.keys[from];
    this.items[to] = this.items[from];
    this.origins[to] = this.origins[from];
    if (this.groups !== void 0) this.groups[to] = this.groups[from];
    this.place[to] = this.place[from];
    this.priority[to] = this.priority[from];
    this.readyAt[to] = this.readyAt[from];
    this.order[to] = this.order[from];
    this.held[to] = this.held[from];
    this.next[to] = this.next[from];
    this.previous[to] = this.previous[from];
    this.heapIndex[to] = this.heapIndex[from];
  }
  #freeOldest() {
    const slot = this.#released.oldest;
    this.#released.remove(slot);
    this.#freeSlot(slot);
  }
  #freeSlot(slot) {
    this.#slots.delete(this.keys[slot]);
    this.keys[slot] = void 0;
    this.place[slot] = Place.free;
    this.next[slot] = this.#free;
    this.#free = slot;
  }
  #reuse() {
    const slot = this.#free;
    this.#free = this.next[slot];
    this.place[slot] = Place.none;
    return slot;
  }
  #append() {
    if (this.#used === this.place.length) this.#resize(this.#used * 2);
    return this.#used++;
  }
  #resize(capacity) {
    this.place = resized(this.place, new Uint8Array(capacity), this.#used);
    this.priority = resized(this.priority, new Float64Array(capacity), this.#used);
    this.readyAt = resized(this.readyAt, new Float64Array(capacity), this.#used);
    this.order = resized(this.order, new Float64Array(capacity), this.#used);
    this.held = resized(this.held, new Int32Array(capacity), this.#used);
    this.next = resized(this.next, new Int32Array(capacity), this.#used);
    this.previous = resized(this.previous, new Int32Array(capacity), this.#used);
    this.heapIndex = resized(this.heapIndex, new Int32Array(capacity), this.#used);
  }
};
function resized(from, to, rows) {
  to.set(from.subarray(0, rows));
  return to;
}
function capacityFor(rows) {
  return 2 ** Math.ceil(Math.log2(Math.max(rows, 1)));
}

// packages/workqueue/src/backlog/delay-heap.ts
var KEPT_ROWS2 = 1024;
var DelayHeap = class {
  #table;
  #slots = new Int32Array(16);
  #deadlines = new Float64Array(16);
  #size = 0;
  constructor(table) {
    this.#table = table;
  }
  get size() {
    return this.#size;
  }
  /** The earliest deadline; `Infinity` if the heap is empty. */
  get deadline() {
    return this.#size === 0 ? Infinity : this.#deadlines[0];
  }
  push(slot, deadline) {
    if (this.#size === this.#slots.length) this.#grow();
    this.#table.place[slot] = Place.waiting;
    this.#table.stamp(slot);
    this.#rise(this.#size++, slot, deadline);
  }
  /** Removes and returns the slot with the earliest deadline. The heap must not be empty. */
  pop() {
    const slot = this.#slots[0];
    this.remove(slot);
    return slot;
  }
  deadlineOf(slot) {
    return this.#deadlines[this.#table.heapIndex[slot]];
  }
  /** Sets an earlier or later deadline. */
  reschedule(slot, deadline) {
    const index = this.#table.heapIndex[slot];
    if (deadline < this.#deadlines[index]) this.#rise(index, slot, deadline);
    else this.#sink(index, slot, deadline);
  }
  remove(slot) {
    const index = this.#table.heapIndex[slot];
    this.#table.place[slot] = Place.none;
    this.#size -= 1;
    if (this.#size * 4 < this.#slots.length && this.#size >= KEPT_ROWS2) this.#shrink();
    if (index === this.#size) return;
    const last = this.#slots[this.#size];
    const deadline = this.#deadlines[this.#size];
    if (index > 0 && this.#precedes(last, deadline, (index - 1) >> 1)) {
      this.#rise(index, last, deadline);
    } else {
      this.#sink(index, last, deadline);
    }
  }
  /** Replaces the slot of an entry after the table has moved its row to `slot`. */
  move(slot) {
    this.#slots[this.#table.heapIndex[slot]] = slot;
  }
  #rise(from, slot, deadline) {
    let index = from;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.#precedes(slot, deadline, parent)) break;
      this.#set(index, this.#slots[parent], this.#deadlines[parent]);
      index = parent;
    }
    this.#set(index, slot, deadline);
  }
  #sink(from, slot, deadline) {
    let index = from;
    for (;;) {
      const child = this.#earlierChild(index);
      if (child === -1 || this.#precedes(slot, deadline, child)) break;
      this.#set(index, this.#slots[child], this.#deadlines[child]);
      index = child;
    }
    this.#set(index, slot, deadline);
  }
  #earlierChild(index) {
    const left = 2 * index + 1;
    if (left >= this.#size) return -1;
    const right = left + 1;
    if (right >= this.#size) return left;
    const slot = this.#slots[right];
    return this.#precedes(slot, this.#deadlines[right], left) ? right : left;
  }
  #precedes(slot, deadline, index) {
    const other = this.#deadlines[index];
    if (deadline !== other) return deadline < other;
    const { order } = this.#table;
    return order[slot] < order[this.#slots[index]];
  }
  #set(index, slot, deadline) {
    this.#slots[index] = slot;
    this.#deadlines[index] = deadline;
    this.#table.heapIndex[slot] = index;
  }
  #grow() {
    const slots = new Int32Array(this.#size * 2);
    const deadlines = new Float64Array(this.#size * 2);
    slots.set(this.#slots);
    deadlines.set(this.#deadlines);
    this.#slots = slots;
    this.#deadlines = deadlines;
  }
  #shrink() {
    const capacity = this.#slots.length / 2;
    this.#slots = this.#slots.slice(0, capacity);
    this.#deadlines = this.#deadlines.slice(0, capacity);
  }
};

// packages/workqueue/src/backlog/origin.ts
var MAX_CAUSES = 8;
var Origin = class {
  first = void 0;
  /** Whole milliseconds of the queue's clock: V8 stores small integers without an object. */
  firstAt = 0;
  rest = void 0;
  /** Sources of causes beyond the limit. */
  furtherSources = void 0;
  /** True if an add named no cause: then `withdraw` never purges the entry. */
  isPermanent;
  constructor(isPermanent) {
    this.isPermanent = isPermanent;
  }
  /** The causes with their times, the earliest first. */
  causesWithTime() {
    const { first, firstAt, rest = [] } = this;
    return first === void 0 ? [] : [{ cause: first, at: firstAt }, ...rest];
  }
  causes() {
    const { first, rest } = this;
    if (first === void 0) return [];
    return rest === void 0 ? [first] : [first, ...rest.map(({ cause }) => cause)];
  }
  causedAt() {
    const { first, firstAt, rest } = this;
    if (first === void 0) return [];
    return rest === void 0 ? [firstAt] : [firstAt, ...rest.map(({ at }) => at)];
  }
};
var Origins = class {
  #rules;
  constructor(rules) {
    this.#rules = rules;
  }
  /** Creates the origin of a new entry. */
  begin(options, at) {
    if (!namesCause(options)) return void 0;
    const origin = new Origin(false);
    this.#addAll(origin, options, at);
    return origin;
  }
  /** Adds the causes of another add to the origin of an entry. */
  extend(origin, options) {
    if (!namesCause(options)) {
      if (origin !== void 0) origin.isPermanent = true;
      return origin;
    }
    const extended = origin ?? new Origin(true);
    this.#addAll(extended, options, void 0);
    return extended;
  }
  /**
   * Creates the origin of a retry. It has the sources of the run, of the existing entry, and of the
   * add.
   */
  inherit(run, entry, options) {
    const origin = entry ?? new Origin(false);
    for (const { cause, at } of run?.causesWithTime() ?? []) this.#add(origin, cause, at);
    for (const source of run?.furtherSources ?? []) this.#addSource(origin, source);
    this.#addAll(origin, options, void 0);
    const isNamed = namesCause(options) || !isWithdrawn(run);
    origin.isPermanent ||= run === void 0 || run.isPermanent || !isNamed;
    return origin;
  }
  /** Returns a copy without the sources that match; the same origin if no source matches. */
  without(origin, matches) {
    return this.replaced(origin, matches, () => []);
  }
  /**
   * Returns a copy in which each cause of a matching source is replaced by its heirs, with its time; the same origin
   * if no source matches. A source whose causes are beyond the limit has the heirs of `undefined`.
   */
  replaced(origin, matches, heirsOf) {
    if (!this.has(origin, matches)) return origin;
    const left = new Origin(origin.isPermanent);
    for (const { cause, at } of origin.causesWithTime()) {
      const heirs = matches(this.#sourceOf(cause)) ? heirsOf(cause) : [cause];
      for (const heir of heirs) this.#add(left, heir, at);
    }
    for (const source of origin.furtherSources ?? []) {
      const heirs = matches(source)
        ? heirsOf(void 0).map((heir) => this.#sourceOf(heir))
        : [source];
      for (const heir of heirs) this.#addSource(left, heir);
    }
    return left;
  }
  /**
   * Returns the remaining origin of each origin with a matching source. It changes nothing, because
   * `matches` may throw or call the queue.
   */
  reduceAll(origins, matches) {
    const left = /* @__PURE__ */ new Map();
    for (const origin of origins) {
      if (origin === void 0) continue;
      const reduced = this.without(origin, matches);
      if (reduced !== origin) left.set(origin, reduced);
    }
    return left;
  }
  /** True if at least one source matches. */
  has(origin, matches) {
    if (origin?.first === void 0 && origin?.furtherSources === void 0) return false;
    const { first, rest = [], furtherSources = [] } = origin;
    return (
      (first !== void 0 && matches(this.#sourceOf(first))) ||
      rest.some(({ cause }) => matches(this.#sourceOf(cause))) ||
      [...furtherSources].some(matches)
    );
  }
  #addAll(origin, options, at) {
    const { cause, causes } = options;
    if (cause !== void 0) this.#add(origin, cause, at);
    if (causes !== void 0) for (const one of causes) this.#add(origin, one, at);
  }
  #add(origin, cause, at) {
    const { sameCause, now } = this.#rules;
    const { first, rest } = origin;
    if (first !== void 0 && sameCause(first, cause)) return;
    if (rest?.some((known) => sameCause(known.cause, cause)) === true) return;
    if (rest?.length === MAX_CAUSES - 1) this.#addSource(origin, this.#sourceOf(cause));
    else this.#push(origin, cause, Math.floor(at ?? now()));
  }
  #push(origin, cause, at) {
    if (origin.first !== void 0) {
      (origin.rest ??= []).push({ cause, at });
      return;
    }
    origin.first = cause;
    origin.firstAt = at;
  }
  #addSource(origin, source) {
    const { sameCause, sourceOf } = this.#rules;
    if (origin.causes().some((cause) => Object.is(this.#sourceOf(cause), source))) return;
    const furtherSources = (origin.furtherSources ??= /* @__PURE__ */ new Set());
    if (sourceOf === void 0 && sameCause !== Object.is) {
      const same = (other) => sameCause(other, source);
      if ([...furtherSources].some(same)) return;
    }
    furtherSources.add(source);
  }
  #sourceOf(cause) {
    const { sourceOf } = this.#rules;
    return sourceOf === void 0 ? cause : sourceOf(cause);
  }
};
function isWithdrawn(origin) {
  if (origin === void 0 || origin.isPermanent) return false;
  return origin.first === void 0 && origin.furtherSources === void 0;
}
function namesCause({ cause, causes }) {
  return cause !== void 0 || (causes !== void 0 && causes.length > 0);
}

// packages/workqueue/src/backlog/ageing.ts
var Ageing = class {
  #ageAfter;
  /** No entry rises before this time, so `take` need not look at the lower levels. */
  #dueAt = Infinity;
  #rank = 0;
  #oldestAt = Infinity;
  /** True if the last hand-out was that of a risen entry. */
  #hadTurn = false;
  /** `ageAfter` in ms; 0 means that no entry rises. */
  constructor(ageAfter) {
    this.#ageAfter = ageAfter === 0 ? Infinity : ageAfter;
  }
  /** Replaces `ageAfter`. The next hand-out looks at every level, since the times of the entries have changed. */
  replace(ageAfter) {
    this.#ageAfter = ageAfter === 0 ? Infinity : ageAfter;
    this.#dueAt = -Infinity;
  }
  /** Records when an entry became ready. Must be called for each entry that becomes the next one of a list. */
  notice(readyAt) {
    const dueAt = readyAt + this.#ageAfter;
    if (dueAt < this.#dueAt) this.#dueAt = dueAt;
  }
  /** Begins a hand-out. Returns true if an entry may have risen: then each level is offered. */
  begin(now) {
    if (now < this.#dueAt) {
      this.#hadTurn = false;
      return false;
    }
    this.#dueAt = Infinity;
    this.#rank = 0;
    this.#oldestAt = Infinity;
    return true;
  }
  /**
   * Offers the next entry of each level, the highest level first. Returns true for an entry that has risen to the
   * highest level and is older than those offered before.
   */
  offer(readyAt, now) {
    this.notice(readyAt);
    const rank = this.#rank;
    this.#rank += 1;
    if (rank === 0 || now < readyAt + rank * this.#ageAfter || readyAt >= this.#oldestAt)
      return false;
    this.#oldestAt = readyAt;
    return true;
  }
  /** Ends a hand-out. Returns true if the risen entry is handed out, false if the highest level hands out its own. */
  end(hasRisen) {
    this.#hadTurn = hasRisen && !this.#hadTurn;
    return this.#hadTurn;
  }
};

// packages/workqueue/src/backlog/line.ts
var OWN_WEIGHT = 1;
var OWN = '';
var Line = class _Line {
  /** The line of the priority. */
  root;
  #name;
  #parent;
  #weight;
  /** The first and the last slot of the list, linked by `next` and `previous` of the table; -1 for an empty list. */
  head = -1;
  tail = -1;
  /** The number of ready entries of this line and its groups, including skipped ones. */
  depth = 0;
  #children;
  /** The child whose turn it is, in the ring of the children with listed entries. */
  #turn;
  /** The neighbours in the ring of the parent. A line outside of the ring is its own neighbour. */
  #next = this;
  #previous = this;
  #isInRing = false;
  /** The number of entries that the line may still hand out in this round. */
  #credit = 0;
  constructor(name = OWN, weight = OWN_WEIGHT, parent) {
    this.root = parent?.root ?? this;
    this.#name = name;
    this.#weight = weight;
    this.#parent = parent;
  }
  /** Returns the line with the list of a group; creates it if the group has no entries. */
  at(group, weightOf) {
    const known = typeof group === 'string' ? this.#children?.get(group) : void 0;
    if (known !== void 0 && known.#children === void 0) return known;
    const path = typeof group === 'string' ? [group] : (group ?? []);
    return this.#descend(path, 0, weightOf);
  }
  /** The line with the list whose first entry is handed out next. */
  get next() {
    return this.#turn === void 0 ? this : this.#turn.next;
  }
  /** Counts or uncounts an entry of the list. The line of a group is removed with its last entry. */
  count(change) {
    this.depth += change;
    const parent = this.#parent;
    if (parent === void 0) return;
    if (this.depth === 0) parent.#remove(this);
    parent.count(change);
  }
  /** Enters the ring of the parent as its last member, because an entry is listed. */
  enter() {
    const parent = this.#parent;
    if (parent === void 0 || this.#isInRing) return;
    this.#isInRing = true;
    this.#credit = this.#weight;
    if (parent.#turn === void 0) parent.#turn = this;
    else this.#linkBefore(parent.#turn);
    parent.enter();
  }
  /** Leaves the ring of the parent, because no entry is listed. */
  leave() {
    const parent = this.#parent;
    if (parent === void 0 || !this.#isInRing) return;
    this.#isInRing = false;
    if (parent.#turn === this) parent.#turn = this.#next === this ? void 0 : this.#next;
    this.#previous.#next = this.#next;
    this.#next.#previous = this.#previous;
    this.#next = this;
    this.#previous = this;
    if (parent.#turn === void 0) parent.leave();
  }
  /** Records that an entry of the list was handed out. Passes the turn on when the credit is used. */
  spend() {
    const parent = this.#parent;
    if (parent === void 0) return;
    this.#credit -= 1;
    if (this.#isInRing && this.#credit <= 0) {
      this.#credit = this.#weight;
      parent.#turn = this.#next;
    }
    parent.spend();
  }
  #descend(path, depth, weightOf) {
    const name = path[depth];
    if (name === void 0) {
      if (this.#children === void 0) return this;
      return this.#children.get(OWN) ?? this.#add(OWN, OWN_WEIGHT);
    }
    const known = this.#children?.get(name);
    const child = known ?? this.#add(name, weightOf(path.slice(0, depth + 1)));
    return child.#descend(path, depth + 1, weightOf);
  }
  #linkBefore(other) {
    this.#next = other;
    this.#previous = other.#previous;
    this.#previous.#next = this;
    other.#previous = this;
  }
  #add(name, weight) {
    this.#children ??= this.#firstChildren();
    const child = new _Line(name, weight, this);
    this.#children.set(name, child);
    return child;
  }
  /** Moves the list into a child of its own. The slots do not refer to their line. */
  #firstChildren() {
    const children = /* @__PURE__ */ new Map();
    if (this.depth === 0) return children;
    const own = new _Line(OWN, OWN_WEIGHT, this);
    own.head = this.head;
    own.tail = this.tail;
    own.depth = this.depth;
    this.head = -1;
    this.tail = -1;
    if (own.head !== -1) {
      own.#isInRing = true;
      own.#credit = OWN_WEIGHT;
      this.#turn = own;
    }
    return children.set(OWN, own);
  }
  #remove(child) {
    this.#children?.delete(child.#name);
    if (this.#children?.size === 0) this.#children = void 0;
  }
};

// packages/workqueue/src/backlog/ready-levels.ts
var MAX_EMPTY_LEVELS = 64;
var COUNT_IS_WRONG = 'workqueue: no list has an entry although entries are counted as available';
var ReadyLevels = class {
  #table;
  #weightOf;
  #ageing;
  #byPriority = /* @__PURE__ */ new Map();
  /** Sorted by priority: the last level is the highest. */
  #ascending = [];
  /** The level that was used last: most adds have the same priority. */
  #recent;
  /** The number of levels at which empty ones are removed. */
  #sweepAt = MAX_EMPTY_LEVELS;
  #length = 0;
  #available = 0;
  constructor(table, order) {
    this.#table = table;
    this.#weightOf = order.weightOf;
    this.#ageing = new Ageing(order.ageAfter);
  }
  ageAfter(milliseconds) {
    this.#ageing.replace(milliseconds);
  }
  /** The number of ready entries. */
  get length() {
    return this.#length;
  }
  /** The number of ready entries whose key is not locked, so that `take` can return them. */
  get available() {
    return this.#available;
  }
  /** The number of ready entries by priority, highest first, without empty levels. */
  depths() {
    const filled = this.#ascending.toReversed().filter(({ root }) => root.depth > 0);
    return new Map(filled.map(({ priority, root }) => [priority, root.depth]));
  }
  /** Adds an entry at the end of the list of its priority and group. */
  push(slot) {
    const line = this.#lineOf(slot);
    line.count(1);
    this.#length += 1;
    this.#table.stamp(slot);
    if (!this.#isLocked(slot)) this.#available += 1;
    else if (line.head === -1) {
      this.#table.place[slot] = Place.skipped;
      return;
    }
    this.#link(line, slot, line.tail, -1);
  }
  /** Removes and returns the best entry whose key is not locked; -1 without such an entry. */
  take(now) {
    if (this.#available === 0) return -1;
    this.#dropEmptyTop();
    if (this.#ageing.begin(now)) return this.#takeByAge(now);
    for (let index = this.#ascending.length - 1; index >= 0; index -= 1) {
      const { root } = this.#ascending[index];
      const line = root.next;
      if (line.head !== -1) return this.#handOut(line);
    }
    throw new Error(COUNT_IS_WRONG);
  }
  /** Removes an entry from any place. */
  remove(slot) {
    this.#remove(this.#lineOf(slot), slot);
  }
  /** Makes a ready entry available after the lock of its key is released. */
  unlock(slot) {
    this.#available += 1;
    if (this.#table.place[slot] === Place.listed) return;
    const line = this.#lineOf(slot);
    const { order, next } = this.#table;
    let after = line.head;
    while (after !== -1 && order[after] < order[slot]) {
      after = next[after];
    }
    const before = after === -1 ? line.tail : this.#table.previous[after];
    this.#link(line, slot, before, after);
  }
  /** Links an entry again after the table has moved its row to `slot`. */
  move(slot) {
    if (this.#table.place[slot] !== Place.listed) return;
    const { previous, next } = this.#table;
    this.#link(this.#lineOf(slot), slot, previous[slot], next[slot]);
  }
  /** Takes an entry when one may have risen: looks at every level with entries. */
  #takeByAge(now) {
    let highest;
    let risen;
    let rest = this.#length;
    for (let index = this.#ascending.length - 1; rest > 0; index -= 1) {
      const { root } = this.#ascending[index];
      rest -= root.depth;
      const line = root.next;
      if (line.head === -1) continue;
      highest ??= line;
      if (this.#ageing.offer(this.#table.readyAt[line.head], now)) risen = line;
    }
    const chosen = this.#ageing.end(risen !== void 0) ? risen : highest;
    if (chosen === void 0) throw new Error(COUNT_IS_WRONG);
    return this.#handOut(chosen);
  }
  #handOut(line) {
    const slot = line.head;
    this.#remove(line, slot);
    line.spend();
    this.#noticeTurn(line);
    return slot;
  }
  #remove(line, slot) {
    this.#length -= 1;
    if (!this.#isLocked(slot)) this.#available -= 1;
    if (this.#table.place[slot] === Place.listed) this.#unlink(line, slot);
    this.#table.place[slot] = Place.none;
    line.count(-1);
    this.#noticeTurn(line);
  }
  #isLocked(slot) {
    return this.#table.held[slot] !== 0;
  }
  #link(line, slot, before, after) {
    const { next, previous, place } = this.#table;
    place[slot] = Place.listed;
    previous[slot] = before;
    next[slot] = after;
    if (after === -1) line.tail = slot;
    else previous[after] = slot;
    if (before !== -1) {
      next[before] = slot;
      return;
    }
    line.head = slot;
    line.enter();
    this.#noticeHead(line);
  }
  #unlink(line, slot) {
    const { next, previous } = this.#table;
    const before = previous[slot];
    const after = next[slot];
    if (after === -1) line.tail = before;
    else previous[after] = before;
    if (before !== -1) {
      next[before] = after;
      return;
    }
    line.head = after;
    this.#skipLocked(line);
    if (line.head === -1) line.leave();
    else this.#noticeHead(line);
  }
  /** Takes locked entries off the start of a list. */
  #skipLocked(line) {
    const { next, previous, place } = this.#table;
    while (line.head !== -1 && this.#isLocked(line.head)) {
      place[line.head] = Place.skipped;
      line.head = next[line.head];
    }
    if (line.head === -1) line.tail = -1;
    else previous[line.head] = -1;
  }
  /** The turn may have passed from this group to another one. */
  #noticeTurn(line) {
    if (line === line.root) return;
    const { next } = line.root;
    if (next !== line && next.head !== -1) this.#noticeHead(next);
  }
  #noticeHead(line) {
    this.#ageing.notice(this.#table.readyAt[line.head]);
  }
  #lineOf(slot) {
    const { root } = this.#level(this.#table.priority[slot]);
    const { groups } = this.#table;
    return groups === void 0 ? root : root.at(groups[slot], this.#weightOf);
  }
  #level(priority) {
    if (this.#recent?.priority === priority) return this.#recent;
    this.#recent = this.#byPriority.get(priority) ?? this.#addLevel(priority);
    return this.#recent;
  }
  #addLevel(priority) {
    if (this.#ascending.length >= this.#sweepAt) this.#sweep();
    const level = { priority, root: new Line() };
    this.#byPriority.set(priority, level);
    this.#ascending.splice(this.#indexFor(priority), 0, level);
    return level;
  }
  #indexFor(priority) {
    let low = 0;
    let high = this.#ascending.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#ascending[middle].priority < priority) low = middle + 1;
      else high = middle;
    }
    return low;
  }
  /** Removes empty levels at the top if there are many, so that `take` does not scan them. */
  #dropEmptyTop() {
    while (this.#ascending.length > MAX_EMPTY_LEVELS && this.#ascending.at(-1)?.root.depth === 0) {
      this.#byPriority.delete(this.#ascending.pop().priority);
      this.#recent = void 0;
    }
  }
  #sweep() {
    this.#recent = void 0;
    this.#ascending = this.#ascending.filter((level) => level.root.depth > 0);
    this.#byPriority.clear();
    for (const level of this.#ascending) this.#byPriority.set(level.priority, level);
    this.#sweepAt = Math.max(MAX_EMPTY_LEVELS, 2 * this.#ascending.length);
  }
};

// packages/workqueue/src/backlog/wake-timer.ts
var MAX_TIMER_MS = 2 ** 31 - 1;
var WakeTimer = class {
  #now;
  #ring;
  #timeout;
  #at = Infinity;
  constructor(now, ring) {
    this.#now = now;
    this.#ring = ring;
  }
  /** Fires at `moment`, never for `Infinity`. It replaces the previous moment. */
  set(moment) {
    if (moment === this.#at) return;
    this.clear();
    if (moment === Infinity) return;
    this.#at = moment;
    const delay = Math.min(Math.max(Math.ceil(moment - this.#now()), 0), MAX_TIMER_MS);
    this.#timeout = setTimeout(() => {
      this.#at = Infinity;
      this.#ring();
    }, delay);
  }
  clear() {
    clearTimeout(this.#timeout);
    this.#at = Infinity;
  }
};

// packages/workqueue/src/backlog/backlog.ts
var MAX_PROMOTED_PER_TURN = 8192;
var Backlog = class {
  #table;
  #observer;
  #onAvailable;
  #onDropped;
  #ready;
  #waiting;
  #timer;
  constructor(options) {
    this.#table = options.table;
    this.#observer = options.observer;
    this.#onAvailable = options.onAvailable;
    this.#onDropped = options.onDropped;
    this.#ready = new ReadyLevels(options.table, options);
    this.#waiting = new DelayHeap(options.table);
    this.#timer = new WakeTimer(options.now, () => this.#promote(options.now()));
  }
  /** Replaces the time in ms after which a ready entry rises; 0 means never. */
  ageAfter(milliseconds) {
    this.#ready.ageAfter(milliseconds);
  }
  /** The number of ready entries. */
  get length() {
    return this.#ready.length;
  }
  /** The number of ready entries whose key is not locked. */
  get available() {
    return this.#ready.available;
  }
  /** The number of entries whose delay has not ended. */
  get waiting() {
    return this.#waiting.size;
  }
  depths() {
    return this.#ready.depths();
  }
  /** Queues the entry that the table has in this slot. A delay counts as a retry unless an add debounced it. */
  enter(slot, due, now, isDebounced = false) {
    if (due > now) {
      if (!isDebounced) this.#observer?.retried?.();
      this.#waiting.push(slot, due);
      this.#timer.set(this.#waiting.deadline);
    } else {
      this.#makeReady(slot, now);
    }
  }
  /** True if the entry is ready, so that further adds cannot make it ready earlier. */
  isReady(slot) {
    return this.#table.place[slot] !== Place.waiting;
  }
  /** Merges an add into an existing entry: the higher priority is used. */
  merge(slot, origin, priority) {
    this.#table.origins[slot] = origin;
    this.#raise(slot, priority);
  }
  /** The time when a waiting entry becomes ready. */
  dueOf(slot) {
    return this.#waiting.deadlineOf(slot);
  }
  /** Makes a waiting entry ready earlier. A time later than its own has no effect. */
  advance(slot, due, now) {
    if (this.isReady(slot)) return;
    if (due <= now || due < this.dueOf(slot)) this.reschedule(slot, due, now);
  }
  /** Makes a waiting entry ready earlier or later. */
  reschedule(slot, due, now) {
    if (due > now) {
      this.#waiting.reschedule(slot, due);
    } else {
      this.#waiting.remove(slot);
      this.#makeReady(slot, now);
    }
    this.#timer.set(this.#waiting.deadline);
  }
  /**
   * Removes and returns the best ready entry whose key is not locked; -1 without such an entry.
   */
  take(now) {
    if (this.#waiting.deadline <= now) this.#promote(now);
    return this.#ready.take(now);
  }
  /** Makes an entry available after the lock of its key is released. */
  unlock(slot) {
    if (this.#table.place[slot] === Place.waiting) return;
    this.#ready.unlock(slot);
    this.#onAvailable();
  }
  /**
   * Replaces origins by their remaining parts, and drops entries without a remaining source.
   * Returns the number of dropped entries.
   */
  withdraw(left) {
    const { origins } = this.#table;
    return this.#dropWhere((slot) => {
      const origin = origins[slot];
      const reduced = origin === void 0 ? void 0 : left.get(origin);
      if (reduced === void 0) return false;
      origins[slot] = reduced;
      return isWithdrawn(reduced);
    });
  }
  /** Drops the entries of these keys. Returns their number. */
  purge(keys) {
    return keys.size === 0 ? 0 : this.#dropWhere((slot) => keys.has(this.#table.keys[slot]));
  }
  /** Drops every entry. With `keepHeld`, keeps ready entries whose key is held. */
  clear(keepHeld) {
    this.#dropWhere((slot) => {
      const waits = this.#table.place[slot] === Place.waiting;
      return waits || !keepHeld || this.#table.held[slot] === 0;
    });
    this.shrink();
  }
  /** Frees the memory of a past burst. */
  shrink() {
    if (this.#table.isSparse) this.#table.compact((slot) => this.#moved(slot));
  }
  #moved(slot) {
    if (this.#table.place[slot] === Place.waiting) this.#waiting.move(slot);
    else this.#ready.move(slot);
  }
  #raise(slot, priority) {
    const before = this.#table.priority[slot];
    if (priority <= before) return;
    const waits = this.#table.place[slot] === Place.waiting;
    if (!waits) this.#ready.remove(slot);
    this.#table.priority[slot] = priority;
    if (waits) return;
    this.#ready.push(slot);
    this.#observer?.depthChanged?.(before, -1);
    this.#observer?.depthChanged?.(priority, 1);
  }
  #makeReady(slot, now) {
    const priority = this.#table.priority[slot];
    this.#table.readyAt[slot] = now;
    this.#ready.push(slot);
    this.#observer?.added?.(priority);
    this.#observer?.depthChanged?.(priority, 1);
    this.#onAvailable();
  }
  #promote(now) {
    for (
      let count = 0;
      count < MAX_PROMOTED_PER_TURN && this.#waiting.deadline <= now;
      count += 1
    ) {
      this.#makeReady(this.#waiting.pop(), now);
    }
    this.#timer.set(this.#waiting.deadline);
  }
  #dropWhere(unwanted) {
    let dropped = 0;
    for (let slot = 0; slot < this.#table.size; slot += 1) {
      if (!this.#table.hasEntry(slot) || !unwanted(slot)) continue;
      this.#drop(slot);
      dropped += 1;
    }
    this.#timer.set(this.#waiting.deadline);
    return dropped;
  }
  #drop(slot) {
    if (this.#table.place[slot] === Place.waiting) {
      this.#waiting.remove(slot);
    } else {
      this.#ready.remove(slot);
      this.#observer?.depthChanged?.(this.#table.priority[slot], -1);
    }
    this.#onDropped(slot);
  }
};

// packages/workqueue/src/queue/backoff-windows.ts
var MAX_CHARGES = 64;
var BackoffWindows = class {
  #limiter;
  #windows = /* @__PURE__ */ new Map();
  /** True if no key failed. The size of the map costs a call for every add and take. */
  #isEmpty = true;
  constructor(limiter) {
    this.#limiter = limiter;
  }
  /**
   * Uses another limiter from the next failure on. Its counters are charged with the failures that the former one has
   * counted.
   */
  limitBy({ limiter, counters }) {
    for (const key of this.#windows.keys()) {
      const charges = Math.min(this.#limiter.failures(key), MAX_CHARGES);
      for (let charge = 0; charge < charges; charge += 1) {
        for (const counter of counters) counter.charge(key);
      }
    }
    this.#limiter = limiter;
  }
  failures(key) {
    return this.#windows.get(key)?.failures ?? 0;
  }
  /** Records a failed run. Returns the time when its retry is due. `delay` replaces that of the limiter. */
  fail(key, now, delay) {
    const window = this.#windows.get(key);
    const failures = (window?.failures ?? 0) + 1;
    if (window !== void 0 && now < window.deadline) {
      window.failures = failures;
      return window.deadline;
    }
    const deadline = now + (delay ?? this.#limiter.delay(key));
    this.#limiter.charge(key);
    this.#windows.set(key, { failures, deadline, hadEarlyRun: false, wantedAt: Infinity });
    this.#isEmpty = false;
    return deadline;
  }
  /** Returns the time when a retry is due that is not charged. */
  retryAt(key, now, delay) {
    const deadline = this.#windows.get(key)?.deadline ?? -Infinity;
    return now < deadline ? deadline : now + (delay ?? this.#limiter.delay(key));
  }
  /**
   * Returns the time when an add for the time `wanted` is due: the deadline if the window had its
   * early run.
   */
  admit(key, wanted, now) {
    const window = this.#isEmpty ? void 0 : this.#windows.get(key);
    if (window === void 0 || !delaysAdds(window, now) || wanted >= window.deadline) return wanted;
    window.wantedAt = Math.min(window.wantedAt, wanted);
    return window.deadline;
  }
  /** Records that a run of the key was handed out. Returns the failures before it. */
  take(key, now) {
    const window = this.#isEmpty ? void 0 : this.#windows.get(key);
    if (window === void 0) return 0;
    window.wantedAt = Infinity;
    if (now < window.deadline) window.hadEarlyRun = true;
    return window.failures;
  }
  /** Records that the entry of a held key was dropped. */
  drop(key) {
    const window = this.#windows.get(key);
    if (window !== void 0) window.wantedAt = Infinity;
  }
  /**
   * Forgets the failures of a key. Returns the earliest time of an add that waits for the deadline.
   */
  forget(key) {
    this.#limiter.forget(key);
    const window = this.#isEmpty ? void 0 : this.#windows.get(key);
    if (window === void 0) return Infinity;
    this.#windows.delete(key);
    this.#isEmpty = this.#windows.size === 0;
    return window.wantedAt;
  }
};
function delaysAdds(window, now) {
  return window.hadEarlyRun && now < window.deadline;
}

// packages/workqueue/src/errors.ts
var workqueueErrors = {
  QUEUE_SHUT_DOWN: 'the queue is shut down and accepts no more items',
  INVALID_OPTION: 'an option of the workqueue is not valid',
  REENTRANT_CALL: 'a function that the queue calls called the queue',
  USER_FUNCTION_FAILED: 'a function of the user threw or returned an invalid value',
};
var WorkQueueError = class extends Error {
  name = 'WorkQueueError';
  code;
  facts;
  constructor(code, facts = {}, options = {}) {
    super(withFacts(workqueueErrors[code], facts), options);
    this.code = code;
    this.facts = facts;
  }
};
function withFacts(message, facts) {
  const parts = Object.entries(facts).map(([key, value]) => `${key}=${String(value)}`);
  return parts.length === 0 ? message : `${message} (${parts.join(', ')})`;
}

// packages/workqueue/src/contract/check-options.ts
function checkOptionNames(options, known) {
  checkObject('options', options);
  for (const option of Object.keys(options)) {
    if (!known.includes(option)) {
      throw new WorkQueueError('INVALID_OPTION', { option, known: known.join(' ') });
    }
  }
}
function checkObject(option, value) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new WorkQueueError('INVALID_OPTION', { option, value: typeof value });
  }
}
function checkNumber(option, value, least = -Infinity) {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < least) {
    throw new WorkQueueError('INVALID_OPTION', { option, value });
  }
}
function checkFunction(option, value) {
  if (value !== void 0 && typeof value !== 'function') {
    throw new WorkQueueError('INVALID_OPTION', { option, value: typeof value });
  }
}
function requireFunction(option, value) {
  if (typeof value === 'function') return;
  throw new WorkQueueError('INVALID_OPTION', { option, value: typeof value });
}
function checkSignal(signal) {
  if (signal === void 0) return;
  const { aborted } = signal ?? {};
  if (typeof aborted !== 'boolean')
    throw new WorkQueueError('INVALID_OPTION', { option: 'signal' });
}
function checkObserver(option, observer, methods) {
  checkObject(option, observer);
  for (const method of methods) {
    checkFunction(`${option}.${method}`, observer[method]);
  }
}
function checkLimiter(option, limiter) {
  checkObject(option, limiter);
  for (const method of ['delay', 'charge', 'forget', 'failures']) {
    if (typeof limiter[method] !== 'function') {
      throw new WorkQueueError('INVALID_OPTION', { option, missing: method });
    }
  }
}

// packages/workqueue/src/queue/debounces.ts
var Debounces = class {
  #windows = /* @__PURE__ */ new Map();
  /** The size of the map costs a call for every take. */
  #isEmpty = true;
  /**
   * Records a debounced add. Returns the time that it asks for: after `wait`, but not after the end of the window.
   * `due` is the time of the existing entry, `Infinity` without one.
   */
  delay(key, { wait, maxWait }, now, due) {
    let window = this.#windows.get(key);
    if (window === void 0) {
      window = { latest: now + maxWait, fixed: due };
      this.#windows.set(key, window);
      this.#isEmpty = false;
    }
    window.latest = Math.min(window.latest, now + maxWait);
    return Math.min(now + wait, window.latest);
  }
  /** Records that an add without debounce is due at this time. */
  fix(key, due) {
    const window = this.#isEmpty ? void 0 : this.#windows.get(key);
    if (window !== void 0) window.fixed = Math.min(window.fixed, due);
  }
  /** Returns the time beyond which no debounced add may postpone the entry. */
  fixedAt(key) {
    return this.#windows.get(key)?.fixed ?? Infinity;
  }
  /** Ends the window of a key. */
  end(key) {
    if (this.#isEmpty) return;
    this.#windows.delete(key);
    this.#isEmpty = this.#windows.size === 0;
  }
};

// packages/workqueue/src/queue/held-item.ts
var none = Object.freeze([]);
var HeldItem = class {
  item;
  priority;
  failures;
  queuedMs;
  startedAt;
  #initialOrigin;
  #origin;
  #hasFailed = false;
  /** One parameter for each fact: an object of them would be a second allocation. */
  constructor(item, priority, failures, queuedMs, startedAt, origin) {
    this.item = item;
    this.priority = priority;
    this.failures = failures;
    this.queuedMs = queuedMs;
    this.startedAt = startedAt;
    this.#initialOrigin = origin;
    this.#origin = origin;
  }
  get causes() {
    return this.#initialOrigin?.causes() ?? none;
  }
  get causedAt() {
    return this.#initialOrigin?.causedAt() ?? none;
  }
  /**
   * The origin at the time when the item was handed out, including sources that were withdrawn
   * later.
   */
  get initialOrigin() {
    return this.#initialOrigin;
  }
  /** The origin without withdrawn sources: a retry inherits it. */
  get origin() {
    return this.#origin;
  }
  /** True after a rate-limited add has reported the failure of this run. */
  get hasFailed() {
    return this.#hasFailed;
  }
  get isWithdrawn() {
    return isWithdrawn(this.#origin);
  }
  fail() {
    this.#hasFailed = true;
  }
  /** Replaces the origin after sources were withdrawn. */
  reduce(left) {
    if (this.#origin !== void 0) this.#origin = left.get(this.#origin) ?? this.#origin;
  }
};

// packages/workqueue/src/queue/held-items.ts
var KEPT_ROWS3 = 1024;
var HeldItems = class {
  #table;
  /** The list is a ring. Row 0 is its start and has no item. */
  #rows = [void 0];
  /** The neighbours in the ring; `next` also links the free rows, the last of which has 0. */
  #next = new Int32Array(16);
  #previous = new Int32Array(16);
  #free = 0;
  /** The slot of the item that was handed out last. Another item may have it since. */
  #lastSlot = 0;
  #size = 0;
  /**
   * The sum of `startedAt`; exactly 0 without held items, so that rounding errors do not add up.
   */
  #startedSum = 0;
  constructor(table) {
    this.#table = table;
  }
  get size() {
    return this.#size;
  }
  /** Returns the held item of a slot. */
  at(slot) {
    return slot === void 0 ? void 0 : this.#rows[this.#table.held[slot]];
  }
  /** Hands out the entry of a slot: it locks the key. */
  hold(slot, failures, now) {
    const table = this.#table;
    const held = new HeldItem(
      table.items[slot],
      table.priority[slot],
      failures,
      now - table.readyAt[slot],
      now,
      table.origins[slot],
    );
    table.clear(slot);
    table.held[slot] = this.#insert(held);
    this.#lastSlot = slot;
    return held;
  }
  /**
   * Returns the slot of an item if it was handed out last. A worker that finishes each item before
   * it takes the next saves a search for the key.
   */
  slotIfLast(item) {
    const last = this.at(this.#lastSlot);
    return last !== void 0 && last.item === item ? this.#lastSlot : void 0;
  }
  /** Unlocks the key of a slot. */
  release(slot) {
    const row = this.#table.held[slot];
    this.#table.held[slot] = 0;
    const startedAt = this.#rows[row]?.startedAt ?? 0;
    this.#rows[row] = void 0;
    const before = this.#previous[row];
    const after = this.#next[row];
    this.#next[before] = after;
    this.#previous[after] = before;
    this.#next[row] = this.#free;
    this.#free = row;
    this.#size -= 1;
    this.#startedSum -= startedAt;
    if (this.#size === 0) this.#reset();
  }
  *[Symbol.iterator]() {
    for (let row = this.#next[0]; row !== 0; row = this.#next[row]) {
      yield this.#rows[row];
    }
  }
  /** The sum of the times for which the items have been held, in ms. */
  unfinishedMs(now) {
    return Math.max(0, this.#size * now - this.#startedSum);
  }
  /**
   * How long the first item has been held, in ms. It is the longest time, because the clock never
   * goes back.
   */
  longestRunningMs(now) {
    const first = this.#rows[this.#next[0]];
    return first === void 0 ? 0 : now - first.startedAt;
  }
  #insert(held) {
    const row = this.#free === 0 ? this.#append() : this.#free;
    if (row === this.#free) this.#free = this.#next[row];
    this.#rows[row] = held;
    const last = this.#previous[0];
    this.#next[last] = row;
    this.#previous[row] = last;
    this.#next[row] = 0;
    this.#previous[0] = row;
    this.#size += 1;
    this.#startedSum += held.startedAt;
    return row;
  }
  #append() {
    const row = this.#rows.length;
    this.#rows.push(void 0);
    if (row === this.#next.length) {
      this.#next = doubled(this.#next);
      this.#previous = doubled(this.#previous);
    }
    return row;
  }
  #reset() {
    this.#startedSum = 0;
    if (this.#rows.length <= KEPT_ROWS3) return;
    this.#rows = [void 0];
    this.#next = new Int32Array(16);
    this.#previous = new Int32Array(16);
    this.#free = 0;
  }
};
function doubled(from) {
  const to = new Int32Array(from.length * 2);
  to.set(from);
  return to;
}

// packages/workqueue/src/queue/intake.ts
var Intake = class {
  #table;
  #heldItems;
  #backlog;
  #windows;
  #debounces;
  #origins;
  #grouping;
  #now;
  constructor(options) {
    this.#table = options.table;
    this.#heldItems = options.heldItems;
    this.#backlog = options.backlog;
    this.#windows = options.windows;
    this.#debounces = options.debounces;
    this.#origins = options.origins;
    this.#grouping = options.grouping;
    this.#now = options.now;
  }
  add(item, key, options) {
    const slot = this.#table.slotOf(key);
    if (options.rateLimited === true && this.#isFailure(slot)) {
      this.#addRetry(item, key, slot, options);
    } else if (slot !== void 0 && this.#table.hasEntry(slot)) {
      this.#collapse(key, slot, options);
    } else {
      this.#enter(item, key, slot, options);
    }
  }
  /** A rate-limited add reports a failure once for each run, and without a run for each entry. */
  #isFailure(slot) {
    if (slot === void 0) return true;
    const held = this.#heldItems.at(slot);
    return held === void 0 ? !this.#table.hasEntry(slot) : !held.hasFailed;
  }
  #enter(item, key, slot, options) {
    const now = this.#now();
    const isDebounced = debounceOf(options) !== void 0;
    const due = this.#due(key, options, now, Infinity);
    const origin = this.#origins.begin(options, now);
    const entered = this.#table.claim(key, slot);
    this.#table.fill(entered, item, options.priority ?? 0, origin);
    this.#group(entered, item);
    this.#backlog.enter(entered, due, now, isDebounced);
  }
  /** Merges an add into the entry of its key. */
  #collapse(key, slot, options) {
    const origin = this.#origins.extend(this.#table.origins[slot], options);
    this.#backlog.merge(slot, origin, options.priority ?? 0);
    if (this.#backlog.isReady(slot)) return;
    const now = this.#now();
    if (debounceOf(options) === void 0) {
      this.#advance(key, slot, this.#due(key, options, now, Infinity), now);
      return;
    }
    const before = this.#backlog.dueOf(slot);
    if (before <= now) return;
    const due = this.#due(key, options, now, before);
    this.#backlog.reschedule(slot, Math.min(due, this.#debounces.fixedAt(key)), now);
  }
  #advance(key, slot, due, now) {
    this.#debounces.fix(key, due);
    this.#backlog.advance(slot, due, now);
  }
  /** Returns the time when an add is due that reports no failure. `before` is the time of the existing entry. */
  #due(key, options, now, before) {
    const { after = 0, backoff } = options;
    const wanted = after > 0 ? now + after : now;
    if (options.rateLimited === true) {
      return Math.max(wanted, this.#windows.retryAt(key, now, backoff));
    }
    const debounce = debounceOf(options);
    if (debounce === void 0) return this.#windows.admit(key, wanted, now);
    const delayed = Math.max(wanted, this.#debounces.delay(key, debounce, now, before));
    return this.#windows.admit(key, delayed, now);
  }
  /** Records the failure of a run and queues its retry, which keeps the sources of the run. */
  #addRetry(item, key, slot, options) {
    const { after = 0, priority = 0 } = options;
    const now = this.#now();
    const due = Math.max(this.#windows.fail(key, now, options.backoff), now + after);
    const held = this.#heldItems.at(slot);
    held?.fail();
    if (slot !== void 0 && this.#table.hasEntry(slot)) {
      const entry = this.#table.origins[slot] ?? new Origin(true);
      const origin2 = this.#origins.inherit(held?.origin, entry, options);
      this.#backlog.merge(slot, origin2, priority);
      this.#advance(key, slot, due, now);
      return;
    }
    const origin =
      held === void 0
        ? this.#origins.begin(options, now)
        : this.#origins.inherit(held.origin, void 0, options);
    const entered = this.#table.claim(key, slot);
    this.#table.fill(entered, item, priority, origin);
    this.#group(entered, item);
    this.#backlog.enter(entered, due, now);
  }
  #group(slot, item) {
    const { groups } = this.#table;
    if (groups !== void 0) groups[slot] = this.#grouping.groupOf(item);
  }
};
function debounceOf({ debounce, rateLimited }) {
  return rateLimited === true || debounce?.wait === 0 ? void 0 : debounce;
}

// packages/workqueue/src/queue/shut-down.ts
var ShutDown = class {
  #queue;
  /** `draining` accepts only re-adds of held keys without a delay. `closed` accepts no adds. */
  #state = 'open';
  #ended;
  constructor(queue) {
    this.#queue = queue;
  }
  get hasBegun() {
    return this.#state !== 'open';
  }
  get isDraining() {
    return this.#state === 'draining';
  }
  /** Returns true for a drain, unless the queue was closed before. */
  begin(drain) {
    this.#state = drain && this.#state !== 'closed' ? 'draining' : 'closed';
    return this.isDraining;
  }
  /** Resolves when the shutdown has ended. */
  end() {
    this.#ended ??= Promise.withResolvers();
    return this.#ended.promise;
  }
  /**
   * Returns true if the queue accepts the add, false if it drops the add; throws
   * `QUEUE_SHUT_DOWN` if it rejects the add.
   */
  accepts({ isHeld, isHeldBack }, options) {
    const { rateLimited = false, after = 0 } = options;
    if (isHeld && (rateLimited || (isHeldBack && after <= 0))) return false;
    if (isHeld && this.isDraining && after <= 0) return true;
    throw new WorkQueueError('QUEUE_SHUT_DOWN', { queue: this.#queue });
  }
  /** Ends the shutdown, unless a drain waits for remaining items. */
  settle(remaining) {
    if (this.#state === 'open' || (this.isDraining && remaining > 0)) return;
    this.#state = 'closed';
    this.#ended?.resolve();
  }
};

// packages/workqueue/src/queue/source-changes.ts
var SourceChanges = class {
  #options;
  constructor(options) {
    this.#options = options;
  }
  /** The held items with a cause of a matching source, even if the source was withdrawn later. */
  heldFor(matches) {
    requireFunction('processingFor.matches', matches);
    const { heldItems, origins } = this.#options;
    return [...heldItems].filter(({ initialOrigin }) => origins.has(initialOrigin, matches));
  }
  /** Withdraws the matching sources. Returns the number of purged entries. */
  withdraw(matches) {
    requireFunction('withdraw.matches', matches);
    const { table, heldItems, origins, userCode } = this.#options;
    userCode.refuseReentry();
    const held = Array.from(heldItems, ({ origin }) => origin);
    return this.#apply(origins.reduceAll([...table.origins, ...held], matches));
  }
  /** Replaces the causes of the matching sources. Returns the number of entries that are purged without an heir. */
  reassign(matches, heirsOf) {
    requireFunction('reassign.matches', matches);
    requireFunction('reassign.heirsOf', heirsOf);
    const { table, heldItems, origins, userCode } = this.#options;
    userCode.refuseReentry();
    const left = /* @__PURE__ */ new Map();
    const known = Array.from(heldItems, ({ item, origin }) => ({ item, origin }));
    for (const [slot, origin] of table.origins.entries()) {
      known.push({ item: table.items[slot], origin });
    }
    for (const { item, origin } of known) {
      if (origin === void 0) continue;
      const replaced = origins.replaced(origin, matches, (cause) => heirsOf(item, cause));
      if (replaced !== origin) left.set(origin, replaced);
    }
    return this.#apply(left);
  }
  /** Purges the queued entries of the matching items. Returns their number. */
  purge(matches) {
    requireFunction('purge.matches', matches);
    const { table, backlog, userCode } = this.#options;
    userCode.refuseReentry();
    const known = [...table.items.entries()].filter(([slot]) => table.hasEntry(slot));
    const queued = known.map(([slot, item]) => ({ key: table.keys[slot], item }));
    const unwanted = new Set(queued.filter(({ item }) => matches(item)).map(({ key }) => key));
    return this.#purged(backlog.purge(unwanted));
  }
  /** Sets the new origins. It calls no code of the user. */
  #apply(left) {
    const { heldItems, backlog } = this.#options;
    for (const item of heldItems) item.reduce(left);
    return this.#purged(backlog.withdraw(left));
  }
  #purged(purged) {
    const { backlog, observer, onChange } = this.#options;
    if (purged > 0) observer?.purged?.(purged);
    backlog.shrink();
    onChange();
    return purged;
  }
};

// packages/workqueue/src/queue/waiters.ts
var Waiters = class {
  #take;
  /** A set keeps the order of the calls and removes an aborted one in constant time. */
  #waiting = /* @__PURE__ */ new Set();
  #listeners = /* @__PURE__ */ new Set();
  #woken = false;
  constructor(take) {
    this.#take = take;
  }
  get size() {
    return this.#waiting.size;
  }
  wait(signal) {
    return new Promise((resolve, reject) => {
      const settle = (work) => {
        signal?.removeEventListener('abort', abort);
        resolve(work);
      };
      const abort = () => {
        this.#waiting.delete(settle);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', abort, { once: true });
      this.#waiting.add(settle);
    });
  }
  listen(listener) {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }
  /**
   * Serves the waiting consumers in a microtask, once for all adds of a turn, so that the highest
   * priority is handed out first.
   */
  wake() {
    if (this.#woken || (this.#waiting.size === 0 && this.#listeners.size === 0)) return;
    this.#woken = true;
    void this.#serveSoon();
  }
  /** Ends every waiting `get` with `undefined`. */
  end() {
    for (const settle of this.#waiting) settle(void 0);
    this.#waiting.clear();
  }
  async #serveSoon() {
    await Promise.resolve();
    this.#woken = false;
    this.#serve();
  }
  #serve() {
    for (const settle of this.#waiting) {
      const work = this.#take();
      if (work === void 0) return;
      this.#waiting.delete(settle);
      settle(work);
    }
    for (const listener of this.#listeners) listener();
  }
};

// packages/workqueue/src/contract/grouping.ts
var MAX_WEIGHT = 1e3;
var MAX_NAMES = 8;
var Grouping = class {
  #functions;
  #userCode;
  constructor(functions, userCode) {
    this.#functions = functions;
    this.#userCode = userCode;
  }
  /** False for a queue without groups. */
  get isUsed() {
    return this.#functions.groupOf !== void 0;
  }
  /** Returns no group if `groupOf` fails. */
  groupOf(item) {
    const { groupOf } = this.#functions;
    if (groupOf === void 0) return void 0;
    const group = this.#userCode.attempt('groupOf', () => copyOf(groupOf(item)));
    if (group === void 0 || isGroup(group)) return group;
    this.#userCode.invalid('groupOf', group);
    return void 0;
  }
  /** Returns 1 if `weightOf` fails. */
  weightOf(path) {
    const { weightOf } = this.#functions;
    if (weightOf === void 0) return 1;
    const weight = this.#userCode.attempt('weightOf', () => weightOf(path));
    if (weight === void 0) return 1;
    if (Number.isInteger(weight) && weight >= 1 && weight <= MAX_WEIGHT) return weight;
    this.#userCode.invalid('weightOf', weight);
    return 1;
  }
};
function copyOf(group) {
  return Array.isArray(group) ? Object.freeze(group.slice(0, MAX_NAMES + 1)) : group;
}
function isGroup(group) {
  return Array.isArray(group) ? group.length <= MAX_NAMES && group.every(isName) : isName(group);
}
function isName(name) {
  return typeof name === 'string' && name !== '';
}

// packages/workqueue/src/contract/rate-limiters.ts
var FailureCounter = class {
  #failures = /* @__PURE__ */ new Map();
  charge(key) {
    this.#failures.set(key, this.failures(key) + 1);
  }
  forget(key) {
    this.#failures.delete(key);
  }
  failures(key) {
    return this.#failures.get(key) ?? 0;
  }
};
var DEFAULT_BASE_MS = 5;
var DEFAULT_MAX_MS = 1e6;
var ExponentialBackoff = class extends FailureCounter {
  #base;
  #max;
  constructor(options = {}) {
    super();
    checkOptionNames(options, ['base', 'max']);
    if (options.base !== void 0) checkNumber('backoff.base', options.base, 0);
    if (options.max !== void 0) checkNumber('backoff.max', options.max, 0);
    const { base = Math.min(DEFAULT_BASE_MS, options.max ?? Infinity) } = options;
    const { max = Math.max(DEFAULT_MAX_MS, base) } = options;
    if (base > max)
      throw new WorkQueueError('INVALID_OPTION', { option: 'backoff.base', base, max });
    this.#base = base;
    this.#max = max;
  }
  delay(key) {
    return this.#base === 0 ? 0 : Math.min(this.#base * 2 ** this.failures(key), this.#max);
  }
};
var FastSlowLimiter = class extends FailureCounter {
  #options;
  constructor(options) {
    super();
    checkOptionNames(options, ['fast', 'slow', 'fastAttempts']);
    checkNumber('fast', options.fast, 0);
    checkNumber('slow', options.slow, 0);
    checkNumber('fastAttempts', options.fastAttempts, 0);
    this.#options = { ...options };
  }
  delay(key) {
    const { fast, slow, fastAttempts } = this.#options;
    return this.failures(key) < fastAttempts ? fast : slow;
  }
};
var TokenBucket = class {
  #perMs;
  #burst;
  #now;
  /** Negative if more retries are charged than tokens exist: each waits for its own token. */
  #tokens;
  #filledAt;
  constructor(options) {
    checkOptionNames(options, ['perSecond', 'burst', 'now']);
    checkNumber('perSecond', options.perSecond, Number.MIN_VALUE);
    checkNumber('burst', options.burst, 1);
    checkFunction('now', options.now);
    this.#perMs = options.perSecond / 1e3;
    this.#burst = options.burst;
    this.#now = options.now ?? (() => performance.now());
    this.#tokens = options.burst;
    this.#filledAt = this.#now();
  }
  delay() {
    this.#fill();
    return this.#tokens >= 1 ? 0 : (1 - this.#tokens) / this.#perMs;
  }
  charge() {
    this.#fill();
    this.#tokens -= 1;
  }
  forget() {}
  failures() {
    return 0;
  }
  #fill() {
    const now = this.#now();
    this.#tokens = Math.min(this.#burst, this.#tokens + (now - this.#filledAt) * this.#perMs);
    this.#filledAt = now;
  }
};
var CombinedLimiter = class {
  #limiters;
  constructor(...limiters) {
    for (const limiter of limiters) checkLimiter('limiters', limiter);
    this.#limiters = limiters;
  }
  delay(key) {
    let longest = 0;
    for (const limiter of this.#limiters) longest = Math.max(longest, limiter.delay(key));
    return longest;
  }
  charge(key) {
    for (const limiter of this.#limiters) limiter.charge(key);
  }
  forget(key) {
    for (const limiter of this.#limiters) limiter.forget(key);
  }
  failures(key) {
    let most = 0;
    for (const limiter of this.#limiters) most = Math.max(most, limiter.failures(key));
    return most;
  }
};
var CappedLimiter = class {
  #limiter;
  #max;
  constructor(limiter, max) {
    checkLimiter('limiter', limiter);
    checkNumber('max', max, 0);
    this.#limiter = limiter;
    this.#max = max;
  }
  delay(key) {
    return Math.min(this.#limiter.delay(key), this.#max);
  }
  charge(key) {
    this.#limiter.charge(key);
  }
  forget(key) {
    this.#limiter.forget(key);
  }
  failures(key) {
    return this.#limiter.failures(key);
  }
};

// packages/workqueue/src/contract/guarded-limiter.ts
var GuardedLimiter = class {
  #limiter;
  #userCode;
  /** Decides while the limiter fails, and counts the failures of each key. */
  fallback = new ExponentialBackoff();
  constructor(limiter, userCode) {
    this.#limiter = limiter;
    this.#userCode = userCode;
  }
  delay(key) {
    const delay = this.#userCode.attempt('rateLimiter.delay', () => this.#checkedDelay(key));
    return delay ?? this.fallback.delay(key);
  }
  charge(key) {
    this.fallback.charge(key);
    this.#userCode.attempt('rateLimiter.charge', () => this.#limiter.charge(key));
  }
  forget(key) {
    this.fallback.forget(key);
    this.#userCode.attempt('rateLimiter.forget', () => this.#limiter.forget(key));
  }
  failures(key) {
    return this.fallback.failures(key);
  }
  #checkedDelay(key) {
    const delay = this.#limiter.delay(key);
    if (Number.isFinite(delay)) return Math.max(0, delay);
    this.#userCode.invalid('rateLimiter.delay', delay);
    return void 0;
  }
};

// packages/workqueue/src/contract/user-code.ts
var UserCode = class {
  #onError;
  /** The function that runs now. */
  #running;
  constructor(onError) {
    this.#onError = onError ?? warnOnce();
  }
  /** Throws `REENTRANT_CALL` while a function of the user runs. */
  refuseReentry() {
    if (this.#running === void 0) return;
    throw new WorkQueueError('REENTRANT_CALL', { function: this.#running });
  }
  /** Calls a function of the user. On an error reports it and returns `undefined`. */
  attempt(name, act) {
    const outer = this.#running;
    this.#running = name;
    try {
      const result = act();
      if (result instanceof Promise) result.catch((error) => this.#failed(name, error));
      return result;
    } catch (error) {
      this.#failed(name, error);
      return void 0;
    } finally {
      this.#running = outer;
    }
  }
  /** Reports that a function of the user returned an invalid value. */
  invalid(name, value) {
    const shown = typeof value === 'number' ? value : typeof value;
    this.#report(new WorkQueueError('USER_FUNCTION_FAILED', { function: name, returned: shown }));
  }
  #failed(name, cause) {
    this.#report(new WorkQueueError('USER_FUNCTION_FAILED', { function: name }, { cause }));
  }
  #report(failure) {
    const outer = this.#running;
    this.#running = 'onError';
    try {
      const result = this.#onError(failure);
      if (result instanceof Promise) result.catch(() => void 0);
    } catch {
    } finally {
      this.#running = outer;
    }
  }
};
function warnOnce() {
  const warned = /* @__PURE__ */ new Set();
  return (error) => {
    const { function: name } = error.facts;
    if (warned.has(name)) return;
    warned.add(name);
    process.emitWarning(error);
  };
}

// packages/workqueue/src/contract/work-queue-observer.ts
var observerMethods = [
  'added',
  'depthChanged',
  'taken',
  'finished',
  'retried',
  'dropped',
  'purged',
];

// packages/workqueue/src/contract/work-queue-options.ts
var names = [
  'name',
  'keyOf',
  'now',
  'backoff',
  'rateLimiter',
  'sameCause',
  'sourceOf',
  'ageAfter',
  'groupOf',
  'weightOf',
  'onError',
  'observer',
];
var functionNames = ['keyOf', 'now', 'sameCause', 'sourceOf', 'groupOf', 'weightOf', 'onError'];
var DEFAULT_AGE_AFTER_MS = 1e4;
function resolveOptions(options) {
  checkOptions(options);
  const { groupOf, weightOf } = options;
  const userCode = new UserCode(options.onError);
  return {
    name: options.name,
    keyOf: options.keyOf,
    now: options.now ?? (() => performance.now()),
    rateLimiter: limiterOf(options, userCode),
    sameCause: options.sameCause ?? Object.is,
    sourceOf: options.sourceOf,
    ageAfter: options.ageAfter ?? DEFAULT_AGE_AFTER_MS,
    grouping: new Grouping({ groupOf, weightOf }, userCode),
    userCode,
    observer: options.name === void 0 ? void 0 : options.observer,
  };
}
function checkOptions(options) {
  checkOptionNames(options, names);
  for (const option of functionNames) checkFunction(option, options[option]);
  checkRetryOptions(options);
  if (options.weightOf !== void 0 && options.groupOf === void 0) {
    throw new WorkQueueError('INVALID_OPTION', { option: 'weightOf', missing: 'groupOf' });
  }
  checkIs('name', options.name === void 0 || typeof options.name === 'string');
  if (options.ageAfter !== void 0) checkedAge(options.ageAfter);
  if (options.observer !== void 0) {
    checkObserver('observer', options.observer, observerMethods);
  }
}
function checkedAge(milliseconds) {
  checkNumber('ageAfter', milliseconds, 0);
  return milliseconds;
}
function checkRetryOptions({ backoff, rateLimiter }) {
  if (backoff !== void 0 && rateLimiter !== void 0) {
    throw new WorkQueueError('INVALID_OPTION', { option: 'backoff', conflictsWith: 'rateLimiter' });
  }
  if (backoff !== void 0) checkObject('backoff', backoff);
  if (rateLimiter !== void 0) checkLimiter('rateLimiter', rateLimiter);
}
function limiterOf({ backoff, rateLimiter }, userCode) {
  if (rateLimiter === void 0) return new ExponentialBackoff(backoff);
  return new GuardedLimiter(rateLimiter, userCode);
}
function resolveLimits(options, userCode) {
  userCode.refuseReentry();
  checkOptionNames(options, ['backoff', 'rateLimiter', 'counter']);
  checkRetryOptions(options);
  const { counter } = options;
  if (counter !== void 0) checkLimiter('counter', counter);
  const limiter = limiterOf(options, userCode);
  const own = limiter instanceof GuardedLimiter ? limiter.fallback : limiter;
  return { limiter, counters: counter === void 0 ? [own] : [own, counter] };
}
function checkAddOptions(options) {
  checkObject('options', options);
  for (const option in options) {
    switch (option) {
      case 'priority':
      case 'after':
        if (options[option] !== void 0) checkNumber(option, options[option]);
        break;
      case 'backoff':
        if (options[option] !== void 0) checkNumber(option, options[option], 0);
        break;
      case 'rateLimited':
        if (options[option] !== void 0) checkIs(option, typeof options[option] === 'boolean');
        break;
      case 'causes':
        if (options[option] !== void 0) checkIs(option, Array.isArray(options[option]));
        break;
      case 'debounce':
        if (options[option] !== void 0) checkDebounce(options[option]);
        break;
      case 'cause':
        break;
      default:
        throw new WorkQueueError('INVALID_OPTION', { option });
    }
  }
}
function checkDebounce(debounce) {
  checkObject('debounce', debounce);
  checkNumber('debounce.wait', debounce.wait, 0);
  checkNumber('debounce.maxWait', debounce.maxWait, debounce.wait);
}
function checkIs(option, is) {
  if (!is) throw new WorkQueueError('INVALID_OPTION', { option });
}
function checkShutDownOptions(options) {
  checkOptionNames(options, ['drain']);
  checkIs('drain', options.drain === void 0 || typeof options.drain === 'boolean');
}

// packages/workqueue/src/queue/work-queue.ts
var WorkQueue = class {
  name;
  #keyOf;
  #now;
  #windows;
  #debounces = new Debounces();
  #observer;
  #userCode;
  #table;
  #heldItems;
  #waiters = new Waiters(() => this.take());
  #backlog;
  #intake;
  #sources;
  #shutDown;
  constructor(options = {}) {
    const resolved = resolveOptions(options);
    this.name = resolved.name;
    this.#keyOf = resolved.keyOf;
    this.#now = resolved.now;
    this.#userCode = resolved.userCode;
    this.#table = new EntryTable(resolved.grouping.isUsed);
    this.#heldItems = new HeldItems(this.#table);
    this.#windows = new BackoffWindows(resolved.rateLimiter);
    this.#observer = resolved.observer;
    this.#backlog = new Backlog({
      ...resolved,
      table: this.#table,
      weightOf: (path) => resolved.grouping.weightOf(path),
      onAvailable: () => this.#notify(),
      onDropped: (slot) => this.#dropped(slot),
    });
    const parts = {
      table: this.#table,
      heldItems: this.#heldItems,
      backlog: this.#backlog,
      windows: this.#windows,
      debounces: this.#debounces,
      origins: new Origins(resolved),
    };
    this.#intake = new Intake({ ...parts, grouping: resolved.grouping, now: this.#now });
    this.#shutDown = new ShutDown(this.name ?? '(unnamed)');
    this.#sources = new SourceChanges({ ...resolved, ...parts, onChange: this.#settleDrain });
  }
  /** The number of ready items, including held keys that were added again, without waiting items. */
  get length() {
    return this.#backlog.length;
  }
  /** The number of items whose delay has not ended. */
  get waiting() {
    return this.#backlog.waiting;
  }
  /** The number of items that were handed out and are not done. */
  get held() {
    return this.#heldItems.size;
  }
  /** True from the first call of `shutDown`. */
  get isShutDown() {
    return this.#shutDown.hasBegun;
  }
  /**
   * Queues an item. A queued item keeps its single entry, with the earlier time and the higher priority. Throws
   * `QUEUE_SHUT_DOWN` after `shutDown`, and `INVALID_OPTION` for an invalid option. After `shutDown`, a rate-limited add
   * of a held item is dropped instead, so that a worker can report a failure without an error.
   */
  add(item, options = {}) {
    checkAddOptions(options);
    const key = this.#key(item);
    if (!this.#shutDown.hasBegun || this.#accepts(key, options)) {
      this.#intake.add(item, key, options);
    }
  }
  /** Locks and returns the best ready item whose key is not locked; `undefined` without such an item. */
  take() {
    this.#userCode.refuseReentry();
    const now = this.#now();
    const slot = this.#backlog.take(now);
    if (slot === -1) return void 0;
    const key = this.#table.keys[slot];
    this.#debounces.end(key);
    const failures = this.#windows.take(key, now);
    const work = this.#heldItems.hold(slot, failures, now);
    this.#observer?.depthChanged?.(work.priority, -1);
    this.#observer?.taken?.(work.priority, work.queuedMs);
    return work;
  }
  /** Waits for an item to take; `undefined` after `shutDown`. Rejects with the reason of `signal` when it aborts. */
  get(signal) {
    checkSignal(signal);
    if (signal?.aborted === true) return Promise.reject(signal.reason);
    const work = this.#waiters.size === 0 ? this.take() : void 0;
    if (work !== void 0 || this.isShutDown) return Promise.resolve(work);
    return this.#waiters.wait(signal);
  }
  /**
   * Calls `listener` in a microtask when items are available and no `get` waits for them. The listener then calls `take`
   * until it is busy or gets `undefined`. Adds of one turn cause one call, so that the highest priority is taken first.
   * It runs in the async context of the add that caused the call. Returns a function that removes the listener.
   */
  onAvailable(listener) {
    requireFunction('onAvailable.listener', listener);
    const stop = this.#waiters.listen(listener);
    this.#notify();
    return stop;
  }
  /** Unlocks the key of an item. An item that was added while held is handed out again. No effect without a lock. */
  done(item) {
    const slot = this.#heldItems.slotIfLast(item) ?? this.#table.slotOf(this.#key(item));
    const held = this.#heldItems.at(slot);
    if (slot === void 0 || held === void 0) return;
    this.#heldItems.release(slot);
    this.#observer?.finished?.(this.#now() - held.startedAt);
    if (this.#table.hasEntry(slot)) this.#backlog.unlock(slot);
    else this.#table.release(slot);
    this.#backlog.shrink();
    this.#settleDrain();
  }
  /**
   * Resets the backoff of an item, which stays queued or held. An add that only waited for the end
   * of the backoff becomes due at its own time.
   */
  forget(item) {
    const key = this.#key(item);
    const wantedAt = this.#windows.forget(key);
    const slot = wantedAt === Infinity ? void 0 : this.#table.slotOf(key);
    if (slot === void 0) return;
    this.#debounces.fix(key, wantedAt);
    this.#backlog.advance(slot, wantedAt, this.#now());
  }
  /** The number of failed runs of this item since the last `forget`. */
  failures(item) {
    return this.#windows.failures(this.#key(item));
  }
  /** True if a worker holds the key of the item. */
  isHeld(item) {
    return this.#heldItems.at(this.#table.slotOf(this.#key(item))) !== void 0;
  }
  /** The held items, in the order in which they were handed out. */
  processing() {
    return [...this.#heldItems];
  }
  /** The held items with a cause of a matching source, even if the source was withdrawn later. */
  processingFor(matches) {
    return this.#sources.heldFor(matches);
  }
  /** True if a worker holds the item and all its sources were withdrawn. */
  isWithdrawn(item) {
    return this.#heldItems.at(this.#table.slotOf(this.#key(item)))?.isWithdrawn === true;
  }
  /** The number of ready items by priority, highest first. */
  depths() {
    return this.#backlog.depths();
  }
  /** The sum of the times for which items have been held, in ms. The cost is constant. */
  unfinishedMs() {
    return this.#heldItems.unfinishedMs(this.#now());
  }
  /** The longest time for which an item has been held, in ms; 0 without held items. The cost is constant. */
  longestRunningMs() {
    return this.#heldItems.longestRunningMs(this.#now());
  }
  /**
   * Withdraws the matching sources from every entry and every held item, and purges entries without a remaining source.
   * The backoff of a purged item is reset, unless a worker holds the item and has not reported a failure. Returns the
   * number of purged entries.
   */
  withdraw(matches) {
    return this.#sources.withdraw(matches);
  }
  /** Replaces the causes of matching sources in every entry and held item, and purges as `withdraw` does. */
  reassign(matches, heirsOf) {
    return this.#sources.reassign(matches, heirsOf);
  }
  /** Purges the queued entries of the matching items, as `withdraw` does. Held items stay. Returns the number. */
  purge(matches) {
    return this.#sources.purge(matches);
  }
  /**
   * Replaces `backoff` or `rateLimiter`. The new limiter decides about the next failures; items that wait keep their
   * time, and the attempts count on. Throws `INVALID_OPTION`.
   */
  limitRetries(options) {
    this.#windows.limitBy(resolveLimits(options, this.#userCode));
  }
  /** Replaces `ageAfter`, also for the items that are ready. Throws `INVALID_OPTION`. */
  set ageAfter(milliseconds) {
    this.#backlog.ageAfter(checkedAge(milliseconds));
  }
  /**
   * Shuts the queue down: waiting `get`s resolve with `undefined`, queued items are dropped, later adds are rejected. It
   * resolves at once. With `drain` it resolves when every held item is done, and items that are added again while held
   * are still handed out. A later call without `drain` ends the drain.
   */
  shutDown(options = {}) {
    checkShutDownOptions(options);
    this.#userCode.refuseReentry();
    const drains = this.#shutDown.begin(options.drain === true);
    this.#backlog.clear(drains);
    this.#waiters.end();
    const end = this.#shutDown.end();
    this.#settleDrain();
    return end;
  }
  async [Symbol.asyncDispose]() {
    await this.shutDown();
  }
  #key(item) {
    this.#userCode.refuseReentry();
    return this.#keyOf === void 0 ? item : this.#keyOf(item);
  }
  /** Returns false for a dropped add after `shutDown`; throws for a rejected one. */
  #accepts(key, options) {
    const isHeld = this.#heldItems.at(this.#table.slotOf(key)) !== void 0;
    const now = this.#now();
    const isHeldBack =
      isHeld && this.#shutDown.isDraining && this.#windows.admit(key, now, now) > now;
    const accepts = this.#shutDown.accepts({ isHeld, isHeldBack }, options);
    if (!accepts) this.#observer?.dropped?.();
    return accepts;
  }
  #dropped(slot) {
    const key = this.#table.keys[slot];
    const held = this.#heldItems.at(slot);
    this.#debounces.end(key);
    if (held?.hasFailed === false) this.#windows.drop(key);
    else this.#windows.forget(key);
    if (held === void 0) this.#table.release(slot);
    else this.#table.clear(slot);
  }
  #notify() {
    if (this.#backlog.available > 0) this.#waiters.wake();
  }
  #settleDrain = () => {
    if (this.#shutDown.hasBegun) this.#shutDown.settle(this.held + this.length);
  };
};
export {
  CappedLimiter,
  CombinedLimiter,
  ExponentialBackoff,
  FastSlowLimiter,
  TokenBucket,
  WorkQueue,
  WorkQueueError,
  workqueueErrors,
};
//# sourceMappingURL=index.js.map
