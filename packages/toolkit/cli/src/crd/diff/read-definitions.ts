import type { CustomResourceDefinition } from '@keelson/schema';
import { isDeepStrictEqual } from 'node:util';
import { CliError } from '../../errors.ts';
import { importDefinitions } from '../../project/definitions/import-definitions.ts';
import type { ClusterOptions } from '../../types/sources/cluster-definitions.ts';
import { Failures } from '../../terminal/failures.ts';
import { readSource } from '../../types/sources/read-source.ts';
import { readCustomKind } from '../../types/definition/custom-kind.ts';
import { checkDefinitionSize } from './definition-size.ts';

/**
 * Reads the definitions of a source by their names: a file, a folder, a URL, `cluster:`, or a kind module. Throws an
 * `AggregateError` with the error of each file: without one of its definitions a comparison would report a removal.
 */
export async function readDefinitions(
  source: string,
  options: ClusterOptions,
): Promise<ReadonlyMap<string, CustomResourceDefinition>> {
  const isModule = /\.[cm]?[jt]s$/.test(source) && !/^(?:https?|cluster):/i.test(source);
  const files = isModule ? await importDefinitions([source]) : await readSource(source, options);
  const failures = new Failures();
  const definitions = new Map<string, CustomResourceDefinition>();
  for (const file of files) {
    if ('error' in file) {
      failures.add(file.error);
      continue;
    }
    for (const definition of file.definitions) {
      await failures.attempt(() => addDefinition(definitions, definition), file.source);
    }
  }
  failures.throwAny();
  return definitions;
}

/** Throws `DEFINITION_INVALID`, `SCHEMA_TOO_LARGE`, and `DEFINITION_CONFLICT` for different definitions of a name. */
function addDefinition(
  definitions: Map<string, CustomResourceDefinition>,
  definition: unknown,
): void {
  const { plural, group } = readCustomKind(definition);
  const name = `${plural}.${group}`;
  checkDefinitionSize(definition as object, name);
  if (definitions.has(name) && !isDeepStrictEqual(definitions.get(name), definition)) {
    throw new CliError('DEFINITION_CONFLICT', { definition: name });
  }
  definitions.set(name, definition as CustomResourceDefinition);
}
