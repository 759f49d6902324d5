import * as fc from 'fast-check';
import type { JsonObject, JsonSchema, JsonValue } from '@keelson/structural-schema';
import type { Verdict } from '../comparison/verdict.ts';
import { definitionWith, plainRoot, type Definition } from '../random/definition.ts';
import { patterns, stringFormats } from '../random/keywords.ts';
import { randomSchema } from '../random/schema.ts';
import { oddTexts } from '../random/text.ts';
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
export const objects: Suite<SchemaCase> = { name: 'objects', cases, decide };

/** Creates a definition with a format, a pattern or a length, then texts. */
export const textValues: Suite<SchemaCase> = {
  name: 'texts',
  cases: fc
    .tuple(
      fc.oneof(
        { arbitrary: stringFormats.map((format) => ({ format })), weight: 3 },
        { arbitrary: patterns.map((pattern) => ({ pattern })), weight: 2 },
        {
          arbitrary: fc.integer({ min: 0, max: 3 }).map((maxLength) => ({ maxLength })),
          weight: 1,
        },
        {
          arbitrary: fc.integer({ min: 1, max: 3 }).map((minLength) => ({ minLength })),
          weight: 1,
        },
      ),
      fc.array(oddTexts, { minLength: 10, maxLength: 10 }),
    )
    .map(([keywords, values]) => ({ schema: { type: 'string', ...keywords }, values })),
  decide,
};

async function decide(sides: Sides, { schema, values }: SchemaCase): Promise<readonly Verdict[]> {
  const definition = definitionWith(plainRoot(schema), await groupOf(sides));
  const { verdict, stored } = await install(sides, definition);
  if (stored === undefined) return [verdict];
  const verdicts = [verdict];
  for (const value of values)
    verdicts.push(await create(sides, stored, objectWith(definition, value)));
  await uninstall(sides, stored);
  return verdicts;
}

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
  return {
    apiVersion: `${groupIn(spec)}/v1`,
    kind: 'Gizmo',
    metadata: { name: 'a', namespace: 'default' },
    spec: value,
  };
}

function groupIn(spec: JsonValue | undefined): string {
  return (spec as { group: string }).group;
}

/** The path of the objects of a definition. */
export function objectsPath({ spec }: Definition): string {
  return `/apis/${groupIn(spec)}/v1/namespaces/default/gizmos`;
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

/** Returns the name of an object. */
export function nameOf({ metadata }: JsonObject): string {
  return (metadata as { name: string }).name;
}
