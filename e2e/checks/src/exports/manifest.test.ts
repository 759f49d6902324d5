import { readFileSync, readdirSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { packageNameOf } from '../sources/resolve-import.ts';
import { root } from '../sources/source-file.ts';
import { readWorkspace } from '../sources/workspace.ts';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  readonly files?: readonly string[];
  readonly engines?: unknown;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const folders = ['packages/runtime', 'packages/toolkit', 'examples', 'e2e'].flatMap((wing) =>
  readdirSync(join(root, wing), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `${wing}/${name}`),
);

const published = folders.filter((folder) => folder.startsWith('packages/'));

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest;
}

describe('package.json', () => {
  const { modules, rootDevDependencies } = readWorkspace();

  test.each(published)(
    '%s has what a registry shows, and is published with provenance',
    (folder) => {
      const url = 'https://github.com/keelson/keelson';
      const manifest = manifestOf(folder);
      expect(manifest).toMatchObject({
        license: 'Apache-2.0',
        homepage: `${url}/tree/main/${folder}#readme`,
        bugs: `${url}/issues`,
        repository: { type: 'git', url: `git+${url}.git`, directory: folder },
        publishConfig: { access: 'public', provenance: true },
        engines: manifestOf('.').engines,
        scripts: { prepack: expect.stringContaining('node ../../../.ci/prepack.mjs') },
      });
      expect(manifest.description).toMatch(/^[A-Z].*[^.]$/);
      expect(manifest.files).toContain('CHANGELOG.md');
    },
  );

  test('has one version in all packages, also where they depend on each other', () => {
    const manifests = published.map((folder) => manifestOf(folder));
    const names = new Set(manifests.map(({ name }) => name));
    const versions = manifests.flatMap(({ version, dependencies = {}, devDependencies = {} }) => [
      version,
      ...Object.entries({ ...dependencies, ...devDependencies })
        .filter(([name]) => names.has(name))
        .map(([, range]) => range),
    ]);
    expect(new Set(versions).size).toBe(1);
  });

  test.each(folders)(
    '%s lists every package that its code imports (strict layout of pnpm)',
    (folder) => {
      const { name, dependencies = {}, devDependencies = {} } = manifestOf(folder);
      const listed = new Set([name, ...Object.keys(dependencies), ...Object.keys(devDependencies)]);
      const missing = modules
        .filter(({ path }) => path.startsWith(`${folder}/`))
        .flatMap(({ path, imports }) =>
          imports.map(({ specifier = '.' }) => ({
            path,
            specifier,
            imported: packageNameOf(specifier),
          })),
        )
        .filter(({ specifier }) => !specifier.startsWith('.') && !isBuiltin(specifier))
        .filter(({ imported }) => !listed.has(imported) && !rootDevDependencies.includes(imported))
        .map(({ path, imported }) => `${path} imports ${imported}`);
      expect(missing).toEqual([]);
    },
  );

  test('every example imports Keelson only from @keelson/manager and the packages for tests', () => {
    const others = modules
      .filter(({ path }) => path.startsWith('examples/'))
      .flatMap(({ path, imports }) =>
        imports.map(({ specifier }) => `${path} imports ${specifier}`),
      )
      .filter((line) => /@keelson\/(?:apimachinery|client|informer|wire|workqueue)$/.test(line));
    expect(others).toEqual([]);
  });
});
