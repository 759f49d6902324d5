import { isNotFound } from '@keelson/apimachinery';
import type { Caller } from '../calls/caller.ts';
import { requestFor } from '../calls/request-for.ts';
import {
  fromAggregated,
  fromListing,
  staleVersions,
  type AggregatedDiscovery,
  type ResourceListing,
  type ServedResource,
} from './served-resource.ts';

/**
 * The accepted media types: aggregated discovery (KEP-3352, GA in 1.30), its beta version, or the form that all servers
 * support.
 */
const accept = [
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
  'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList',
  'application/json',
].join(',');

// Go servers may write an empty list as null.
interface CoreVersions {
  readonly versions?: readonly string[] | null;
}

interface GroupList {
  readonly groups?:
    | readonly {
        readonly name: string;
        readonly versions?: readonly { readonly version: string }[] | null;
        readonly preferredVersion?: { readonly version: string };
      }[]
    | null;
}

type RootResponse = (CoreVersions & GroupList & AggregatedDiscovery) | Record<string, never>;

/** Time limit of a discovery request, as in client-go. */
export const DISCOVERY_TIMEOUT = '32s';

/** A group version whose resources are unknown, mostly because its aggregated API server is down. */
export interface DiscoveryFailure {
  readonly group: string;
  readonly version: string;
  /** The error of that server. Missing if the API server only marks the group version as outdated. */
  readonly error?: unknown;
}

/** The resources of a server at the time of one fetch. */
export interface Served {
  readonly resources: readonly ServedResource[];
  readonly failures: readonly DiscoveryFailure[];
  /** Monotonic time in milliseconds. */
  readonly fetchedAt: number;
}

/** Fetches all resources of the server: two requests with aggregated discovery, else one per group version. */
export async function fetchServed(caller: Caller): Promise<Served> {
  return merge(caller, await Promise.all([fetchRoot(caller, '/api'), fetchRoot(caller, '/apis')]));
}

/**
 * Fetches the resources of one group version, such as `apps/v1` or `v1`. Empty if the server does not serve
 * it.
 */
export async function fetchGroupVersion(caller: Caller, apiVersion: string): Promise<Served> {
  const [version = '', group = ''] = apiVersion.split('/').toReversed();
  return { ...nothing(caller), resources: await fetchListing(caller, { group, version }) };
}

async function fetchRoot(caller: Caller, path: '/api' | '/apis'): Promise<Served> {
  const response = await read<RootResponse>(caller, path, accept);
  if (Array.isArray(response.items)) {
    return {
      ...nothing(caller),
      resources: fromAggregated(response),
      failures: staleVersions(response),
    };
  }
  const versions = path === '/api' ? coreVersions(response) : groupVersions(response);
  return merge(caller, await Promise.all(versions.map((each) => tryListing(caller, each))));
}

function read<Result>(
  caller: Caller,
  path: string,
  mediaTypes: string = 'application/json',
): Promise<Result> {
  const request = requestFor('get', { path, accept: mediaTypes });
  return caller.call({ request }, { timeout: DISCOVERY_TIMEOUT });
}

function nothing(caller: Caller): Served {
  return merge(caller, []);
}

function merge(caller: Caller, parts: readonly Served[]): Served {
  return {
    resources: parts.flatMap(({ resources }) => resources),
    failures: parts.flatMap(({ failures }) => failures),
    fetchedAt: caller.transport.clock.monotonic(),
  };
}

interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

function coreVersions({ versions }: CoreVersions): GroupVersion[] {
  return (versions ?? []).map((version) => ({ group: '', version }));
}

function groupVersions({ groups }: GroupList): GroupVersion[] {
  return (groups ?? []).flatMap(({ name, versions, preferredVersion }) => {
    const ordered = (versions ?? []).toSorted(
      (a, b) =>
        Number(b.version === preferredVersion?.version) -
        Number(a.version === preferredVersion?.version),
    );
    return ordered.map(({ version }) => ({ group: name, version }));
  });
}

/** Records an error as a failure, because one group whose server is down must not hide the other groups. */
async function tryListing(caller: Caller, groupVersion: GroupVersion): Promise<Served> {
  try {
    return { ...nothing(caller), resources: await fetchListing(caller, groupVersion) };
  } catch (error) {
    if (groupVersion.group === '') throw error;
    return { ...nothing(caller), failures: [{ ...groupVersion, error }] };
  }
}

async function fetchListing(
  caller: Caller,
  { group, version }: GroupVersion,
): Promise<ServedResource[]> {
  const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  try {
    return fromListing(group, version, await read<ResourceListing>(caller, path));
  } catch (error) {
    // A server responds to an unknown group version with a 404 in plain text.
    if (isNotFound(error)) return [];
    throw error;
  }
}
