import * as fc from 'fast-check';
import type { JsonObject, JsonValue } from '@keelson/structural-schema';
import type { Verdict } from '../comparison/verdict.ts';
import {
  definitionWith,
  type Definition,
  plainRoot,
  randomDefinition,
} from '../random/definition.ts';
import { decideWrite } from './decide-write.ts';
import { definitionsPath } from './definitions.ts';
import { groupOf, install, nameOf, uninstall } from './objects.ts';
import type { Sides, Suite } from './suite.ts';

/** Definitions whose parts replace those of a stored one. */
export interface DefinitionUpdateCase {
  readonly changes: readonly Definition[];
}

/** Updates a stored definition. What a definition may not change comes from the stored one in most cases. */
export const definitionUpdates: Suite<DefinitionUpdateCase> = {
  name: 'changed definitions',
  cases: fc.array(randomDefinition, { minLength: 1, maxLength: 4 }).map((changes) => ({ changes })),
  async decide(sides, { changes }) {
    const first = definitionWith(plainRoot({ type: 'object' }), await groupOf(sides));
    const { stored } = await install(sides, first);
    if (stored === undefined) throw new Error('the first definition was refused');
    try {
      const verdicts: Verdict[] = [];
      for (const [index, change] of changes.entries()) {
        verdicts.push(await update(sides, stored, changed(stored, change, index)));
      }
      return verdicts;
    } finally {
      await uninstall(sides, stored);
    }
  },
};

/** Every fourth change also changes names, group and scope. */
function changed(stored: Definition, change: Definition, index: number): Definition {
  const [before, after] = [stored['spec'] as JsonObject, (change['spec'] ?? {}) as JsonObject];
  const kept =
    index % 4 === 3
      ? {}
      : { group: before['group'], names: before['names'], scope: before['scope'] };
  const spec = Object.fromEntries(
    Object.entries({ ...after, ...kept }).filter(([, value]) => value !== undefined),
  ) as Record<string, JsonValue>;
  return { ...stored, spec };
}

async function update(sides: Sides, old: Definition, definition: Definition): Promise<Verdict> {
  const { verdict } = await decideWrite(sides, {
    method: 'PUT',
    path: `${definitionsPath}/${nameOf(old)}?dryRun=All`,
    object: definition,
    op: 'definition',
    question: { definition, old },
  });
  return verdict;
}
