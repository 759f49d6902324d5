import * as fc from 'fast-check';
import type { JsonObject, JsonSchema, JsonValue } from '@keelson/structural-schema';
import type { Verdict } from '../comparison/verdict.ts';
import { definitionWith, plainRoot } from '../random/definition.ts';
import { randomSchema } from '../random/schema.ts';
import { valueOf } from '../random/value.ts';
import { decideWrite } from './decide-write.ts';
import { definitionsPath } from './definitions.ts';
import { groupOf, install, nameOf, objectsPath, objectWith, uninstall } from './objects.ts';
import type { Sides, Suite } from './suite.ts';

/** A stored value of `spec`, a schema that came later, and values that replace the stored one. */
export interface UpdateCase {
  readonly schema: JsonSchema;
  readonly old: JsonValue;
  readonly values: readonly JsonValue[];
}

const cases: fc.Arbitrary<UpdateCase> = randomSchema(2).chain((schema) => {
  const value = valueOf(schema);
  return value.chain((old) =>
    fc
      .array(fc.oneof(changeOf(old, value), changeOf(old, value), value), {
        minLength: 1,
        maxLength: 5,
      })
      .map((values) => ({ schema, old, values })),
  );
});

/** Values that keep parts of the old one: only those are ratcheted. */
function changeOf(old: JsonValue, other: fc.Arbitrary<JsonValue>): fc.Arbitrary<JsonValue> {
  return fc
    .tuple(other, fc.infiniteStream(fc.integer({ min: 0, max: 2 })))
    .map(([next, dice]) => mixed(old, next, () => dice.next().value ?? 0));
}

function mixed(old: JsonValue, next: JsonValue, dice: () => number): JsonValue {
  if (dice() === 0) return old;
  if (Array.isArray(old) && Array.isArray(next)) {
    const length = dice() === 0 ? next.length : old.length;
    return Array.from({ length }, (_, index) => {
      const [before, after] = [old[index], next[index]];
      if (before === undefined || after === undefined) return before ?? after ?? null;
      return mixed(before, after, dice);
    });
  }
  if (!isObject(old) || !isObject(next)) return dice() === 0 ? next : old;
  const keys = dice() === 0 ? [...Object.keys(old), ...Object.keys(next)] : Object.keys(old);
  return Object.fromEntries(
    keys.map((key) => [
      key,
      key in next && key in old
        ? mixed(old[key] as JsonValue, next[key] as JsonValue, dice)
        : (old[key] ?? next[key] ?? null),
    ]),
  );
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Stores an object, then gives its definition another schema, then updates the object. */
export const updates: Suite<UpdateCase> = {
  name: 'updates',
  cases,
  async decide(sides, { schema, old, values }) {
    const open = plainRoot({ 'x-kubernetes-preserve-unknown-fields': true });
    const before = definitionWith(open, await groupOf(sides));
    const { stored } = await install(sides, before);
    if (stored === undefined) throw new Error('the open definition was refused');
    try {
      const { server } = sides;
      const posted = await server.send(
        'POST',
        objectsPath(before),
        JSON.stringify(objectWith(before, old)),
      );
      if (posted.code >= 300) return [];
      const strict = definitionWith(plainRoot(schema), '');
      const versions = (strict['spec'] as JsonObject)['versions'] as JsonValue;
      const definition = { ...stored, spec: { ...(stored['spec'] as JsonObject), versions } };
      const replaced = await server.send(
        'PUT',
        `${definitionsPath}/${nameOf(stored)}`,
        JSON.stringify(definition),
      );
      if (replaced.code >= 300) return [];
      await server.idle();
      const verdicts: Verdict[] = [];
      for (const value of values)
        verdicts.push(await update(sides, replaced.body, posted.body, value));
      return verdicts;
    } finally {
      await uninstall(sides, stored);
    }
  },
};

async function update(
  sides: Sides,
  definition: JsonObject,
  old: JsonObject,
  value: JsonValue,
): Promise<Verdict> {
  const object = { ...old, spec: value };
  const { verdict } = await decideWrite(sides, {
    method: 'PUT',
    path: `${objectsPath(definition)}/${nameOf(old)}?dryRun=All`,
    object,
    op: 'object',
    question: { definition, version: 'v1', object, old },
  });
  return verdict;
}
