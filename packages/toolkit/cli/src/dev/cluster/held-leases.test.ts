import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createClient, type Client } from '@keelson/client';
import { deleteHeldLeases } from './held-leases.ts';

/** The Lease of the server itself, in kube-system. */
const serverIdentity = 'apiserver-keelson';

describe('deleteHeldLeases', () => {
  let server: ApiServer;
  let admin: Client;
  let program: Client;

  beforeEach(async () => {
    server = await createApiServer();
    const user = { name: 'program', groups: ['system:masters'] };
    admin = createClient({ cluster: server.cluster });
    program = createClient({ cluster: server.addUser(user) });
  });

  afterEach(async () => {
    await program[Symbol.asyncDispose]();
    await admin[Symbol.asyncDispose]();
    await server.close();
  });

  function lease(
    client: Client,
    name: string,
    holderIdentity: string,
    namespace = 'default',
  ): Promise<unknown> {
    const metadata = { namespace, name };
    return client.create(builtin.Lease, { metadata, spec: { holderIdentity } });
  }

  async function names(): Promise<readonly string[]> {
    const { items } = await admin.list(builtin.Lease);
    return items.map(({ metadata }) => metadata.name).filter((name) => name !== serverIdentity);
  }

  test('deletes the Leases that the program created or renewed', async () => {
    await lease(program, 'created', 'pod-1');
    await lease(admin, 'renewed', '');
    const spec = { holderIdentity: 'pod-1' };
    const metadata = { namespace: 'default', name: 'renewed' };
    await program.patch(builtin.Lease, metadata, { type: 'merge', body: { spec } });
    await deleteHeldLeases(server, admin, 'program');
    expect(await names()).toEqual([]);
  });

  test('keeps released Leases, and those of namespaces in which the program wrote none', async () => {
    await lease(program, 'released', '');
    await lease(admin, 'other', 'pod-2', 'kube-system');
    await program.get(builtin.Lease, { namespace: 'kube-system', name: 'other' });
    await deleteHeldLeases(server, admin, 'program');
    expect(await names()).toEqual(['released', 'other']);
  });

  test('keeps the Lease of the API server beside those of the program', async () => {
    await lease(program, 'created', 'pod-1', 'kube-system');
    await deleteHeldLeases(server, admin, 'program');
    const { items } = await admin.list(builtin.Lease, { namespace: 'kube-system' });
    expect(items.map(({ metadata }) => metadata.name)).toEqual([serverIdentity]);
  });

  test('does nothing before the first request of the program', async () => {
    await lease(admin, 'other', 'pod-2');
    await deleteHeldLeases(server, admin, 'program');
    expect(await names()).toEqual(['other']);
  });
});
