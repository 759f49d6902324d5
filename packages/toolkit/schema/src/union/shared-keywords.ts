import {
  isJsonObject,
  jsonEquals,
  type JsonObject,
  ownValue,
  setOwn,
} from '@keelson/structural-schema';
import { refusal } from '../literal/refusal.ts';
import { annotations } from './union-annotations.ts';

/** The keywords of objects that the union merges or has rules for. */
const mergedKeywords: ReadonlySet<string> = new Set([
  'type',
  'properties',
  'required',
  'x-kubernetes-validations',
  ...annotations,
]);

/** Keywords whose absence is a value: an object without them accepts no other members. */
const closed: JsonObject = { additionalProperties: false };

/** Returns the other keywords of the objects, which must be the same in each. */
export function sharedKeywords(choices: readonly JsonObject[], path: string): JsonObject {
  const names = new Set(choices.flatMap((choice) => Object.keys(choice)));
  const found: JsonObject = {};
  for (const name of names) {
    if (mergedKeywords.has(name) || name.startsWith('x-keelson-')) continue;
    const [first, ...others] = choices.map(
      (choice) => ownValue(choice, name) ?? ownValue(closed, name),
    );
    if (others.some((other) => !jsonEquals(first, other))) {
      const cure = `give every object of the union the same ${name}`;
      throw refusal(path, `${name} of some objects of a union`, cure);
    }
    if (first !== undefined) setOwn(found, name, first);
  }
  return found;
}

/** True for an object that accepts members that it does not declare. */
export function isOpen({ additionalProperties: values, ...schema }: JsonObject): boolean {
  const isAnything = isJsonObject(values) && Object.keys(values).length === 0;
  return values === true || isAnything || schema['x-kubernetes-preserve-unknown-fields'] === true;
}
