import { describe, expect, test } from '@jest/globals';
import { builtin, isConflict, type ObjectOf } from '@keelson/apimachinery';
import { retryOnConflict } from '@keelson/client';
import { openSharedSuite } from './suite.ts';

const suite = openSharedSuite();
type Lease = ObjectOf<typeof builtin.Lease>;

describe('optimistic concurrency on a Lease', () => {
  const create = async (): Promise<Lease> => {
    const namespace = await suite.namespace();
    const metadata = { namespace, name: 'leader' };
    return suite.client.create(builtin.Lease, { metadata, spec: { leaseTransitions: 0 } });
  };

  const taken = (lease: Lease, holderIdentity: string): Promise<Lease> =>
    suite.client.update(builtin.Lease, { ...lease, spec: { ...lease.spec, holderIdentity } });

  test('one of ten concurrent updates succeeds, the others get a conflict', async () => {
    const lease = await create();
    const names = Array.from({ length: 10 }, (_, index) => `candidate-${index}`);
    const outcomes = await Promise.allSettled(names.map((name) => taken(lease, name)));
    const lost = outcomes.filter(({ status }) => status === 'rejected');
    expect(lost).toHaveLength(9);
    expect(lost.every((outcome) => 'reason' in outcome && isConflict(outcome.reason))).toBe(true);
    const winner = names.find((_, index) => outcomes[index]?.status === 'fulfilled');
    const { metadata } = lease;
    const key = { namespace: metadata?.namespace ?? '', name: 'leader' };
    const now = await suite.client.get(builtin.Lease, key);
    expect(now.spec?.holderIdentity).toBe(winner);
  });

  test('clients that read again after a conflict lose no update', async () => {
    const { metadata } = await create();
    const key = { namespace: metadata?.namespace ?? '', name: 'leader' };
    const increment = (): Promise<Lease> =>
      retryOnConflict(
        async () => {
          const lease = await suite.client.get(builtin.Lease, key);
          const leaseTransitions = (lease.spec?.leaseTransitions ?? 0) + 1;
          return suite.client.update(builtin.Lease, { ...lease, spec: { leaseTransitions } });
        },
        { attempts: 50 },
      );
    await Promise.all(Array.from({ length: 8 }, increment));
    expect((await suite.client.get(builtin.Lease, key)).spec?.leaseTransitions).toBe(8);
  });
});
