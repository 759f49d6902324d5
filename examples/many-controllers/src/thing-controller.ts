import { isDeleting, type Manager } from '@keelson/manager';
import { thingsByClaim } from './bindings.ts';
import { Claim, Thing } from './custom-resources.ts';

/** Frees a Thing whose Claim is gone, and reports in the status whether it is free. */
// #region thing-controller
export function addThingController(manager: Manager): void {
  manager.addController({
    name: 'thing',
    for: { resource: Thing, indexers: [thingsByClaim] },
    watches: [{ resource: Claim, map: ({ uid }, { cache }) => cache.namesBy(thingsByClaim, uid) }],
    async reconcile({ name }, { cache, client, signal }) {
      const thing = cache.get(Thing, { name });
      if (thing === undefined || isDeleting(thing)) return;
      const { claim } = thing.spec;
      const taken = claim !== undefined && cache.get(Claim, claim)?.metadata.uid === claim.uid;
      if (claim !== undefined && !taken) {
        const metadata = { resourceVersion: thing.metadata.resourceVersion };
        const body = { metadata, spec: { claim: null } };
        await client.patch(Thing, { name }, { type: 'merge', body }, { signal });
      }
      const status: Thing['status'] = { phase: taken ? 'Bound' : 'Available' };
      await client.status(Thing).apply({ metadata: { name }, status }, { signal });
    },
  });
}
// #endregion
