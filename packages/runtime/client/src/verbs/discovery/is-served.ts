import { isNotFound, type ApiResource } from '@keelson/apimachinery';
import type { Caller } from '../calls/caller.ts';
import { requestFor } from '../calls/request-for.ts';
import { readObject } from '../calls/response-object.ts';
import type { HttpResponse } from '../../http/http-response.ts';
import { DISCOVERY_TIMEOUT } from './fetch-discovery.ts';
import type { ResourceListing } from './served-resource.ts';

interface Listing extends ResourceListing {
  readonly kind?: string;
}

interface Groups {
  readonly kind?: string;
  // Go servers may write an empty list as null.
  readonly groups?:
    | readonly {
        readonly name: string;
        readonly versions?: readonly { readonly version: string }[];
      }[]
    | null;
}

/**
 * Returns whether the discovery of the server names a resource. Rejects if a response is not a discovery
 * document: a gateway that responds to everything with 404 proves nothing.
 */
export async function isServed(
  caller: Caller,
  resource: ApiResource,
  signal: AbortSignal,
): Promise<boolean> {
  const { group, version, plural } = resource;
  try {
    const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
    const listing = await readDocument<Listing>(caller, path, 'APIResourceList', signal);
    return (listing.resources ?? []).some(({ name }) => name === plural);
  } catch (error) {
    if (group === '' || !isNotFound(error)) throw error;
    return hasVersion(
      await readDocument<Groups>(caller, '/apis', 'APIGroupList', signal),
      resource,
    );
  }
}

/**
 * True if the list of groups has the version of the resource. The resource then counts as served, although the list of
 * the version itself is missing.
 */
function hasVersion({ groups }: Groups, { group, version }: ApiResource): boolean {
  return (groups ?? []).some(
    ({ name, versions }) => name === group && versions?.some((each) => each.version === version),
  );
}

async function readDocument<T extends { readonly kind?: string }>(
  caller: Caller,
  path: string,
  kind: string,
  signal: AbortSignal,
): Promise<T> {
  const read = async (response: HttpResponse): Promise<object> => {
    const document: { readonly kind?: unknown } = await readObject(response);
    if (document.kind !== kind) throw response.unexpected({ kind: document.kind });
    return document;
  };
  const request = requestFor('get', { path, accept: 'application/json' });
  return caller.call<T>({ request, read }, { timeout: DISCOVERY_TIMEOUT, signal });
}
