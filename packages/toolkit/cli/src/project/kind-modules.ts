import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { thrownReason, type builtin, type ObjectOf } from '@keelson/apimachinery';
import { CliError } from '../errors.ts';
import type { SourceFile } from '../types/sources/source-file.ts';

type Definition = ObjectOf<typeof builtin.CustomResourceDefinition>;

/** A kind module: its definitions as JSON, or why it has none. */
export type KindModule =
  | { readonly file: string; readonly definitions: readonly Definition[] }
  | { readonly file: string; readonly error: CliError };

/**
 * Imports the kind modules of paths relative to the working directory. Node removes the types of `.ts` modules. A module
 * that cannot be imported has the error `MODULE_FAILED`, one that exports no kind `KINDS_NOT_FOUND`.
 */
export async function loadModules(modules: readonly string[]): Promise<readonly KindModule[]> {
  const found: KindModule[] = [];
  for (const file of new Set(modules.map((path) => resolve(path)))) {
    try {
      found.push({ file, definitions: await definitionsOf(file) });
    } catch (error) {
      found.push({ file, error: error as CliError });
    }
  }
  return found;
}

/**
 * Returns one entry for each definition, sorted by name, and one for each error of a module. Each name occurs once:
 * a kind with several versions wins over kinds of one of them. Different definitions of a name are a `DEFINITION_CONFLICT`.
 */
export function joinModules(modules: readonly KindModule[]): readonly SourceFile[] {
  const byName = new Map<string, { readonly source: string; readonly definition: Definition }>();
  const failed: SourceFile[] = [];
  for (const module of modules) {
    const { file: source } = module;
    if ('error' in module) {
      failed.push({ source, error: module.error });
      continue;
    }
    for (const definition of module.definitions) {
      const { name = '' } = definition.metadata ?? {};
      const wider = joined(byName.get(name)?.definition, definition);
      if (wider === undefined) failed.push({ source, error: conflict(name, source) });
      else if (wider === definition) byName.set(name, { source, definition });
    }
  }
  const names = [...byName.keys()].toSorted();
  const found = names.flatMap((name) => byName.get(name) ?? []);
  return [
    ...found.map(({ source, definition }) => ({ source, definitions: [definition] })),
    ...failed,
  ];
}

async function definitionsOf(file: string): Promise<readonly Definition[]> {
  const definitions = await exportedDefinitions(file);
  if (definitions.length === 0) throw new CliError('KINDS_NOT_FOUND', { file });
  return definitions;
}

async function exportedDefinitions(file: string): Promise<readonly Definition[]> {
  return importedFrom(file, (values) =>
    values.filter(isKind).map(({ crd }) => JSON.parse(JSON.stringify(crd)) as Definition),
  );
}

/** Imports a module, and reads its exports. Throws `MODULE_FAILED`. */
export async function importedFrom<T>(
  file: string,
  read: (values: readonly unknown[]) => T,
): Promise<T> {
  try {
    const module = (await import(pathToFileURL(file).href)) as object;
    return read(Object.values(module));
  } catch (cause) {
    throw new CliError('MODULE_FAILED', { file, reason: thrownReason(cause) }, { cause });
  }
}

/** By its members: the module may import another copy of @keelson/schema. */
function isKind(value: unknown): value is { readonly crd: Definition } {
  const { crd } = (value ?? {}) as { readonly crd?: Partial<Definition> | null };
  return crd?.kind === 'CustomResourceDefinition' && Array.isArray(crd.spec?.versions);
}

/** Returns the definition that has all versions of both; undefined if neither has. */
function joined(one: Definition | undefined, other: Definition): Definition | undefined {
  if (one === undefined || isDeepStrictEqual(one, other)) return other;
  if (hasMoreThan(one, other)) return one;
  return hasMoreThan(other, one) ? other : undefined;
}

function conflict(definition: string, file: string): CliError {
  return new CliError('DEFINITION_CONFLICT', { definition, file });
}

function hasMoreThan(one: Definition, other: Definition): boolean {
  const names = new Set(one.spec.versions.map(({ name }) => name));
  const { versions } = other.spec;
  return names.size > versions.length && versions.every(({ name }) => names.has(name));
}
