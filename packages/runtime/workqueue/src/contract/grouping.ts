import { FAILED, type Question, type UserCode } from './user-code.ts';

/** The group of an entry: a name, or a path of names from the widest group to the narrowest. `undefined`: no group. */
export type Group = string | readonly string[] | undefined;

/** Returns the weight of a group: the number of entries that it hands out in each round. */
export type WeightOf = (path: readonly string[]) => number;

/** The largest weight. A turn of more entries would delay other groups for too long. */
const MAX_WEIGHT = 1000;
const MAX_NAMES = 8;

const groupQuestion: Question = {
  name: 'groupOf',
  isValid: (group) => group === undefined || isGroup(group),
};
const weightQuestion: Question = {
  name: 'weightOf',
  isValid: (weight) => weight === undefined || isWeight(weight),
};

/** Groups the items of a queue. Within a priority the groups take turns. */
export interface GroupRules<Item> {
  /**
   * Returns the group of an item, such as its namespace. A path of up to eight names, such as `[tenant, namespace]`,
   * selects a group within groups. `undefined` means no group: all such items share one turn. Called for each new entry.
   */
  readonly groupOf: (item: Item) => Group;
  /**
   * Returns the weight of a group, a whole number from 1 to 1000: how many items it hands out in each round. Receives
   * the path of the group, for `[tenant, namespace]` first `[tenant]`. Called when a group gets its first item in a
   * priority. `undefined` means 1. Default 1 for every group.
   */
  readonly weightOf?: (path: readonly string[]) => number | undefined;
}

/**
 * Finds the group of an item and the weight of a group by the functions of the user. If one of them fails, a default is
 * used.
 */
export class Grouping<Item> {
  readonly #rules: GroupRules<Item> | undefined;
  readonly #copiedGroupOf: (item: Item) => unknown;
  readonly #userCode: UserCode;
  /** False for a queue without groups. */
  readonly isUsed: boolean;

  constructor(rules: GroupRules<Item> | undefined, userCode: UserCode) {
    this.#rules = rules;
    this.#copiedGroupOf = (item) => copyOf(rules?.groupOf(item));
    this.#userCode = userCode;
    this.isUsed = rules !== undefined;
  }

  /** Returns no group if `groupOf` fails. */
  groupOf(item: Item): Group {
    if (!this.isUsed) return undefined;
    const group = this.#userCode.ask(groupQuestion, this.#copiedGroupOf, item);
    return group === FAILED ? undefined : (group as Group);
  }

  /** Returns 1 if `weightOf` fails. */
  weightOf(path: readonly string[]): number {
    const weightOf = this.#rules?.weightOf;
    if (weightOf === undefined) return 1;
    const weight = this.#userCode.ask(weightQuestion, weightOf, path);
    return weight === FAILED ? 1 : (weight ?? 1);
  }
}

/** A copy of a path, because the user may change it while the entry is queued. */
function copyOf(group: unknown): unknown {
  return Array.isArray(group) ? Object.freeze(group.slice(0, MAX_NAMES + 1)) : group;
}

function isGroup(group: unknown): group is string | readonly string[] {
  return Array.isArray(group) ? group.length <= MAX_NAMES && group.every(isName) : isName(group);
}

function isWeight(weight: unknown): boolean {
  return Number.isInteger(weight) && (weight as number) >= 1 && (weight as number) <= MAX_WEIGHT;
}

function isName(name: unknown): boolean {
  return typeof name === 'string' && name !== '';
}
