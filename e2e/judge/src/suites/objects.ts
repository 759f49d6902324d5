import * as fc from 'fast-check';
import type { JsonObject, JsonSchema, JsonValue } from '@keelson/structural-schema';
import type { Verdict } from '../comparison/verdict.ts';
import { definitionWith, plainRoot, type Definition } from '../random/definition.ts';
import { randomSchema } from '../random/schema.ts';
import { valueOf } from '../random/value.ts';
import { decideWrite } from './decide-write.ts';
import { definitionsPath } from './definitions.ts';
import type { Sides, Suite } from './suite.ts';

/** A schema of `spec` and values of it. */
export interface SchemaCase {
  readonly schema: JsonSchema;
  readonly values: readonly JsonValue[];
}

const cases: fc.Arbitrary<SchemaCase> = randomSchema(2).chain((schema) =>
  fc.array(valueOf(schema), { minLength: 1, maxLength: 6 }).map((values) => ({ schema, values })),
);

/** Creates a definition with a random schema, then objects of it. */
export const objects: Suite<SchemaCase> = {
  name: 'objects',
  cases,
  async decide(sides, { schema, values }) {
    const definition = definitionWith(plainRoot(schema), await groupOf(sides));
    const { verdict, stored } = await install(sides, definition);
    if (stored === undefined) return [verdict];
    const verdicts = [verdict];
    for (const value of values)
      verdicts.push(await create(sides, stored, objectWith(definition, value)));
    await uninstall(sides, stored);
    return verdicts;
  },
};

const groups = new WeakMap<object, { next: number }>();

/** Returns a group that no other case has: definitions of one case are removed while others run. */
export async function groupOf({ server }: Sides): Promise<string> {
  const counter = groups.get(server) ?? { next: 0 };
  groups.set(server, counter);
  return `g${counter.next++}`;
}

/** Creates a definition on the server. `stored` is the established definition, if both sides accepted it. */
export async function install(
  sides: Sides,
  definition: Definition,
): Promise<{ readonly verdict: Verdict; readonly stored?: Definition }> {
  const { response, verdict } = await decideWrite(sides, {
    method: 'POST',
    path: definitionsPath,
    object: definition,
    op: 'definition',
    question: { definition },
  });
  if (response.code >= 300) return { verdict };
  if (verdict.judge.code !== 200) {
    await uninstall(sides, response.body);
    return { verdict };
  }
  await sides.server.idle();
  const path = `${definitionsPath}/${nameOf(response.body)}`;
  return { verdict, stored: (await sides.server.send('GET', path)).body };
}

/** Removes a definition with its objects. */
export async function uninstall({ server }: Sides, stored: Definition): Promise<void> {
  await server.send('DELETE', `${definitionsPath}/${nameOf(stored)}`);
}

/** Returns an object of the definition. */
export function objectWith({ spec }: Definition, value: JsonValue): JsonObject {
  const { group } = spec as JsonObject;
  return {
    apiVersion: `${String(group)}/v1`,
    kind: 'Gizmo',
    metadata: { name: 'a', namespace: 'default' },
    spec: value,
  };
}

/** The path of the objects of a definition. */
export function objectsPath({ spec }: Definition): string {
  return `/apis/${String((spec as JsonObject)['group'])}/v1/namespaces/default/gizmos`;
}

async function create(sides: Sides, definition: Definition, object: JsonObject): Promise<Verdict> {
  const { verdict } = await decideWrite(sides, {
    method: 'POST',
    path: `${objectsPath(definition)}?dryRun=All`,
    object,
    op: 'object',
    question: { definition, version: 'v1', object },
  });
  return verdict;
}

export function nameOf({ metadata }: JsonObject): string {
  return String((metadata as JsonObject)['name']);
}
