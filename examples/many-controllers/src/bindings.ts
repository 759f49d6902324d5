import { defineIndex } from '@keelson/manager';
import type { Client, DeepReadonly, InformerCache, Persisted } from '@keelson/manager';
import { Thing, type Claim } from './custom-resources.ts';

const FREE = 'free';

/** Things by the uid of their Claim. */
export const thingsByClaim = defineIndex(Thing, 'claim', ({ spec }) => [spec.claim?.uid ?? FREE]);

/** The Thing of each Claim: from the cache, and from writes that the cache does not show yet. */
export class Bindings {
  readonly #cache: InformerCache;
  /** By the uid of the Claim: the Thing, and its resourceVersion before it was bound. */
  readonly #written = new Map<string, { name: string; before: string }>();

  constructor(cache: InformerCache) {
    this.#cache = cache;
  }

  /** The name of the Thing that is bound to the claim. */
  of(claim: DeepReadonly<Persisted<Claim>>): string | undefined {
    this.#forgetSeen();
    const { uid } = claim.metadata;
    const [seen] = this.#cache.namesBy(thingsByClaim, uid);
    return this.#written.get(uid)?.name ?? seen?.name;
  }

  /**
   * Binds the smallest free Thing that is large enough; resolves to its name, or to
   * `undefined` without a free Thing. The patch carries the resourceVersion that was read, so that it
   * fails with a conflict if another client was faster.
   */
  async bind(claim: DeepReadonly<Persisted<Claim>>, client: Client): Promise<string | undefined> {
    const name = this.#smallestFree(claim.spec.size);
    if (name === undefined) return undefined;
    const { namespace, name: claimName, uid } = claim.metadata;
    const before = this.#versionOf(name) ?? '';
    const reference = { namespace, name: claimName, uid };
    const body = { metadata: { resourceVersion: before }, spec: { claim: reference } };
    await client.patch(Thing, { name }, { type: 'merge', body });
    this.#written.set(uid, { name, before });
    return name;
  }

  #smallestFree(size: number): string | undefined {
    const written = new Set([...this.#written.values()].map(({ name }) => name));
    const [thing] = this.#cache
      .by(thingsByClaim, FREE)
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .filter(({ metadata }) => !written.has(metadata.name))
      .filter(({ spec }) => spec.size >= size)
      .toSorted((one, other) => one.spec.size - other.spec.size);
    return thing?.metadata.name;
  }

  /** If the resourceVersion has changed, the cache shows the write or a newer state. */
  #forgetSeen(): void {
    for (const [uid, { name, before }] of this.#written) {
      if (this.#versionOf(name) !== before) this.#written.delete(uid);
    }
  }

  #versionOf(name: string): string | undefined {
    return this.#cache.get(Thing, { name })?.metadata.resourceVersion;
  }
}
