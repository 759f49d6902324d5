import { isDeleting, type Client, type DeepReadonly, type InformerCache } from '@keelson/manager';
import type { Manager, Request } from '@keelson/manager';
import { Claim, Thing } from './custom-resources.ts';

/** Binds each Claim to the smallest free Thing that is large enough, and says so in its status. */
// #region claim-controller
export function addClaimController(manager: Manager): void {
  const waiting = new Map<string, Request>();
  manager.addController({
    name: 'claim',
    for: Claim,
    // A bound Thing concerns its Claim, a free one every Claim that waits.
    watches: [{ resource: Thing, map: (thing) => thing.value().spec.claim ?? waiting.values() }],
    async reconcile({ namespace, name }, { cache, client, signal }) {
      const key = `${namespace}/${name}`;
      waiting.set(key, { namespace, name }); // before looking, so that no Thing is missed
      const claim = cache.get(Claim, { namespace, name });
      const thing = claim && (thingOf(cache, claim) ?? (await bindFreeThing(cache, client, claim)));
      if (claim === undefined || thing !== undefined) waiting.delete(key);
      if (claim === undefined || isDeleting(claim)) return;
      const status: Claim['status'] =
        thing === undefined ? { phase: 'Pending' } : { phase: 'Bound', thing };
      await client.status(Claim).apply({ metadata: { namespace, name }, status }, { signal });
    },
  });
}
// #endregion

/** The name of the Thing that is bound to the claim. */
function thingOf(cache: InformerCache, claim: DeepReadonly<Claim>): string | undefined {
  const uid = claim.metadata?.uid;
  return cache.list(Thing).find((thing) => thing.spec.claim?.uid === uid)?.metadata?.name;
}

/**
 * The cache may be behind a binding that was just written, so the patch carries the resourceVersion
 * it decided on: of two claims that want one Thing the second gets a conflict and is tried again.
 */
async function bindFreeThing(
  cache: InformerCache,
  client: Client,
  claim: DeepReadonly<Claim>,
): Promise<string | undefined> {
  const [thing] = cache
    .list(Thing)
    .filter(
      ({ spec, metadata }) => spec.claim === undefined && metadata?.deletionTimestamp === undefined,
    )
    .filter(({ spec }) => spec.size >= claim.spec.size)
    .toSorted((one, other) => one.spec.size - other.spec.size);
  const name = thing?.metadata?.name;
  if (thing === undefined || name === undefined) return undefined;
  const { namespace = '', name: claimName = '', uid = '' } = claim.metadata ?? {};
  const metadata = { resourceVersion: thing.metadata?.resourceVersion ?? '' };
  const body = { metadata, spec: { claim: { namespace, name: claimName, uid } } };
  await client.patch(Thing, { name }, { type: 'merge', body });
  return name;
}
