import { isNotFound } from '@keelson/apimachinery';
import type { Caller } from '../calls/caller.ts';
import {
  fromAggregated,
  fromListing,
  staleVersions,
  type AggregatedDiscovery,
  type ResourceListing,
  type ServedResource,
} from './served-resource.ts';

/** Aggregated discovery (KEP-3352, GA in 1.30), its beta form, or the form that all servers support. */
const accept = [
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
  'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList',
  'application/json',
].join(',');

// Go servers write a list without members as null.
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

type RootAnswer = (CoreVersions & GroupList & AggregatedDiscovery) | Record<string, never>;

/** client-go's limit for a request of discovery. */
export const DISCOVERY_TIMEOUT = '32s';

/** A group version whose server did not say what it serves: mostly an aggregated API that is down. */
export interface DiscoveryFailure {
  readonly group: string;
  readonly version: string;
  /** What its server responded. Absent where the API server only says that its knowledge is out of date. */
  readonly error?: unknown;
}

/** What is known at one time. */
export interface Served {
  readonly resources: readonly ServedResource[];
  readonly failures: readonly DiscoveryFailure[];
  /** Monotonic milliseconds. */
  readonly fetchedAt: number;
}

/** Everything the server serves: two requests where it aggregates, else one per group version. */
export async function fetchServed(caller: Caller): Promise<Served> {
  return merge(await Promise.all([fetchRoot(caller, '/api'), fetchRoot(caller, '/apis')]));
}

/** One group version, as `apps/v1` or `v1`; nothing where it is not served. */
export async function fetchGroupVersion(caller: Caller, apiVersion: string): Promise<Served> {
  const [version = '', group = ''] = apiVersion.split('/').toReversed();
  return { ...nothing(), resources: await fetchListing(caller, { group, version }) };
}

async function fetchRoot(caller: Caller, path: '/api' | '/apis'): Promise<Served> {
  const answer = await read<RootAnswer>(caller, path, accept);
  if (Array.isArray(answer.items)) {
    return { ...nothing(), resources: fromAggregated(answer), failures: staleVersions(answer) };
  }
  const versions = path === '/api' ? coreVersions(answer) : groupVersions(answer);
  return merge(await Promise.all(versions.map((each) => tryListing(caller, each))));
}

function read<Result>(
  caller: Caller,
  path: string,
  mediaTypes: string = 'application/json',
): Promise<Result> {
  return caller.call(
    { verb: 'get', path, query: '', accept: mediaTypes },
    { timeout: DISCOVERY_TIMEOUT },
  );
}

function nothing(): Served {
  return { resources: [], failures: [], fetchedAt: performance.now() };
}

function merge(parts: readonly Served[]): Served {
  return {
    resources: parts.flatMap(({ resources }) => resources),
    failures: parts.flatMap(({ failures }) => failures),
    fetchedAt: performance.now(),
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

/** One group whose server is down must not hide all the others. */
async function tryListing(caller: Caller, groupVersion: GroupVersion): Promise<Served> {
  try {
    return { ...nothing(), resources: await fetchListing(caller, groupVersion) };
  } catch (error) {
    if (groupVersion.group === '') throw error;
    return { ...nothing(), failures: [{ ...groupVersion, error }] };
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
    // The response for a group version that is not served is a 404 in plain text.
    if (isNotFound(error)) return [];
    throw error;
  }
}
