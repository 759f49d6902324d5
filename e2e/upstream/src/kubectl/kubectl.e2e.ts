import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createApiServer } from '@keelson/apiserver';
import { createClient, type Cluster } from '@keelson/client';
import { buildBinaries, cacheFolder } from '@keelson/e2e-control-plane';
import { ControlledCluster } from '../kubernetes/cluster.ts';
import { serverOf } from '../kubernetes/server-of.ts';
import { prepareCommands, runCommands } from './run-commands.ts';
import { unsuitable } from './unsuitable.ts';

/** The functions that run. */
const FUNCTIONS = 92;

/** Creates the roles that kube-apiserver always has, and the server in memory only with RBAC. */
async function createBootstrapPolicy(cluster: Cluster): Promise<void> {
  await using client = createClient({ cluster });
  await using rbac = await createApiServer({ authorizationMode: 'RBAC' });
  await using source = createClient({ cluster: rbac.cluster });
  for (const kind of [builtin.ClusterRole, builtin.ClusterRoleBinding]) {
    const { items } = await source.list(kind);
    for (const { metadata, ...role } of items) {
      const { name, labels = {} } = metadata;
      await client.create(kind, { ...role, metadata: { name, labels } });
    }
  }
}

/** The admission of `hack/make-rules/test-cmd.sh`. */
const apiServerFlags = [
  '--enable-admission-plugins=LimitRanger,ResourceQuota',
  '--disable-admission-plugins=ServiceAccount,DefaultStorageClass,DefaultTolerationSeconds,StorageObjectInUseProtection',
];

test("kubectl's functions of test/cmd pass, unpatched", async () => {
  const binaries = await cacheFolder(process.env);
  const { kubectl } = await buildBinaries({
    binaries: ['kubectl'],
    folder: binaries,
    onProgress: console.error,
  });
  const folder = await prepareCommands(kubectl);
  const authority = join(folder, 'hack/testdata/ca');
  const kind = serverOf(process.env);
  await using cluster = await ControlledCluster.start(kind, {
    authorization: 'AlwaysAllow',
    adminToken: 'admin-token',
    clientCa: await readFile(join(authority, 'ca.crt'), 'utf8'),
    nodes: 0,
    apiServerFlags,
    controllerFlags: [
      `--cluster-signing-cert-file=${authority}/ca.crt`,
      `--cluster-signing-key-file=${authority}/ca.key`,
    ],
  });
  if (kind === 'memory') await createBootstrapPolicy(cluster.cluster);
  const { server, tls } = cluster.cluster;
  const { ran, failed, log } = await runCommands(folder, {
    port: Number(new URL(server).port),
    ca: String(tls?.ca),
  });
  // The log stays for a look at a failure.
  const expected = { ran: FUNCTIONS, failed: Object.keys(unsuitable), log };
  expect({ ran: ran.length, failed, log }).toEqual(expected);
  await rm(folder, { recursive: true });
});
