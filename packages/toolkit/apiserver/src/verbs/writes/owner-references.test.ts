import { describe, expect, test } from '@jest/globals';
import { clientOfRunningServer } from '../../server/running-server.test-support.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'u' };

// Recorded from kube-apiserver 1.36.3.
describe('owner references', () => {
  const client = clientOfRunningServer();
  const warning = (when: string, uids: string): string =>
    `299 - ".metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${uids}"`;

  test('that repeat are removed with a warning', async () => {
    const ownerReferences = [
      { ...owner, controller: true },
      { ...owner, uid: 'v' },
      { ...owner, uid: 'v' },
      { uid: 'u', controller: true, name: 'o', kind: 'ConfigMap', apiVersion: 'v1' },
    ];
    const sent = { metadata: { name: 'a', ownerReferences } };
    const created = await client.post(`${maps}?dryRun=All`, sent);
    expect(created.body.metadata.ownerReferences).toEqual(ownerReferences.slice(0, 2));
    expect(created.headers.get('warning')).toBe(warning('', 'v, u'));
  });

  test('that repeat in a patch are removed with another warning', async () => {
    await client.post(maps, { metadata: { name: 'b' } });
    const patch = { metadata: { ownerReferences: [owner, owner] } };
    const patched = await client.patch(`${maps}/b?dryRun=All`, 'merge', patch);
    expect(patched.body.metadata.ownerReferences).toEqual([owner]);
    expect(patched.headers.get('warning')).toBe(warning(' after mutating admission happens', 'u'));
  });

  test('that differ in a field stay', async () => {
    const ownerReferences = [owner, { ...owner, controller: false }, { ...owner, name: 'p' }];
    const sent = { metadata: { name: 'c', ownerReferences } };
    const { headers, body } = await client.post(`${maps}?dryRun=All`, sent);
    expect(body.metadata.ownerReferences).toEqual(ownerReferences);
    expect(headers.get('warning')).toBeNull();
  });

  test.each(['a/b/c', 'a/', '/', ''])('of the version %j are refused', async (apiVersion) => {
    const sent = { metadata: { name: 'd', ownerReferences: [{ ...owner, apiVersion }] } };
    const { code, body } = await client.post(`${maps}?dryRun=All`, sent);
    expect([code, body.details.causes[0].field]).toEqual([
      422,
      'metadata.ownerReferences.apiVersion',
    ]);
  });
});
