import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { readProject, type Project } from './project.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-project-'));
});

afterEach(() => rm(folder, { recursive: true }));

async function read(manifest: unknown): Promise<Project> {
  const text = typeof manifest === 'string' ? manifest : JSON.stringify(manifest);
  await writeFile(join(folder, 'package.json'), text);
  return readProject(folder);
}

const withMembers = (keelson: unknown): object => ({ name: 'operator', version: '1.0.0', keelson });

describe('a project', () => {
  test('has defaults for every member', async () => {
    expect(await read({ name: '@me/website.operator', version: '0.1.0+build' })).toEqual({
      folder,
      name: '@me/website.operator',
      version: '0.1.0+build',
      kinds: [],
      policies: [],
      crds: 'config/crd',
      roles: 'config/role.yaml',
      dashboards: 'config/dashboards',
      main: 'src/main.ts',
      image: 'website-operator:0.1.0_build',
      namespace: 'website-operator',
      watchNamespaces: [],
      metricsPort: 8443,
      healthPort: 8081,
    });
  });

  test('has the members of package.json, with normal paths', async () => {
    const members = {
      kinds: ['./src//website.ts', 'src/page.mjs'],
      policies: ['./src/policy.ts'],
      crds: 'crds/',
      roles: 'deploy/../role.yaml',
      main: 'dist/main.js',
      image:
        'registry:5000/me/operator@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
      namespace: 'ops',
      watchNamespaces: ['shop', 'warehouse'],
      metricsPort: 1,
      healthPort: 65_535,
      webhook: { port: 443, path: '/v1/validate' },
    };
    const byteOrderMark = '\uFEFF';
    expect(await read(byteOrderMark + JSON.stringify(withMembers(members)))).toEqual({
      ...members,
      folder,
      name: 'operator',
      version: '1.0.0',
      kinds: ['src/website.ts', 'src/page.mjs'],
      policies: ['src/policy.ts'],
      crds: 'crds',
      roles: 'role.yaml',
      dashboards: 'config/dashboards',
    });
  });

  test('has a webhook only if the member is there', async () => {
    const { webhook } = await read(withMembers({ webhook: {} }));
    expect(webhook).toEqual({ port: 9443, path: '/validate' });
    const none = await read(withMembers({ webhook: { modules: [] } }));
    expect(none.webhook).toEqual({ port: 9443, modules: [] });
    const modules = ['./src/webhook.ts'];
    const declared = await read(withMembers({ webhook: { port: 443, modules } }));
    expect(declared.webhook).toEqual({ port: 443, modules: ['src/webhook.ts'] });
  });

  test.each<[string, unknown]>([
    ['keelson.policies', withMembers({ policies: ['src/a.ts', './src/a.ts'] })],
    ['keelson.watchNamespaces.0', withMembers({ watchNamespaces: ['Shop'] })],
    ['keelson.watchNamespaces', withMembers({ watchNamespaces: 'shop' })],
    ['keelson.watchNamespaces', withMembers({ watchNamespaces: ['a', 'b', 'a'] })],
    ['keelson.webhook.modules', withMembers({ webhook: { modules: ['src/a.ts', './src/a.ts'] } })],
    ['name', {}],
    ['name', { name: 'Not A Name' }],
    ['version', { name: 'a', version: 'one' }],
    ['version', { name: 'a', version: '1.0.0-a..b' }],
    ['version', { name: 'a', version: '01.0.0' }],
    ['version', { name: 'a', version: '1.0.0-01' }],
    ['keelson', withMembers(null)],
    ['keelson', withMembers([])],
    ['keelson.image', withMembers({ image: 'a b' })],
    ['keelson.image', withMembers({ image: 'ghcr.io/Me/operator' })],
    ['keelson.image', withMembers({ image: 'a:1:2@@' })],
    ['keelson.image', withMembers({ image: 'a@sha256:0123' })],
    ['keelson.image', withMembers({ image: 'a:-b' })],
    ['keelson.image', withMembers({ image: '{{ evil }}' })],
    ['keelson.namespace', withMembers({ namespace: 'Ops' })],
    ['keelson.namespace', withMembers({ namespace: 'a'.repeat(64) })],
    ['keelson.namespace', withMembers({ namespace: 'ops\n' })],
    ['keelson.image', { name: '~' }],
    ['keelson.metricsPort', withMembers({ metricsPort: '8443' })],
    ['keelson.metricsPort', withMembers({ metricsPort: 0 })],
    ['keelson.healthPort', withMembers({ healthPort: 65_536 })],
    ['keelson.healthPort', withMembers({ healthPort: 8443 })],
    ['keelson.webhook', withMembers({ webhook: true })],
    ['keelson.webhook.port', withMembers({ webhook: { port: 8081 } })],
    ['keelson.webhook.path', withMembers({ webhook: { path: 'validate' } })],
    ['keelson.webhook.path', withMembers({ webhook: { path: '/a?b' } })],
    ['keelson.webhook.path', withMembers({ webhook: { path: '/Validate' } })],
    ['keelson.webhook.path', withMembers({ webhook: { path: '/a..b' } })],
    ['keelson.webhook.path', withMembers({ webhook: { path: '/a', modules: ['src/a.ts'] } })],
    ['keelson.webhook.modules', withMembers({ webhook: { modules: 'src/a.ts' } })],
    ['keelson.webhook.modules.0', withMembers({ webhook: { modules: ['../a.ts'] } })],
    ['keelson.webhook.host', withMembers({ webhook: { host: 'a' } })],
    ['keelson.kinds', withMembers({ kinds: 'src/website.ts' })],
    ['keelson.kinds', withMembers({ kinds: ['a.ts', './a.ts'] })],
    ['keelson.kinds.0', withMembers({ kinds: ['src/website.json'] })],
    ['keelson.kinds.1', withMembers({ kinds: ['a.ts', 1] })],
    ['keelson.main', withMembers({ main: 'src/main.d.ts' })],
    ['keelson.crds', withMembers({ crds: '../crds' })],
    ['keelson.crds', withMembers({ crds: 'a/../..' })],
    ['keelson.crds', withMembers({ crds: '/etc' })],
    ['keelson.crds', withMembers({ crds: 'C:/crds' })],
    ['keelson.crds', withMembers({ crds: '.' })],
    ['keelson.roles', withMembers({ roles: 'config\\role.yaml' })],
    ['keelson.roles', withMembers({ roles: 'role.yaml\u0000' })],
    ['keelson.roles', withMembers({ roles: '' })],
    ['keelson.imgae', withMembers({ imgae: 'a' })],
    ['keelson.__proto__', '{ "name": "a", "keelson": { "__proto__": { "image": "b" } } }'],
    ['keelson.constructor', withMembers({ constructor: 'a' })],
  ])('names the wrong member %s of %j', async (member, manifest) => {
    await expect(read(manifest)).rejects.toMatchObject({
      code: 'INVALID_PROJECT',
      facts: {
        file: join(folder, 'package.json'),
        member,
        reason: expect.stringMatching(/^must be|^must differ|^must name/),
      },
    });
  });

  test('reports a package.json that is missing or no JSON, with the cause', async () => {
    const invalid = {
      code: 'INVALID_PROJECT',
      cause: expect.objectContaining({ message: expect.any(String) }),
    };
    await expect(readProject(folder)).rejects.toMatchObject(invalid);
    await expect(read('{')).rejects.toMatchObject({ code: 'INVALID_PROJECT' });
  });
});
