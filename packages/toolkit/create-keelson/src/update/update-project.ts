import { createTwoFilesPatch } from 'diff';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder } from '../project/make-folder.ts';
import { ownVersion } from '../project/own-version.ts';
import {
  hashOf,
  isOwned,
  printRecord,
  readRecord,
  recordOf,
  RECORD_FILE,
  type TemplateRecord,
} from '../project/record.ts';
import { render } from '../template/render.ts';
import { readTemplate, type Files } from '../template/template.ts';
import { writeFailed } from '../write-failed.ts';
import { updatedManifest } from './update-manifest.ts';

/** The changes of an update. */
export interface UpdatedProject {
  /** The version of the template before. */
  readonly from: string;
  readonly to: string;
  /** The paths of the written files. */
  readonly written: readonly string[];
  /** The paths of the removed files, which the template no longer has. */
  readonly removed: readonly string[];
  /** Diffs for files that the user has changed or removed and that have changed in the template. */
  readonly diffs: readonly string[];
}

/** The planned change of one file; without a text it is removed. */
interface Change {
  readonly path: string;
  readonly text?: string;
}

/**
 * Updates the versions of `@keelson/*` in `package.json`, and the files of the template that the user has not changed.
 * Code, `config` and the README are never changed. Throws `RECORD_INVALID` and `WRITE_FAILED`.
 */
export async function updateProject(folder: string): Promise<UpdatedProject> {
  const record = await readRecord(folder);
  const version = ownVersion();
  const template = render(readTemplate(record.choices.variant), record.choices, version);
  const changes: Change[] = [];
  const diffs: string[] = [];
  for (const path of pathsOf(template, record)) {
    const step = await stepOf(folder, path, { template, record });
    if (step === undefined) continue;
    if (typeof step === 'string') diffs.push(step);
    else changes.push(step);
  }
  changes.push(...(await manifestChange(folder, template)));
  const next = printRecord(recordOf(record.choices, template, version));
  if (next !== (await textOf(folder, RECORD_FILE))) changes.push({ path: RECORD_FILE, text: next });
  for (const change of changes) await apply(folder, change);
  const isRemoval = ({ text }: Change): boolean => text === undefined;
  return {
    from: record.version,
    to: version,
    written: changes.filter((change) => !isRemoval(change)).map(({ path }) => path),
    removed: changes.filter(isRemoval).map(({ path }) => path),
    diffs,
  };
}

/** The files of the template now and then. */
function pathsOf(template: Files, record: TemplateRecord): string[] {
  const paths = new Set([...[...template.keys()].filter(isOwned), ...Object.keys(record.files)]);
  return [...paths].toSorted();
}

/** Returns the change of a file, the diff for the user, or nothing. */
async function stepOf(
  folder: string,
  path: string,
  { template, record }: { readonly template: Files; readonly record: TemplateRecord },
): Promise<Change | string | undefined> {
  const present = await textOf(folder, path);
  const next = template.get(path);
  const recorded = record.files[path];
  const isChangedInTemplate = recorded !== (next === undefined ? undefined : hashOf(next));
  if (!isChangedInTemplate || present === next) return undefined;
  const isUntouched = present === undefined ? recorded === undefined : hashOf(present) === recorded;
  if (isUntouched) return next === undefined ? { path } : { path, text: next };
  if (present === undefined && next === undefined) return undefined;
  return createTwoFilesPatch(path, path, present ?? '', next ?? '', 'yours', 'template');
}

async function manifestChange(folder: string, template: Files): Promise<Change[]> {
  const path = 'package.json';
  const present = await textOf(folder, path);
  if (present === undefined) return [];
  const text = manifestOf(folder, present, template.get(path) ?? '{}');
  return text === present ? [] : [{ path, text }];
}

function manifestOf(folder: string, present: string, template: string): string {
  try {
    return updatedManifest(present, template);
  } catch (cause) {
    throw writeFailed(folder, new Error(`package.json ${String(cause)}`, { cause }));
  }
}

async function textOf(folder: string, path: string): Promise<string | undefined> {
  try {
    return await readFile(join(folder, path), 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw writeFailed(folder, cause);
  }
}

async function apply(folder: string, { path, text }: Change): Promise<void> {
  const file = join(folder, path);
  try {
    if (text === undefined) return await rm(file);
    await makeFolder(dirname(file));
    await writeFile(file, text);
  } catch (cause) {
    throw writeFailed(folder, cause);
  }
}
