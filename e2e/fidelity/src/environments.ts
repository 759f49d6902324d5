import type { Cluster } from '@keelson/client';
import type { TestEnvironment } from '@keelson/envtest';
import type { ServerUnderTest } from './server-under-test.ts';

/** Adds the users of the conversation to a test environment. Every environment gets the same users. */
export async function serverOf(
  name: string,
  environment: TestEnvironment,
  variables: Readonly<Record<string, string>> = {},
): Promise<ServerUnderTest> {
  const viewer = await environment.addUser({ name: 'vera', groups: ['viewers'] });
  const nobody = await environment.addUser({ name: 'nobody' });
  const { server, tls } = environment.admin.cluster;
  const anonymous: Cluster = { server, ...(tls?.ca && { tls: { ca: tls.ca } }) };
  return {
    name,
    variables,
    compact: async () => {
      if (environment.controls === undefined) throw new Error(`${name} cannot be compacted`);
      await environment.controls.compact();
    },
    users: {
      admin: environment.admin.cluster,
      viewer: viewer.cluster,
      nobody: nobody.cluster,
      anonymous: anonymous,
      wrong: { ...anonymous, token: 'wrong' },
    },
  };
}
