import type { Cluster } from '@keelson/client';
import type { TestEnvironment } from '@keelson/envtest';
import type { ServerUnderTest } from './server-under-test.ts';

/** The users of a conversation on a test environment, the same on every one. */
export async function serverOf(
  name: string,
  environment: TestEnvironment,
): Promise<ServerUnderTest> {
  const viewer = await environment.addUser({ name: 'vera', groups: ['viewers'] });
  const nobody = await environment.addUser({ name: 'nobody' });
  const { server, tls } = environment.admin.cluster;
  const stranger: Cluster = { server, ...(tls?.ca && { tls: { ca: tls.ca } }) };
  return {
    name,
    compact: async () => {
      if (environment.controls === undefined) throw new Error(`${name} cannot be compacted`);
      await environment.controls.compact();
    },
    users: {
      admin: environment.admin.cluster,
      viewer: viewer.cluster,
      nobody: nobody.cluster,
      anonymous: stranger,
      wrong: { ...stranger, token: 'wrong' },
    },
  };
}
