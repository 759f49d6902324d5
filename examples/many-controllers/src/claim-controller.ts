import { isConflict, isDeleting, type Manager, type Request } from '@keelson/manager';
import { Bindings, thingsByClaim } from './bindings.ts';
import { Claim, Thing } from './custom-resources.ts';

/** Binds each Claim to the smallest free Thing that is large enough, and reports it in the status. */
// #region claim-controller
export function addClaimController(manager: Manager): void {
  const bindings = new Bindings(manager.cache);
  const waiting = new Map<string, Request>();
  manager.addController({
    name: 'claim',
    for: Claim,
    // A bound Thing concerns its Claim, a free one every Claim that waits.
    watches: [
      {
        resource: Thing,
        indexers: [thingsByClaim],
        map: (thing) => thing.value().spec.claim ?? waiting.values(),
      },
    ],
    async reconcile({ namespace, name }, { cache, client, signal }) {
      const key = `${namespace}/${name}`;
      waiting.set(key, { namespace, name }); // before the read, so that no Thing is missed
      const claim = cache.get(Claim, { namespace, name });
      if (claim === undefined || isDeleting(claim)) {
        waiting.delete(key);
        return;
      }
      try {
        const thing = bindings.of(claim) ?? (await bindings.bind(claim, client));
        if (thing !== undefined) waiting.delete(key);
        const status: Claim['status'] = thing ? { phase: 'Bound', thing } : { phase: 'Pending' };
        await client.status(Claim).apply({ metadata: { namespace, name }, status }, { signal });
      } catch (error) {
        if (isConflict(error)) return { retry: true }; // another Claim was faster
        throw error;
      }
    },
  });
}
// #endregion
