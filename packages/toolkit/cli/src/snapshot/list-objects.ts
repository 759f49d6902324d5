import { isGone, type KubernetesObject } from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import { objectPath } from '../objects/object-path.ts';
import type { Served } from '../objects/find-resource.ts';
import { CliError } from '../errors.ts';
import { readList, type ListBody } from './response-body.ts';

const PAGE_OBJECTS = 500;
/** The most pages without objects in sequence. */
const MAX_EMPTY_PAGES = 100;

/** Selects the objects of a list. */
export interface ListSelection {
  readonly namespace: string | undefined;
  readonly selector: string | undefined;
}

/** A page of a list. */
export interface ListPage extends Pick<ListBody, 'items' | 'resourceVersion'> {
  /** True if the list begins with this page: pages before it are obsolete. */
  readonly isFirst: boolean;
}

/**
 * Yields the pages of a list. If the list expires between two pages (410), it begins again with everything at once: that page
 * replaces the earlier ones. Throws `SNAPSHOT_ENDLESS` for pages that repeat, and for many pages without objects.
 * Throws `SNAPSHOT_RESPONSE_INVALID`.
 */
export async function* listObjects(
  client: Client,
  resource: Served,
  { namespace, selector }: ListSelection,
): AsyncGenerator<ListPage> {
  const path = objectPath(resource, namespace);
  let token: string | undefined;
  let limit: number | undefined = PAGE_OBJECTS;
  let seen = new SeenPages(path);
  for (;;) {
    const query = { limit, continue: token, labelSelector: selector };
    const body = await requestPage(client, path, query);
    if (body === undefined) {
      [token, limit] = [undefined, undefined];
      seen = new SeenPages(path);
      continue;
    }
    const { resourceVersion, items, token: next } = readList(body, { resource, path });
    yield { resourceVersion, items, isFirst: token === undefined };
    if (next === undefined) return;
    seen.add(next, items);
    token = next;
  }
}

/** The pages of a list that has not ended. */
class SeenPages {
  readonly #path: string;
  /** The continue tokens, and the names of the first objects. */
  readonly #ids = new Set<string>();
  /** The pages without objects since the last page with objects. */
  #empty = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** Adds a page. Throws `SNAPSHOT_ENDLESS` if the server has sent it before, or has sent only empty pages for long. */
  add(token: string, [first]: readonly KubernetesObject[]): void {
    const { namespace = '', name = '' } = first?.metadata ?? {};
    this.#empty = first === undefined ? this.#empty + 1 : 0;
    const ids = [`token ${token}`, ...(first === undefined ? [] : [`object ${namespace}/${name}`])];
    if (this.#empty >= MAX_EMPTY_PAGES || ids.some((id) => this.#ids.has(id)))
      throw new CliError('SNAPSHOT_ENDLESS', { path: this.#path });
    for (const id of ids) this.#ids.add(id);
  }
}

/** Returns `undefined` if the token of a limited page has expired. */
async function requestPage(
  client: Client,
  path: string,
  query: Readonly<Record<'continue' | 'labelSelector', string | undefined>> & {
    readonly limit: number | undefined;
  },
): Promise<string | undefined> {
  try {
    const { body } = await client.request({ path, query });
    return body;
  } catch (error) {
    const isLimited = query.continue !== undefined && query.limit !== undefined;
    if (isGone(error) && isLimited) return undefined;
    throw error;
  }
}
