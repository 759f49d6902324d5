import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { thrownReason, type builtin, type ObjectOf } from '@keelson/apimachinery';
import { CliError } from '../errors.ts';

type Definition = ObjectOf<typeof builtin.CustomResourceDefinition>;

/**
 * Imports the kind modules of paths relative to the working directory, and returns the definitions of their exports,
 * sorted by name. Node removes the types of `.ts` modules. Each definition is a copy as JSON, and each name occurs
 * once: `defineVersions` wins over the kinds that it joins. Throws `MODULE_FAILED`, `KINDS_NOT_FOUND` if a module exports no
 * kind, and `DEFINITION_CONFLICT`.
 */
export async function loadDefinitions(modules: readonly string[]): Promise<readonly Definition[]> {
  const files = modules.map((path) => resolve(path));
  const byName = new Map<string, Definition>();
  for (const file of new Set(files)) {
    for (const definition of await definitionsOf(file)) {
      const { name = '' } = definition.metadata ?? {};
      byName.set(name, joined(byName.get(name), definition, file));
    }
  }
  return [...byName].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, crd]) => crd);
}

async function definitionsOf(file: string): Promise<readonly Definition[]> {
  const definitions = await exportedDefinitions(file);
  if (definitions.length === 0) throw new CliError('KINDS_NOT_FOUND', { file });
  return definitions;
}

async function exportedDefinitions(file: string): Promise<readonly Definition[]> {
  try {
    const module = (await import(pathToFileURL(file).href)) as object;
    return Object.values(module)
      .filter(isKind)
      .map(({ crd }) => JSON.parse(JSON.stringify(crd)) as Definition);
  } catch (cause) {
    throw new CliError('MODULE_FAILED', { file, reason: thrownReason(cause) }, { cause });
  }
}

/** By its members: the module may import another copy of @keelson/schema. */
function isKind(value: unknown): value is { readonly crd: Definition } {
  const { crd } = (value ?? {}) as { readonly crd?: Partial<Definition> | null };
  return crd?.kind === 'CustomResourceDefinition' && Array.isArray(crd.spec?.versions);
}

/** Returns the definition that has all versions of both. */
function joined(one: Definition | undefined, other: Definition, file: string): Definition {
  if (one === undefined || isDeepStrictEqual(one, other)) return other;
  if (hasMoreThan(one, other)) return one;
  if (hasMoreThan(other, one)) return other;
  throw new CliError('DEFINITION_CONFLICT', { definition: other.metadata?.name ?? '', file });
}

function hasMoreThan(one: Definition, other: Definition): boolean {
  const names = new Set(one.spec.versions.map(({ name }) => name));
  const { versions } = other.spec;
  return names.size > versions.length && versions.every(({ name }) => names.has(name));
}
