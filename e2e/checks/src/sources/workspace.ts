import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { readSources, root } from './source-file.ts';
import { parseModule, type SourceModule } from './source-module.ts';

/** The members of a package.json that determine the permitted imports. */
export interface PackageManifest {
  readonly name: string;
  /** The folder relative to the root: `packages/runtime/client`. */
  readonly folder: string;
  /** Dependencies, peer dependencies and optional dependencies: the packages that users get. */
  readonly dependencies: readonly string[];
  readonly devDependencies: readonly string[];
}

/** The packages and the parsed sources of the repository. */
export interface Workspace {
  readonly packages: readonly PackageManifest[];
  /** The development dependencies of the root, which every test may import. */
  readonly rootDevDependencies: readonly string[];
  readonly modules: readonly SourceModule[];
}

/** Reads the manifests of the packages, without their sources. */
export function readPackages(): PackageManifest[] {
  return globSync('packages/*/*/package.json', { cwd: root })
    .toSorted()
    .map((file) => readManifest(dirname(file)));
}

/** Reads and parses every source of the repository, once for all checks. */
export function readWorkspace(): Workspace {
  return {
    packages: readPackages(),
    rootDevDependencies: readManifest('.').devDependencies,
    modules: readSources(['packages', 'e2e', 'examples']).map((file) => parseModule(file)),
  };
}

/** Reads the package.json of a folder. */
export function readManifest(folder: string): PackageManifest {
  const json = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Record<
    string,
    Record<string, string> | undefined
  > & { name: string };
  return {
    name: json.name,
    folder,
    dependencies: ['dependencies', 'peerDependencies', 'optionalDependencies'].flatMap((kind) =>
      Object.keys(json[kind] ?? {}),
    ),
    devDependencies: Object.keys(json['devDependencies'] ?? {}),
  };
}
