import { checkOptions, invalidOption } from '@keelson/apimachinery';
import { CliError } from '../../errors.ts';
import { readCustomKind, type CustomKind } from '../definition/custom-kind.ts';
import { printKindModule } from './kind-module.ts';

/** The package that operators install; it exports all that the generated code imports. */
const DEFAULT_MODULE = '@keelson/manager';

/** Changes the imports of the code of `generateTypes`. Every field is optional. */
export interface TypeOptions {
  /** The module that the code imports `defineResource` from. Default: `@keelson/manager`. */
  readonly from?: string | undefined;
}

/** One generated TypeScript module: a served version of a kind. */
export interface GeneratedModule {
  /** The path below the output folder: `group/version/plural.ts`. */
  readonly path: string;
  /** The TypeScript code. It is the same for equal definitions, whatever the order of their fields. */
  readonly code: string;
}

/**
 * Generates one module for each served version of CustomResourceDefinitions: the interfaces of the kind and its typed
 * token. Equal definitions give one module. Throws `DEFINITION_INVALID`, `DEFINITION_CONFLICT` for different schemas
 * of the same version, `SCHEMA_TOO_LARGE`, and `INVALID_OPTION`.
 *
 * @example
 * ```ts
 * import { generateTypes } from '@keelson/cli';
 * import { readFile } from 'node:fs/promises';
 *
 * const definition: unknown = JSON.parse(await readFile('crd.json', 'utf8'));
 * for (const { path, code } of generateTypes([definition])) console.log(path, code.length);
 * ```
 */
export function generateTypes(
  definitions: readonly unknown[],
  options: TypeOptions = {},
): readonly GeneratedModule[] {
  const modules = new GeneratedModules(options);
  for (const definition of definitions) modules.add(definition);
  return modules.sorted;
}

/** The modules of definitions that are added one by one, so that an invalid one does not stop the others. */
export class GeneratedModules {
  readonly #from: string;
  /** The code of each path. */
  readonly #code = new Map<string, string>();

  /** Throws `INVALID_OPTION`. */
  constructor(options: TypeOptions = {}) {
    checkOptions(options, ['from'], 'generateTypes');
    const { from = DEFAULT_MODULE } = options;
    if (typeof from !== 'string' || from === '') {
      throw invalidOption('generateTypes.from', 'must be the name of a module');
    }
    this.#from = from;
  }

  /**
   * Adds the modules of a definition; none if it throws `DEFINITION_INVALID`, `DEFINITION_CONFLICT` or
   * `SCHEMA_TOO_LARGE`.
   */
  add(definition: unknown): void {
    const modules = modulesOf(readCustomKind(definition), this.#from);
    const other = modules.find(({ path, code }) => (this.#code.get(path) ?? code) !== code);
    if (other !== undefined) throw new CliError('DEFINITION_CONFLICT', { module: other.path });
    for (const { path, code } of modules) this.#code.set(path, code);
  }

  /** The modules in the order of their paths. */
  get sorted(): readonly GeneratedModule[] {
    return [...this.#code]
      .map(([path, code]) => ({ path, code }))
      .toSorted((a, b) => (a.path < b.path ? -1 : 1));
  }
}

function modulesOf(kind: CustomKind, from: string): readonly GeneratedModule[] {
  return kind.versions.map((version) => ({
    path: `${kind.group}/${version.name}/${kind.plural}.ts`,
    code: printKindModule(kind, version, from),
  }));
}
