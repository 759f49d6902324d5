import * as fc from 'fast-check';
import type { JsonObject, JsonSchema, JsonValue } from '@keelson/structural-schema';
import type { Verdict } from '../comparison/verdict.ts';
import { definitionWith } from '../random/definition.ts';
import { randomSchema } from '../random/schema.ts';
import { valueOf } from '../random/value.ts';
import { decideWrite } from './decide-write.ts';
import { groupOf, install, nameOf, objectsPath, objectWith, uninstall } from './objects.ts';
import type { Suite } from './suite.ts';

/** A schema of the status, a rule for the names of objects, and statuses that are written. */
export interface StatusCase {
  readonly schema: JsonSchema;
  readonly longestName: number;
  readonly values: readonly JsonValue[];
}

/** Writes the status of an object, whose schema also restricts the name. */
export const statuses: Suite<StatusCase> = {
  name: 'statuses',
  cases: randomSchema(2).chain((schema) =>
    fc
      .tuple(
        fc.integer({ min: 0, max: 2 }),
        fc.array(valueOf(schema), { minLength: 1, maxLength: 4 }),
      )
      .map(([longestName, values]) => ({ schema, longestName, values })),
  ),
  async decide(sides, { schema, longestName, values }) {
    const name = { type: 'string', maxLength: longestName };
    const metadata = { type: 'object', properties: { name } };
    const spec = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    const root: JsonSchema = { type: 'object', properties: { metadata, spec, status: schema } };
    const definition = definitionWith(root, await groupOf(sides), { subresources: { status: {} } });
    const { verdict, stored } = await install(sides, definition);
    if (stored === undefined) return [verdict];
    try {
      const verdicts = [verdict];
      const object = objectWith(definition, {});
      const created = await decideWrite(sides, {
        method: 'POST',
        path: objectsPath(definition),
        object,
        op: 'object',
        question: { definition: stored, version: 'v1', object },
      });
      verdicts.push(created.verdict);
      if (created.response.code >= 300) return verdicts;
      for (const status of values) {
        verdicts.push(await writeStatus(sides, stored, created.response.body, status));
      }
      return verdicts;
    } finally {
      await uninstall(sides, stored);
    }
  },
};

async function writeStatus(
  sides: Parameters<typeof decideWrite>[0],
  definition: JsonObject,
  old: JsonObject,
  status: JsonValue,
): Promise<Verdict> {
  const object = { ...old, status };
  const { verdict } = await decideWrite(sides, {
    method: 'PUT',
    path: `${objectsPath(definition)}/${nameOf(old)}/status?dryRun=All`,
    object,
    op: 'object',
    question: { definition, version: 'v1', object, old, subresource: 'status' },
  });
  return verdict;
}
