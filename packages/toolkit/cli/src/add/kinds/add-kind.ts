import { posix } from 'node:path';
import { defineKind } from '@keelson/schema';
import { CliError } from '../../errors.ts';
import { crdFile } from '../../crd/generate/crd-file.ts';
import { readCustomKind } from '../../types/definition/custom-kind.ts';
import { changePackage, withPath } from '../draft/package-members.ts';
import type { ProjectDraft } from '../draft/project-draft.ts';
import { kindModuleCode, newKindOptions } from './kind-code.ts';
import { checkKindNames, pluralOf } from './kind-names.ts';
import { codeFolder, projectKinds, type ProjectKind } from './project-kinds.ts';

/** The options of `keelson add kind`. */
export interface NewKind {
  readonly kind: string;
  /** Default: the group of the project's first kind. */
  readonly group?: string | undefined;
  /** Default: `v1`. */
  readonly version?: string | undefined;
  /** Default: the English plural of the kind. */
  readonly plural?: string | undefined;
}

/** A kind of the draft, and whether the project had it before. */
export interface AddedKind {
  readonly kind: ProjectKind;
  readonly isPresent: boolean;
}

/** Adds the module of a kind, its definition, and its path in `package.json`. Throws `NAME_INVALID` and `FILE_EXISTS`. */
export async function addKind(draft: ProjectDraft, wanted: NewKind): Promise<AddedKind> {
  const present = await projectKinds(draft.project);
  const { kind, version = 'v1', plural = pluralOf(kind) } = wanted;
  const group = wanted.group ?? present[0]?.group ?? '';
  const names = { kind, group, version, plural };
  checkKindNames(names);
  const same = present.find((one) => one.group === group && one.kind === kind);
  if (same !== undefined) return { kind: same, isPresent: true };
  refuseConflict(present, names);
  const module = posix.join(codeFolder(draft.project), `${kind.toLowerCase()}.ts`);
  // As JSON, which is what the file of the definition has.
  const crd = JSON.parse(JSON.stringify(defineKind(newKindOptions(names)).crd)) as object;
  const { path, text } = await crdFile(crd);
  await draft.create(module, kindModuleCode(names));
  await draft.create(posix.join(draft.project.crds, path), text);
  await changePackage(draft, (keelson) => {
    keelson.kinds = withPath(keelson.kinds, module);
  });
  return { kind: { ...readCustomKind(crd), module, crd }, isPresent: false };
}

/** A cluster has each plural of a group once; code has each kind once. */
function refuseConflict(
  present: readonly ProjectKind[],
  {
    kind,
    group,
    plural,
  }: { readonly kind: string; readonly group: string; readonly plural: string },
): void {
  const other = present.find((one) => one.group === group && one.plural === plural);
  if (other !== undefined) {
    const reason = `is the plural of ${other.kind} (${other.module})`;
    throw new CliError('NAME_INVALID', { option: 'plural', value: plural, reason });
  }
  const named = present.find((one) => one.kind === kind);
  if (named === undefined) return;
  const reason = `is a kind of ${named.group} (${named.module}), whose code has the same names`;
  throw new CliError('NAME_INVALID', { option: 'kind', value: kind, reason });
}
