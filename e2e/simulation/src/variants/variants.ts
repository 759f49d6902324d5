import type { Variant } from './variant.ts';

/**
 * Faults that the simulation must find. Most of them were in the code once; the others are the faults that a change
 * of the same lines would make most easily.
 */
export const variants: readonly Variant[] = [
  {
    name: 'a late handler is synced before its snapshot',
    package: 'informer',
    find: 'this.#passed = new Set();',
    replace: 'this.#passed = new Set(); this.#hasSynced = true; this.#synced.resolve();',
    breaks: ['snapshot'],
  },
  {
    name: 'the 404 of a gateway empties the store',
    package: 'informer',
    find: 'return !isServed && !signal.aborted;',
    replace: 'return !signal.aborted;',
    breaks: ['atomic store', 'convergence', 'order'],
  },
  {
    name: 'an update arrives before the snapshot has the object',
    package: 'informer',
    find: 'passed.add(previous); if (object !== undefined) this.#snapshot.push(object); return true;',
    replace: 'return false;',
    breaks: ['pairs'],
  },
  {
    name: 'a handle moves to a watch that is behind',
    package: 'informer',
    find: 'return target.isReady && target.informer.includes(view.informer) && view.isAtRest;',
    replace: 'return target.isReady && view.isAtRest;',
    breaks: ['atomic store', 'order', 'store first', 'wake-up', 'pairs'],
  },
  {
    name: 'the previous state of an update is its new state',
    package: 'informer',
    find: ': previous && { type, key, object, previous, receivedAt, ...combined };',
    replace: ': previous && { type, key, object, previous: object, receivedAt, ...combined };',
    breaks: ['previous'],
  },
  {
    name: 'an object with another uid is updated',
    package: 'informer',
    find: 'return previous.uid === object.uid ? TYPES.updated : TYPES.replaced;',
    replace: 'return TYPES.updated;',
    breaks: ['uid'],
  },
  {
    name: 'a reader sees the watches of other owners',
    package: 'informer',
    find: 'return new ScopedCache(handles, this.#host, {',
    replace:
      "const scope: ReadScope = { ...strict((resource, place) => this.#heldOf(resource, place)), rule: 'union' }; return new ScopedCache(scope, this.#host, {",
    breaks: ['reads', 'waits'],
  },
  {
    name: 'a relist does not fill an index',
    package: 'informer',
    find: 'if (previous !== undefined) this.#forget(previous); for (const index of this.indices) index.add(object);',
    replace: 'if (previous !== undefined) this.#forget(previous);',
    breaks: ['reads', 'atomic store', 'convergence'],
  },
  {
    name: 'a timer is left after the release',
    package: 'informer',
    find: 'else this.#stopTimer = clock.startTimer(linger, () => onEnd(this));',
    replace:
      'else { this.#stopTimer = clock.startTimer(linger, () => onEnd(this)); clock.startTimer(linger * 9, () => undefined); }',
    breaks: ['closed'],
  },
  {
    name: 'a relist brings deleted objects back',
    package: 'informer',
    find: "needsNewest ? '' : this.#version || '0';",
    replace: "needsNewest ? '' : '0';",
    breaks: ['atomic store', 'order', 'convergence', 'store first'],
  },
  {
    name: 'a deletion during a relist is not delivered',
    package: 'informer',
    find: 'yield { previous, object: undefined };',
    replace: 'continue;',
    breaks: ['convergence', 'pairs'],
  },
  {
    name: 'an object that leaves a view is not deleted',
    package: 'informer',
    find: 'const isLeaving = present !== undefined && present.uid === previous?.uid;',
    replace:
      'const isLeaving = present !== undefined && present.uid === previous?.uid; if (isLeaving) return [];',
    breaks: ['convergence', 'pairs', 'defect'],
  },
  {
    name: 'a handler runs after the release of its handle',
    package: 'informer',
    find: 'this.#removed = true; this.#resync?.stop();',
    replace: 'this.#resync?.stop();',
    breaks: ['release', 'removal'],
  },
  {
    name: 'views start watches for each other in a loop',
    package: 'informer',
    find:
      'if (this.#kind.ownWatch(view)?.isAble === false) return view; ' +
      'return widest(hosts.filter((host) => this.#mayServe(view, host))) ?? view;',
    replace:
      'return widest(hosts.filter((host) => this.#kind.ownWatch(host)?.isAble !== false)) ?? view;',
    breaks: ['pace'],
  },
  {
    name: 'a request that was added while it ran is lost',
    package: 'workqueue',
    find: 'if (entry.place >= Place.waiting) this.#backlog.unlock(entry); else this.#table.release(entry);',
    replace: 'if (entry.place < Place.waiting) this.#table.release(entry);',
    breaks: ['wake-up'],
  },
  {
    name: 'an entry forgets its ninth source',
    package: 'workqueue',
    find: 'if (rest?.length === MAX_CAUSES - 1) this.#addSource(origin, this.#sourceOf(cause));',
    replace: 'if (rest?.length === MAX_CAUSES - 1) return;',
    breaks: ['wake-up', 'removal'],
  },
  {
    name: 'a removal drops requests that another source requested',
    package: 'workqueue',
    find: 'replaceOrigin(entry, left); return isWithdrawn(left);',
    replace: 'replaceOrigin(entry, left); return true;',
    breaks: ['wake-up', 'removal'],
  },
  {
    name: 'events defeat the backoff',
    package: 'workqueue',
    find: 'return hadEarlyRun && now < deadline;',
    replace: 'return false;',
    breaks: ['backoff'],
  },
  {
    name: 'a key is free before its run has ended',
    package: 'manager',
    find: 'const running = this.#begin(work);',
    replace: 'const running = this.#begin(work); this.#queue.done(work.item);',
    breaks: ['one run', 'removal'],
  },
  {
    name: 'workers start before the sync',
    package: 'manager',
    find: 'this.#required().filter(({ hasSynced }) => !hasSynced);',
    replace: '[];',
    breaks: ['start'],
  },
  {
    name: 'a removal does not wait for the runs of the watch',
    package: 'manager',
    find: 'await this.#queue.endOfRunsFor(causes);',
    replace: '',
    breaks: ['removal'],
  },
  {
    name: 'a removed watch still queues requests',
    package: 'manager',
    find: 'for (const one of causes) this.#withdrawn.add(one); this.#leave(causes);',
    replace: '',
    breaks: ['ownership'],
  },
  {
    name: 'an own write brings a deleted object back',
    package: 'informer',
    find: "return reached === '' || isOlder(reached, version);",
    replace: 'return true;',
    breaks: ['atomic store', 'own writes', 'store first', 'reads', 'convergence', 'wake-up'],
  },
  {
    name: 'an own write hides later changes of other clients',
    package: 'informer',
    find: "return reached === '' || isOlder(reached, version);",
    replace: "return reached === '' || isOlder(reached, String(Number(version) + 5));",
    breaks: ['atomic store', 'own writes', 'store first', 'reads', 'convergence', 'wake-up'],
  },
  {
    name: 'an own deletion is not read',
    package: 'informer',
    find: 'return last === undefined || !isOlder(last, resourceVersion);',
    replace: 'return false;',
    breaks: ['own writes'],
  },
  {
    name: 'reads without own writes have them',
    package: 'informer',
    find: 'return overlay ? store : received;',
    replace: 'return store;',
    breaks: ['own writes'],
  },
  {
    name: 'a wait misses a change between its first read and its registration',
    package: 'informer',
    find: `const remove = this.#add(target, () => state.check());
      signal?.addEventListener('abort', abort);
      const stopTimer = timeout === undefined ? undefined
        : this.#clock.startTimer(parseDuration(timeout, 'waitFor.timeout'), expire);
      try { state.check();`,
    replace: `state.check();
      await new Promise((resolve) => setImmediate(resolve));
      const remove = this.#add(target, () => state.check());
      signal?.addEventListener('abort', abort);
      const stopTimer = timeout === undefined ? undefined
        : this.#clock.startTimer(parseDuration(timeout, 'waitFor.timeout'), expire);
      try {`,
    breaks: ['waits'],
  },
  {
    name: 'a wait for an object is not called for its own writes',
    package: 'informer',
    find: 'if (write !== undefined && kind?.written(write) === true) {',
    replace: 'if (write !== undefined && kind?.written(write) === true && false) {',
    breaks: ['waits'],
  },
  {
    name: 'a stream yields the deletion of an object that it never yielded',
    package: 'informer',
    find: 'return pending.deleted === undefined ? undefined : { deleted: pending.deleted };',
    replace: 'return { deleted: pending.deleted ?? event };',
    breaks: ['pairs'],
  },
  {
    name: 'a resync happens once',
    package: 'informer',
    find: 'await this.#round(); }',
    replace: 'await this.#round(); return; }',
    breaks: ['resync'],
  },
  {
    name: 'a read without a transform has transformed objects',
    package: 'informer',
    find: 'this.transform === read.transform && impliesLabels',
    replace: 'impliesLabels',
    breaks: ['reads'],
  },
  {
    name: 'own events are recognized by time, not by version',
    package: 'manager',
    find: 'const proof = this.#versions.get(keyOf(event.object));',
    replace: `const isRecent = [...this.#versions.keys()].some((key) => key.startsWith(event.object.uid));
      const proof = isRecent ? 'creation' : undefined;`,
    breaks: ['wake-up'],
  },
  {
    name: 'own events are not ignored',
    package: 'manager',
    find: 'this.#versions.set(key, proof);',
    replace: '',
    breaks: ['own events'],
  },
  {
    name: 'a change of namespaces lists again what stays',
    package: 'manager',
    find: `const left = [...this.#watches].filter(([key]) => !wanted.has(key));
      for (const [key, member] of left) { this.#watches.delete(key); member.detach(); }`,
    replace: `const left = [...this.#watches]; this.#watches.clear();
      for (const [, member] of left) member.detach();
      for (const key of this.#keys) this.#add(this.#plan, key);`,
    breaks: ['pairs', 'order', 'ownership', 'removal'],
  },
  {
    name: 'a namespace that leaves a set keeps its watch',
    package: 'manager',
    find: 'return left.map(([, member]) => member);',
    replace: 'return [];',
    breaks: ['closed', 'removal'],
  },
  {
    name: 'an event beyond the rate of its object is dropped',
    package: 'manager',
    find: 'const key = sink.enqueue(request, add, receivedAt, known);',
    replace: 'const key = add.after === undefined ? sink.enqueue(request, add, receivedAt) : "";',
    breaks: ['wake-up'],
  },
  {
    name: 'a standby reconciles',
    package: 'manager',
    find: "if (await leadership.acquire()) run('leader');",
    replace: "void leadership.acquire(); run('leader');",
    breaks: ['leader'],
  },
  {
    name: 'a leader that cannot renew its Lease goes on',
    package: 'manager',
    find: 'return this.age >= this.#options.limit;',
    replace: 'return false;',
    breaks: ['leader'],
  },
];
