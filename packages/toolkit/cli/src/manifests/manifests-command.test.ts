import { access, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { webhookServicePlaceholder } from '@keelson/schema';
import { definitionOf } from './manifests.test-support.ts';
import { ProjectFolder } from './project-folder.test-support.ts';

async function textOf({ path }: ProjectFolder, file: string): Promise<string> {
  return readFile(join(path, 'deploy', file), 'utf8');
}

describe('keelson manifests', () => {
  test('writes the base, the overlays and the chart, and later only the changed files', async () => {
    await using folder = await ProjectFolder.create();
    const first = await folder.run();
    expect(first).toMatchObject({ code: 0, err: '' });
    expect(first.out).toContain('written kustomize/base/deployment.yaml\n');
    expect(first.out).toContain('written kustomize/overlays/development/kustomization.yaml\n');
    expect(first.out).toContain('written chart/crds/websites.web.example.com.yaml\n');
    await folder.describe({ image: 'example.com/other:2' });
    const second = await folder.run();
    expect(second.out).toMatch(
      /^written kustomize\/base\/deployment.yaml\nwritten chart\/values.yaml\n\d+ files, \d+ unchanged\n$/,
    );
  });

  test('moves a Role without namespace into the namespace of the operator', async () => {
    await using folder = await ProjectFolder.create();
    await folder.run();
    expect(await textOf(folder, 'kustomize/base/roles.yaml')).toContain('namespace: websites\n');
    await expect(textOf(folder, 'kustomize/base/leader-election.yaml')).rejects.toThrow('ENOENT');
  });

  test('removes its own files of objects that are no longer generated', async () => {
    await using folder = await ProjectFolder.create({ webhook: {} });
    await folder.run();
    await folder.write('deploy/kustomize/overlays/staging/kustomization.yaml', 'resources: []\n');
    await folder.describe({});
    const { out } = await folder.run();
    expect(out).toContain('removed kustomize/base/webhook.yaml\n');
    expect(out).toContain('removed chart/templates/webhook.yaml\n');
    await access(join(folder.path, 'deploy/kustomize/overlays/staging/kustomization.yaml'));
    expect(await folder.run('--check')).toEqual({ code: 0, out: '', err: '' });
  });

  test.each([
    ['a_b', '{}', 'DNS label'],
    ['orders', '{', 'JSON'],
    ['orders', '{"uid":"a","panels":[]}', 'title must be a text'],
    ['orders', '{"title":"a","panels":[]}', 'uid must have'],
    ['orders', '{"title":"a","uid":"a"}', 'panels must be a list'],
    ['orders', '{"title":"a","uid":"b","panels":[]}', 'has the uid of first.json'],
    ['orders', ' '.repeat(2 ** 20 + 1), 'at most 1048576 bytes'],
  ])('refuses the dashboard %s that is invalid', async (name, text, reason) => {
    await using folder = await ProjectFolder.create();
    const first = { title: 'First', uid: 'b', panels: [] };
    await folder.write('config/dashboards/first.json', JSON.stringify(first));
    await folder.write(`config/dashboards/${name}.json`, text);
    const { code, err } = await folder.run();
    expect(code).toBe(1);
    expect(err).toMatch(new RegExp(`^error: DASHBOARD_INVALID: .*${name}.json.*${reason}`));
    await expect(textOf(folder, 'chart/Chart.yaml')).rejects.toThrow('ENOENT');
  });

  test('with --check writes nothing and lists what differs', async () => {
    await using folder = await ProjectFolder.create();
    const missing = await folder.run('--check');
    expect(missing).toMatchObject({ code: 1, out: '' });
    expect(missing.err).toContain('missing  chart/Chart.yaml\n');
    await expect(textOf(folder, 'chart/Chart.yaml')).rejects.toThrow('ENOENT');
    await folder.run();
    await folder.describe({ healthPort: 9000 });
    expect((await folder.run('--check')).err).toMatch(
      /^outdated kustomize\/base\/deployment.yaml\n(?:outdated .*network-policy.yaml\n|outdated chart\/templates\/deployment.yaml\n)+The manifests/,
    );
  });

  test.each(['chart/values.yaml', 'chart/values.schema.json', 'chart/templates/NOTES.txt'])(
    'does not overwrite a foreign %s',
    async (path) => {
      await using folder = await ProjectFolder.create();
      await folder.write(`deploy/${path}`, 'mine: 1\n');
      const { code, err } = await folder.run();
      expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('OUTPUT_FOREIGN') });
      expect(await textOf(folder, path)).toBe('mine: 1\n');
      await expect(textOf(folder, 'chart/Chart.yaml')).rejects.toThrow('ENOENT');
    },
  );

  test('writes into another folder with --output', async () => {
    await using folder = await ProjectFolder.create();
    const output = join(folder.path, 'out');
    expect(await folder.run('-o', output)).toMatchObject({ code: 0 });
    await access(join(output, 'chart/Chart.yaml'));
  });
});

