import { dirname, relative, resolve, sep } from 'node:path';
import { CliError } from '../../errors.ts';
import { importDefinitions } from '../../project/definitions/import-definitions.ts';
import type { Project } from '../../project/project.ts';
import { Failures } from '../../terminal/failures.ts';
import { readCustomKind, type CustomKind } from '../../types/definition/custom-kind.ts';
import type { ProjectDraft } from '../draft/project-draft.ts';
import { SourceModule } from '../source/source-module.ts';

/** A kind of a project, and its module. */
export interface ProjectKind extends CustomKind {
  /** The path of the module below the folder of the project. */
  readonly module: string;
  /** The CustomResourceDefinition. */
  readonly crd: object;
}

/** Imports the kinds of the modules of a project. Throws an `AggregateError` with the error of each module that fails. */
export async function projectKinds(project: Project): Promise<readonly ProjectKind[]> {
  const failures = new Failures();
  const found: ProjectKind[] = [];
  const modules = project.kinds.map((path) => resolve(project.folder, path));
  for (const file of await importDefinitions(modules)) {
    if ('error' in file) {
      failures.add(file.error);
      continue;
    }
    const module = relative(project.folder, file.source).split(sep).join('/');
    for (const crd of file.definitions) {
      found.push({ ...readCustomKind(crd), module, crd: crd as object });
    }
  }
  failures.throwAny();
  return found;
}

/** Returns the kind of a name. Throws `KIND_NOT_FOUND`, also if several groups have it. */
export async function projectKind(project: Project, kind: string): Promise<ProjectKind> {
  const all = await projectKinds(project);
  const found = all.filter((one) => one.kind === kind);
  const [first] = found;
  if (first !== undefined && found.length === 1) return first;
  const names = all.map((one) => `${one.kind}.${one.group}`).join(' ');
  throw new CliError('KIND_NOT_FOUND', { kind, kinds: names });
}

/** The names under which the module of a kind exports its token and its definition. */
export interface KindExports {
  readonly token: string;
  /** Undefined if the module exports no `definition`. */
  readonly definition: string | undefined;
}

/** Reads the exports of the module of a kind. Throws `PLACE_NOT_FOUND` if it does not export the token with the kind's name. */
export async function kindExports(
  draft: ProjectDraft,
  { kind, module }: Pick<ProjectKind, 'kind' | 'module'>,
): Promise<KindExports> {
  const { exportedNames } = SourceModule.parse(module, await draft.read(module));
  if (!exportedNames.has(kind)) {
    const wanted = `an export of the kind's token: export const ${kind} = definition.resource`;
    throw new CliError('PLACE_NOT_FOUND', { file: module, wanted });
  }
  return { token: kind, definition: exportedNames.has('definition') ? 'definition' : undefined };
}

/** The folder of the code of a project, such as `src`. */
export function codeFolder({ main }: Project): string {
  return dirname(main);
}

/** The path by which the module of one file imports another one, both below the folder of the project. */
export function importPath(from: string, to: string): string {
  const path = relative(dirname(from), to).split(sep).join('/');
  return path.startsWith('.') ? path : `./${path}`;
}
