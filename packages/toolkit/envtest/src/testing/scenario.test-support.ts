import { builtin, defineResource, isForbidden } from '@keelson/apimachinery';
import { createClient } from '@keelson/client';
import type { TestEnvironment } from '../environment/test-environment.ts';

const Gizmo = defineResource({
  group: 'envtest.example.com',
  version: 'v1',
  kind: 'Gizmo',
  plural: 'gizmos',
});

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gizmos.envtest.example.com' },
  spec: {
    group: 'envtest.example.com',
    scope: 'Namespaced',
    names: { plural: 'gizmos', kind: 'Gizmo' },
    versions: [
      { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
    ],
  },
};

/**
 * Uses an environment as the test of an operator does, the same way for every kind; returns what it observed. Set
 * `users` to false for environments that cannot add users.
 */
export async function useEnvironment(
  environment: TestEnvironment,
  { users }: { readonly users: boolean },
): Promise<string[]> {
  const seen: string[] = [];
  await environment.installCrds([definition]);
  await using admin = createClient({ cluster: environment.admin.cluster });
  const metadata = { name: 'one', namespace: 'default' };
  const created = await admin.create(Gizmo, { metadata });
  seen.push(`created ${created.metadata.name}`);
  if (users) seen.push(await accessOfBob(environment));
  await admin.delete(Gizmo, metadata);
  await admin.delete(builtin.CustomResourceDefinition, { name: definition.metadata.name });
  return seen;
}

async function accessOfBob(environment: TestEnvironment): Promise<string> {
  const { cluster } = await environment.addUser({ name: 'bob', groups: ['devs'] });
  await using bob = createClient({ cluster });
  try {
    await bob.list(builtin.Secret, { namespace: 'default' });
    return 'bob lists secrets';
  } catch (error) {
    if (!isForbidden(error)) throw error;
    return 'bob is forbidden';
  }
}
