import { isDeleting, type Manager, type Request } from '@keelson/manager';
import { Claim, Thing } from './custom-resources.ts';

/** Frees a Thing whose Claim is gone, and reports in the status whether it is free. */
// #region thing-controller
export function addThingController(manager: Manager): void {
  /** Things by the uid of the Claim they are bound to. */
  const bound = new Map<string, Request>();
  manager.addController({
    name: 'thing',
    for: Thing,
    watches: [{ resource: Claim, map: ({ uid }) => bound.get(uid) }],
    async reconcile({ name }, { cache, client, signal }) {
      const thing = cache.get(Thing, { name });
      if (thing === undefined || isDeleting(thing)) return;
      const { claim } = thing.spec;
      const taken = claim !== undefined && cache.get(Claim, claim)?.metadata.uid === claim.uid;
      if (taken) bound.set(claim.uid, { name });
      if (claim !== undefined && !taken) {
        bound.delete(claim.uid);
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
