import type { RandomSource } from './random-source.ts';
import { type StaticType, staticType } from './static-type.ts';

const simpleTypes =
  'bool int uint double string bytes null duration timestamp type ip cidr quantity semver url format dyn'.split(
    ' ',
  );
export const keyTypes: readonly string[] = ['string', 'int', 'uint', 'bool'];
export const dynType: StaticType = staticType('dyn');
export const intType: StaticType = staticType('int');
export const boolType: StaticType = staticType('bool');

/** Returns a random type with lists, maps and optionals nested up to a depth. */
export function randomType(random: RandomSource, depth: number): StaticType {
  const name = random.below(10);
  if (depth > 0 && name < 2) return { name: 'list', parameters: [randomType(random, depth - 1)] };
  if (depth > 0 && name === 2) {
    const key = staticType(random.pick(keyTypes));
    return { name: 'map', parameters: [key, randomType(random, depth - 1)] };
  }
  if (depth > 0 && name === 3) {
    return { name: 'optional', parameters: [randomType(random, depth - 1)] };
  }
  if (name < 6) return boolType;
  if (random.chance(0.08)) return staticType(random.pick(['object', 'port', 'rule']));
  return staticType(random.pick(simpleTypes));
}

/** Returns a random type that macros can iterate. */
export function randomRange(random: RandomSource): StaticType {
  if (random.chance(0.1)) return dynType;
  if (random.chance(0.3)) {
    return { name: 'map', parameters: [staticType(random.pick(keyTypes)), randomType(random, 1)] };
  }
  return { name: 'list', parameters: [randomType(random, 1)] };
}

/** Returns the types of the variables of a macro over a type. */
export function entryTypes(range: StaticType, two: boolean): readonly [StaticType, StaticType] {
  const [first = dynType, second = dynType] = range.parameters;
  if (range.name === 'map') return [first, second];
  if (range.name === 'list') return two ? [intType, first] : [first, first];
  return [dynType, dynType];
}
