import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { crd } from './manifests.ts';
import { openSession } from './session.ts';

const session = openSession('--tls', '--authorization-mode', 'RBAC');
const { kubectl, pipe, jsonOf } = session;
const bin = fileURLToPath(
  new URL('../../../packages/toolkit/cli/src/program/bin.ts', import.meta.url),
);

const role = `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: shop-operator}
rules: [{apiGroups: [example.com], resources: [shops], verbs: [get, list, watch]}]
`;
const monitorDefinition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: servicemonitors.monitoring.coreos.com}
spec:
  group: monitoring.coreos.com
  scope: Namespaced
  names: {plural: servicemonitors, kind: ServiceMonitor}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`;
const monitored = `
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources: [../production]
components: [../../components/service-monitor]
`;

const folderOf = (overlay: string): string =>
  join(session.folder, 'project/deploy/kustomize/overlays', overlay);

async function write(path: string, text: string): Promise<void> {
  const file = join(session.folder, 'project', path);
  await mkdir(join(file, '..'), { recursive: true });
  await writeFile(file, text);
}

beforeAll(async () => {
  const keelson = { namespace: 'shops' };
  await write('package.json', JSON.stringify({ name: 'shop-operator', version: '1.0.0', keelson }));
  await write('config/crd/shops.yaml', crd);
  await write('config/role.yaml', role);
  await write('deploy/kustomize/overlays/monitored/kustomization.yaml', monitored);
  const project = join(session.folder, 'project');
  const words = ['--conditions=@keelson/source', bin, 'manifests', '--project', project];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'ignore', 'inherit'] });
  expect(await once(child, 'close')).toEqual([0, null]);
});

describe('kubectl with the files of keelson manifests', () => {
  test('builds the overlays from the base', async () => {
    const production = await kubectl('kustomize', folderOf('production'));
    expect(production).toContain('replicas: 2\n');
    expect(production).toContain('kind: PodDisruptionBudget\n');
    const development = await kubectl('kustomize', folderOf('development'));
    expect(development).toContain('replicas: 1\n');
    expect(development).not.toContain('kind: PodDisruptionBudget\n');
    expect(development).toContain('imagePullPolicy: IfNotPresent\n');
  });

  test('applies them as a server-side dry run, and then for real', async () => {
    // A dry run stores no namespace for the objects that follow it.
    await kubectl('create', 'namespace', 'shops');
    const apply = ['apply', '--server-side', '-k', folderOf('production')];
    expect(await kubectl(...apply, '--dry-run=server')).toContain(
      'deployment.apps/shop-operator serverside-applied (server dry run)\n',
    );
    await kubectl(...apply);
    const found = await jsonOf('get', 'deployment', 'shop-operator', '-n', 'shops');
    expect(found).toMatchObject({ spec: { replicas: 2 } });
    await kubectl('wait', '--for=condition=Established', 'crd/shops.example.com');
    const user = 'system:serviceaccount:shops:shop-operator';
    expect(await kubectl('auth', 'can-i', 'list', 'shops.example.com', '-A', `--as=${user}`)).toBe(
      'yes\n',
    );
    const lease = ['auth', 'can-i', 'update', 'leases.coordination.k8s.io', `--as=${user}`];
    expect(await kubectl(...lease, '-n', 'shops')).toBe('yes\n');
    expect(await kubectl.run([...lease, '-n', 'default'])).toMatchObject({ stdout: 'no\n' });
  });

  test('changes nothing when it applies them again', async () => {
    const before = await jsonOf('get', 'deployment', 'shop-operator', '-n', 'shops');
    await kubectl('apply', '--server-side', '-k', folderOf('production'));
    expect(await jsonOf('get', 'deployment', 'shop-operator', '-n', 'shops')).toEqual(before);
  });

  test('adds the ServiceMonitor with an overlay that names the component', async () => {
    await pipe(monitorDefinition, 'apply');
    await kubectl(
      'wait',
      '--for=condition=Established',
      'crd/servicemonitors.monitoring.coreos.com',
    );
    await kubectl('apply', '--server-side', '-k', folderOf('monitored'));
    const found = await jsonOf('get', 'servicemonitors', 'shop-operator-metrics', '-n', 'shops');
    expect(found).toMatchObject({ spec: { endpoints: [{ port: 'https', scheme: 'https' }] } });
  });
});
