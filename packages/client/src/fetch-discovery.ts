import type { Caller } from './caller.ts';
import {
  fromAggregated,
  fromListing,
  type AggregatedDiscovery,
  type ResourceListing,
  type ServedResource,
} from './served-resource.ts';

/** Aggregated discovery (KEP-3352, GA in 1.30), its beta form, or what every server has had for ever. */
const accept = [
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
  'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList',
  'application/json',
].join(',');

interface CoreVersions {
  readonly versions?: readonly string[];
}

interface GroupList {
  readonly groups?: readonly {
    readonly name: string;
    readonly versions?: readonly { readonly version: string }[];
    readonly preferredVersion?: { readonly version: string };
  }[];
}

type RootAnswer = (CoreVersions & GroupList & AggregatedDiscovery) | Record<string, never>;

/** Everything the server serves: two requests where it aggregates, else one per group version. */
export async function fetchServedResources(caller: Caller): Promise<readonly ServedResource[]> {
  const [core, groups] = await Promise.all([fetchRoot(caller, '/api'), fetchRoot(caller, '/apis')]);
  return [...core, ...groups];
}

async function fetchRoot(caller: Caller, path: '/api' | '/apis'): Promise<ServedResource[]> {
  const answer: RootAnswer = await caller.call({ verb: 'get', path, query: '', accept }, {});
  if (answer.items !== undefined) return fromAggregated(answer);
  const versions = path === '/api' ? coreVersions(answer) : groupVersions(answer);
  const listings = await Promise.all(versions.map((each) => fetchListing(caller, each)));
  return listings.flat();
}

interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

function coreVersions({ versions = [] }: CoreVersions): GroupVersion[] {
  return versions.map((version) => ({ group: '', version }));
}

function groupVersions({ groups = [] }: GroupList): GroupVersion[] {
  return groups.flatMap(({ name, versions = [], preferredVersion }) => {
    const ordered = versions.toSorted(
      (a, b) =>
        Number(b.version === preferredVersion?.version) -
        Number(a.version === preferredVersion?.version),
    );
    return ordered.map(({ version }) => ({ group: name, version }));
  });
}

/** One group whose server is down (an aggregated API) must not hide all the others. */
async function fetchListing(
  caller: Caller,
  { group, version }: GroupVersion,
): Promise<ServedResource[]> {
  const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  try {
    const listing = await caller.call<ResourceListing>({ verb: 'get', path, query: '' }, {});
    return fromListing(group, version, listing);
  } catch (error) {
    if (group === '') throw error;
    return [];
  }
}
