import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { root } from '../sources/source-file.ts';
import { readPackages } from '../sources/workspace.ts';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  readonly files?: readonly string[];
  readonly engines?: unknown;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const published = readPackages().map(({ folder }) => folder);

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest;
}

describe('package.json', () => {
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
});
