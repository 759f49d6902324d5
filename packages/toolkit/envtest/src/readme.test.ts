import { test } from '@jest/globals';
import assert from 'node:assert/strict';
import { builtin, isForbidden } from '@keelson/apimachinery';
import { createClient } from '@keelson/client';
import { createTestEnvironment } from './index.ts';

test('the snippet of the README runs', async () => {
  const crds = new URL('../../../../examples/configmap-generator/crd.yaml', import.meta.url)
    .pathname;
  // #region readme
  await using environment = await createTestEnvironment();
  await environment.installCrds([crds]); // 'config/crd/bases', or objects

  await using admin = createClient({ cluster: environment.admin.cluster });
  const { items } = await admin.list(builtin.CustomResourceDefinition);
  assert.equal(items.length, 1);

  const { cluster } = await environment.addUser({ name: 'vera', groups: ['viewers'] });
  await using viewer = createClient({ cluster });
  await assert.rejects(viewer.list(builtin.Secret), isForbidden); // until RBAC grants it

  await environment.controls?.restart('kube-apiserver'); // fault injection
  await admin.list(builtin.Secret);
  // #endregion
});
