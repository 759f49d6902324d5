import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { load } from 'js-yaml';

/** Members of an object, without its metadata. */
export type Fragment = Readonly<Record<string, unknown>>;

/** A kind that random sessions write, with the parts of its objects. */
export interface SessionKind {
  /** Path of the collection; `${ns}` is the namespace of the session. */
  readonly path: string;
  readonly apiVersion: string;
  readonly kind: string;
  /** True for custom resources, which do not support strategic merge patches. */
  readonly isCustom?: boolean;
  /** True if the kind has the subresource `/scale`. */
  readonly scale?: boolean;
  /** The smallest valid object. */
  readonly base: Fragment;
  /** Parts to merge into an object or to send as patches. Some are invalid. */
  readonly fragments: readonly Fragment[];
  /** Parts of a status; missing for kinds without `/status`. */
  readonly statuses?: readonly Fragment[];
}

const folder = fileURLToPath(new URL('../../sessions/', import.meta.url));

/** Reads the kinds of the random sessions from `sessions/kinds.yaml`. */
export async function readSessionKinds(): Promise<readonly SessionKind[]> {
  return load(await readFile(`${folder}kinds.yaml`, 'utf8')) as SessionKind[];
}

/** Reads the CustomResourceDefinition of the random sessions. */
export async function readSessionDefinition(): Promise<object> {
  return load(await readFile(`${folder}definition.yaml`, 'utf8')) as object;
}
