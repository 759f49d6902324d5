import { Claim, Thing } from '@keelson/example-many-controllers/custom-resources';
import { definitions } from '@keelson/example-many-controllers/custom-resource-definitions';
import { addControllers } from '@keelson/example-many-controllers/operator';
import { attempt, deleteAll, oneOf, remaining } from './objects.ts';
import type { System } from './system.ts';

const things = Array.from({ length: 12 }, (_, index) => ({ name: `thing-${index}` }));
const claims = Array.from({ length: 8 }, (_, index) => ({
  namespace: 'default',
  name: `claim-${index}`,
}));

/** `examples/many-controllers`: claims are bound to things of sufficient size. */
export const claimSystem: System = {
  name: 'claims',
  definitions,
  addTo: addControllers,

  async act(client, random) {
    const size = 1 + Math.floor(random() * 10);
    const [thing, claim] = [oneOf(things, random), oneOf(claims, random)];
    const change = oneOf<() => Promise<unknown>>(
      [
        () => client.create(Thing, { metadata: thing, spec: { size } }),
        () => client.create(Claim, { metadata: claim, spec: { size } }),
        () => client.delete(Claim, claim),
        () => client.delete(Thing, thing),
      ],
      random,
    );
    await attempt(change);
  },

  async unsettled(client) {
    const { items: allThings } = await client.list(Thing);
    const { items: allClaims } = await client.list(Claim);
    const lines: string[] = [];
    for (const { metadata, spec, status } of allThings) {
      const owner = allClaims.find((claim) => claim.metadata.uid === spec.claim?.uid);
      const isFree = spec.claim === undefined;
      if (!isFree && owner === undefined)
        lines.push(`Thing ${metadata.name} has a claim that is gone`);
      if (status?.phase !== (isFree ? 'Available' : 'Bound')) {
        lines.push(`Thing ${metadata.name} is ${status?.phase}`);
      }
    }
    const free = allThings.filter(({ spec }) => spec.claim === undefined);
    for (const { metadata, spec, status } of allClaims) {
      const isBound = allThings.some((thing) => thing.spec.claim?.uid === metadata.uid);
      if (status?.phase !== (isBound ? 'Bound' : 'Pending')) {
        lines.push(`Claim ${metadata.name} is ${status?.phase}`);
      }
      if (!isBound && free.some((thing) => thing.spec.size >= spec.size)) {
        lines.push(`Claim ${metadata.name} waits although a thing is free`);
      }
    }
    return lines;
  },

  async clear(client) {
    await deleteAll(client, Claim);
    await deleteAll(client, Thing);
  },

  async left(client) {
    return [...(await remaining(client, Claim)), ...(await remaining(client, Thing))];
  },
};