describe('keelson manifests refuses', () => {
  test.each([
    ['a project without its definitions', 'config/crd/websites.json', 'DEFINITIONS_NOT_FOUND'],
    ['a project without its roles', 'config/role.yaml', 'ROLES_NOT_FOUND'],
    ['a folder without package.json', 'package.json', 'INVALID_PROJECT'],
  ])('%s', async (_case, path, code) => {
    await using folder = await ProjectFolder.create();
    await rm(join(folder.path, path));
    expect(await folder.run()).toMatchObject({ code: 1, err: expect.stringContaining(code) });
  });

  test('a missing folder of definitions, unless the project has no kinds', async () => {
    await using folder = await ProjectFolder.create();
    await rm(join(folder.path, 'config/crd'), { recursive: true });
    expect(await folder.run()).toMatchObject({ err: expect.stringContaining('DEFINITIONS_NOT') });
    await folder.describe({ kinds: [] });
    expect(await folder.run()).toMatchObject({ code: 0 });
    await folder.describe({ kinds: [], webhook: {} });
    expect(await folder.run()).toMatchObject({ err: expect.stringContaining('DEFINITIONS_NOT') });
  });

  test('a conversion by the operator without its webhook', async () => {
    await using folder = await ProjectFolder.create();
    const definition = definitionOf('websites', 'web.example.com', 'Website');
    const service = { ...webhookServicePlaceholder, path: '/convert' };
    const webhook = { clientConfig: { service }, conversionReviewVersions: ['v1'] };
    const spec = {
      ...(definition as { spec?: object }).spec,
      conversion: { strategy: 'Webhook', webhook },
    };
    await folder.write('config/crd/websites.json', JSON.stringify({ ...definition, spec }));
    const { code, err } = await folder.run();
    expect(code).toBe(1);
    expect(err).toContain('INVALID_PROJECT');
    expect(err).toContain('keelson.webhook');
    expect(err).toContain('websites.web.example.com');
    await folder.describe({ webhook: { modules: [] } });
    expect(await folder.run()).toMatchObject({ code: 0, err: '' });
  });

  test('a webhook module that exports no webhook, or cannot be imported', async () => {
    await using folder = await ProjectFolder.create({ webhook: { modules: ['src/webhook.mjs'] } });
    await folder.write('src/webhook.mjs', 'export const other = {};');
    const none = await folder.run();
    expect([none.code, none.err]).toEqual([1, expect.stringContaining('WEBHOOKS_NOT_FOUND')]);
    await folder.describe({ webhook: { modules: ['src/missing.mjs'] } });
    expect(await folder.run()).toMatchObject({ err: expect.stringContaining('MODULE_FAILED') });
  });

  test('each invalid definition, with the name of its file, and writes nothing', async () => {
    await using folder = await ProjectFolder.create();
    const text = await readFile(join(folder.path, 'config/crd/websites.json'), 'utf8');
    await folder.write('config/crd/a.json', text.replace(/"group": ?"[^"]*"/, '"group": ""'));
    await folder.write('config/crd/b.yaml', 'kind: CustomResourceDefinition\n  a: [');
    const { code, err } = await folder.run();
    expect(code).toBe(1);
    expect(err).toMatch(/^error: DEFINITION_INVALID: .*\(source=.*config\/crd\/a\.json, /);
    expect(err).toMatch(/\nerror: SOURCE_INVALID: .*\(source=.*config\/crd\/b\.yaml, /);
    await expect(access(join(folder.path, 'deploy'))).rejects.toThrow('ENOENT');
  });

  const isLinux = process.platform === 'linux';
  (isLinux ? test : test.skip)('a folder that the file system does not create', async () => {
    await using folder = await ProjectFolder.create();
    const { code, out, err } = await folder.run('-o', '/proc/x');
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(
      /^error: OUTPUT_FAILED: .*file=\/proc\/x, .*\n {2}keelson why OUTPUT_FAILED, or .*\n$/,
    );
  });

  test('a definition whose name would leave the folder', async () => {
    await using folder = await ProjectFolder.create();
    const names = { plural: '../../a', kind: 'A' };
    const spec = { group: 'example.com', names, scope: 'Cluster', versions: [{ name: 'v1' }] };
    const object = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      spec,
    };
    await folder.write('config/crd/a.json', JSON.stringify(object));
    expect(await folder.run()).toMatchObject({
      code: 1,
      err: expect.stringContaining('path=spec.names.plural'),
    });
  });
});
