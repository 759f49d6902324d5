import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { load } from 'js-yaml';

/** Members of an object without its metadata. */
export type Fragment = Readonly<Record<string, unknown>>;

/** A kind that random sessions write, with what its objects are put together from. */
export interface SessionKind {
  /** Path of the collection; `${ns}` is the namespace of the session. */
  readonly path: string;
  readonly apiVersion: string;
  readonly kind: string;
  /** True for custom resources, which know no strategic merge patch. */
  readonly isCustom?: boolean;
  /** True if objects have a `/scale`. */
  readonly scale?: boolean;
  /** The least object that is valid. */
  readonly base: Fragment;
  /** Parts to merge into an object or to send as patches; some are invalid. */
  readonly fragments: readonly Fragment[];
  /** Parts of a status; missing for kinds without `/status`. */
  readonly statuses?: readonly Fragment[];
}

const folder = fileURLToPath(new URL('../../sessions/', import.meta.url));

/** Reads the kinds of the random sessions. */
export async function readSessionKinds(): Promise<readonly SessionKind[]> {
  return load(await readFile(`${folder}kinds.yaml`, 'utf8')) as SessionKind[];
}

/** Reads the definition of the custom kind of the random sessions. */
export async function readSessionDefinition(): Promise<object> {
  return load(await readFile(`${folder}definition.yaml`, 'utf8')) as object;
}
