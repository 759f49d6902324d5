import { isGone, type KubernetesObject } from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import { parseExact } from '@keelson/structural-schema';
import { objectPath } from '../objects/object-path.ts';
import type { Served } from '../objects/find-resource.ts';
import { CliError } from '../errors.ts';

const PAGE_OBJECTS = 500;

/** Selects the objects of a list. */
export interface ListSelection {
  readonly namespace: string | undefined;
  readonly selector: string | undefined;
}

interface ListResponse {
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
  readonly items?: readonly KubernetesObject[] | null;
}

/** A page of a list; its items have `apiVersion` and `kind`. */
export interface ListPage {
  readonly resourceVersion: string | undefined;
  readonly items: readonly KubernetesObject[];
}

/**
 * Yields the pages of a list. If the list expires between two pages (410), it continues with everything at once, as kubectl
 * does: then some objects come twice. Throws `SNAPSHOT_ENDLESS` for pages that repeat.
 */
export async function* listObjects(
  client: Client,
  resource: Served,
  { namespace, selector }: ListSelection,
): AsyncGenerator<ListPage> {
  const path = objectPath(resource, namespace);
  let token: string | undefined;
  let limit: number | undefined = PAGE_OBJECTS;
  let seen = new Set<string>();
  for (;;) {
    const query = { limit, continue: token, labelSelector: selector };
    const list: ListResponse | undefined = await requestPage(client, path, query);
    if (list === undefined) {
      [token, limit] = [undefined, undefined];
      seen = new Set();
      continue;
    }
    const { metadata = {}, items } = list;
    const typed = (items ?? []).map((item) => typedItem(resource, item));
    yield { resourceVersion: metadata.resourceVersion, items: typed };
    token = metadata.continue === '' ? undefined : metadata.continue;
    if (token === undefined) return;
    for (const id of pageIds(token, typed)) {
      if (seen.has(id)) throw new CliError('SNAPSHOT_ENDLESS', { path });
      seen.add(id);
    }
  }
}

/** Returns what identifies a page within a list: its continue token, and the name of its first object. */
function pageIds(token: string, [first]: readonly KubernetesObject[]): readonly string[] {
  const { namespace = '', name = '' } = first?.metadata ?? {};
  return [`token ${token}`, ...(first === undefined ? [] : [`object ${namespace}/${name}`])];
}

/** Returns `undefined` if the token of a limited page has expired. */
async function requestPage(
  client: Client,
  path: string,
  query: Readonly<Record<'continue' | 'labelSelector', string | undefined>> & {
    readonly limit: number | undefined;
  },
): Promise<ListResponse | undefined> {
  try {
    const { body } = await client.request({ path, query });
    return parseExact(body) as ListResponse;
  } catch (error) {
    const isLimited = query.continue !== undefined && query.limit !== undefined;
    if (isGone(error) && isLimited) return undefined;
    throw error;
  }
}

/** Items of built-in kinds have no `apiVersion` and `kind`. */
function typedItem({ group, version, kind }: Served, item: KubernetesObject): KubernetesObject {
  const apiVersion = group === '' ? version : `${group}/${version}`;
  return { ...item, apiVersion, kind };
}
