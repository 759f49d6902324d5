import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { PublishRegistry } from './publish-registry.test-support.ts';
import { release, type ReleaseOptions } from './release.ts';
import { SampleRepository } from './sample-repository.test-support.ts';
import { shellIn, type Shell } from './shell.ts';
import { publishedPackages, readWorkspaces } from './workspace-packages.ts';

let repository: SampleRepository;
let registry: PublishRegistry;
let shell: Shell;
let lines: string[];

beforeEach(async () => {
  registry = await PublishRegistry.create();
  repository = new SampleRepository();
  const { host } = registry;
  repository.write('.npmrc', `registry=http://${host}/\n//${host}/:_authToken=secret\n`);
  shell = shellIn(repository.root);
  lines = [];
  await shell.run('git', 'init', '--initial-branch=main');
  await shell.run('git', 'config', 'user.name', 'Test');
  await shell.run('git', 'config', 'user.email', 'test@example.com');
  await commitAll();
});

afterEach(async () => {
  await registry[Symbol.asyncDispose]();
  repository[Symbol.dispose]();
});

async function commitAll(): Promise<void> {
  await shell.run('git', 'add', '.');
  await shell.run('git', 'commit', '--message', 'files');
}

async function start(until: ReleaseOptions['until']): Promise<void> {
  const print = (line: string): unknown => lines.push(line);
  await release({ root: repository.root, version: '0.2.0', until, shell, print });
}

test('npm run sbom lists the packages and what they install, without the tools of the repository', async () => {
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  const text = await shellIn(root).run('npm', 'run', '--silent', 'sbom');
  const { bomFormat, metadata, components, dependencies } = JSON.parse(text) as {
    bomFormat: string;
    metadata: { component: { 'bom-ref': string } };
    components: readonly { readonly purl: string; readonly 'bom-ref': string }[];
    dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
  };
  const names = components.map(({ purl }) => purl.replace(/^pkg:npm\/|@[^@]*$/g, ''));
  const expected = publishedPackages(readWorkspaces(root))
    .flatMap(({ manifest }) => [manifest.name, ...Object.keys(manifest.dependencies ?? {})])
    .map((name) => name.replace('@', '%40'));
  expect(bomFormat).toBe('CycloneDX');
  expect(new Set(names)).toEqual(new Set([...names, ...expected]));
  for (const tool of ['jest', '%40opentelemetry/sdk-trace']) expect(names).not.toContain(tool);
  const reached = new Set([metadata.component['bom-ref']]);
  for (const ref of reached) {
    for (const on of dependencies.find((each) => each.ref === ref)?.dependsOn ?? [])
      reached.add(on);
  }
  for (const component of components) expect(reached).toContain(component['bom-ref']);
  expect(names.filter((name) => /^%40keelson\/(?:e2e|example)-/.test(name))).toEqual([]);
});

describe('a release with git and npm', () => {
  test('publishes the tarballs to a registry, and continues after a refused one', async () => {
    registry.refused = '@sample/app';
    await expect(start('publish')).rejects.toThrow('E403');
    expect(registry.publications.map(({ name }) => name)).toEqual(['@sample/base']);
    registry.refused = undefined;
    await start('publish');
    expect(registry.publications).toMatchObject([
      { name: '@sample/base', 'dist-tags': { latest: '0.2.0' } },
      { name: '@sample/app', 'dist-tags': { latest: '0.2.0' } },
    ]);
    expect(registry.publications[1]?.versions['0.2.0']).toMatchObject({
      dependencies: { '@sample/base': '0.2.0' },
    });
    expect(await shell.run('git', 'log', '--format=%s%d')).toMatch(
      /^release: 0\.2\.0 \(.*tag: v0\.2\.0.*\)\nfiles\n$/,
    );
    expect(lines.slice(-2)).toEqual([
      'skipped @sample/base@0.2.0: the registry has it',
      'published @sample/app@0.2.0',
    ]);
  });

  test('follows publishConfig of a package', async () => {
    const publishConfig = { access: 'public' };
    const manifest = { name: '@sample/base', version: '0.1.0', publishConfig };
    repository.writeJson('packages/base/package.json', manifest);
    await commitAll();
    await start('publish');
    expect(registry.publications[0]).toMatchObject({ name: '@sample/base', access: 'public' });
  });

  test('in a dry run changes neither the repository nor the registry', async () => {
    await start('dry-run');
    expect(registry.publications).toEqual([]);
    expect(await shell.run('git', 'status', '--porcelain')).toBe('');
    expect(await shell.run('git', 'log', '--format=%s')).toBe('files\n');
    expect(lines).toContainEqual(
      expect.stringMatching(/^@sample\/app +0\.2\.0 +1 +1 kB +to publish$/),
    );
  });
});
