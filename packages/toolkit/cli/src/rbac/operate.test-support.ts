import { builtin } from '@keelson/apimachinery';
import { createClient } from '@keelson/client';
import { createTestEnvironment } from '@keelson/envtest';

/**
 * The test of a project: an operator that reads ConfigMaps, and does what the arguments name. The first argument is the file
 * with its roles.
 */
const [, , file = '', ...actions] = process.argv;
const user = 'system:serviceaccount:ops:robot';

await using environment = await createTestEnvironment({ use: 'memory' });
const { cluster } = await environment.addUser({ name: user, groups: ['system:masters'] });
await using client = createClient({ cluster });
await client.list(builtin.ConfigMap, {});
const metadata = { namespace: 'default', name: 'one' };
if (actions.includes('create')) await client.create(builtin.ConfigMap, { metadata });
if (actions.includes('lease')) await client.create(builtin.Lease, { metadata });
await environment.checkRoles(user, file, {
  mayExceed: [{ apiGroups: ['batch'], resources: ['*'], verbs: ['*'] }],
});
