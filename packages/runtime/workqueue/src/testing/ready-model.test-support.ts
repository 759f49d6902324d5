/** The time after which an entry of the model rises by one level. */
export const AGE_AFTER = 12;

const groups: Readonly<Record<string, string | readonly string[]>> = {
  a: ['tenant', 'blue'],
  b: ['tenant', 'blue'],
  c: ['tenant', 'green'],
  d: 'other',
  e: ['tenant'],
  g: ['tenant', 'blue'],
  h: 'other',
  i: ['tenant', 'green'],
  j: ['tenant'],
  k: 'other',
};
const weights: Readonly<Record<string, number>> = { 'tenant/green': 2, other: 3 };

export const groupOf = (key: string): string | readonly string[] | undefined => groups[key];
export const weightOf = (path: readonly string[]): number => weights[path.join('/')] ?? 1;

/** The part of an entry that decides its order. */
export interface OrderedEntry {
  readonly key: string;
  priority: number;
  /** The position among the ready entries; `undefined` while the entry waits. */
  ready: number | undefined;
  /** The time when the entry became ready. */
  since: number;
}

interface Member {
  readonly name: string;
  credit: number;
}

/** The order of ready entries in the simplest form: each group is a list of members, and the first one has the turn. */
export class ReadyModel {
  /** The members of each group in the order of their turns, by priority and path. */
  readonly #rounds = new Map<string, Member[]>();
  #risenHadTurn = false;
  #risenIsChosen = false;

  /** Removes members without an entry that can be handed out, and adds new ones at the end. */
  update(available: readonly OrderedEntry[]): void {
    const live = new Map<string, Set<string>>();
    for (const entry of available) {
      for (const { round, name } of steps(entry)) {
        live.set(round, (live.get(round) ?? new Set()).add(name));
      }
    }
    for (const [round, members] of this.#rounds) {
      const left = members.filter(({ name }) => live.get(round)?.has(name) === true);
      this.#rounds.set(round, left);
    }
    for (const [round, names] of live) {
      const members = this.#rounds.get(round) ?? [];
      this.#rounds.set(round, members);
      for (const name of names) {
        if (!members.some((member) => member.name === name)) members.push(newMember(round, name));
      }
    }
  }

  /** The entry that is handed out next. */
  choose<E extends OrderedEntry>(available: readonly E[], now: number): E | undefined {
    // Without an available entry, no group loses its turn.
    if (available.length === 0) return undefined;
    const priorities = [...new Set(available.map(({ priority }) => priority))];
    const nexts = priorities
      .toSorted((one, other) => other - one)
      .map((priority) => this.#nextOf(available.filter((entry) => entry.priority === priority)));
    const risen = nexts
      .filter((entry, level) => level > 0 && now >= entry.since + level * AGE_AFTER)
      .toSorted((one, other) => one.since - other.since)[0];
    this.#risenIsChosen = risen !== undefined && !this.#risenHadTurn;
    return this.#risenIsChosen ? risen : nexts[0];
  }

  /** The chosen entry is handed out. */
  handOut(): void {
    this.#risenHadTurn = this.#risenIsChosen;
  }

  /** Uses up the turns of the groups of an entry. `remove` makes it unavailable. */
  spend(entry: OrderedEntry, remove: () => void): void {
    const used = steps(entry).map(({ round }) => ({ round, member: this.#members(round)[0] }));
    remove();
    for (const { round, member } of used) {
      if (member === undefined) throw new Error(`the round ${round} has no member`);
      member.credit -= 1;
      const members = this.#members(round);
      if (member.credit > 0 || members[0] !== member) continue;
      members.push(newMember(round, member.name));
      members.shift();
    }
  }

  #nextOf<E extends OrderedEntry>(ofPriority: readonly E[]): E {
    const next = ofPriority
      .filter((entry) =>
        steps(entry).every(({ round, name }) => this.#members(round)[0]?.name === name),
      )
      .toSorted((one, other) => (one.ready ?? Infinity) - (other.ready ?? Infinity))[0];
    if (next === undefined) throw new Error('no entry has the turn');
    return next;
  }

  #members(round: string): Member[] {
    return this.#rounds.get(round) ?? [];
  }
}

function newMember(round: string, name: string): Member {
  const path = [...round.split('/').slice(1), name];
  return { name, credit: weightOf(path) };
}

/** The members on the way to an entry. The last one, without a name, has the entries beside further groups. */
function steps({ key, priority }: OrderedEntry): { round: string; name: string }[] {
  const path = [groupOf(key) ?? [], ''].flat();
  return path.map((name, index) => ({
    round: [String(priority), ...path.slice(0, index)].join('/'),
    name,
  }));
}
