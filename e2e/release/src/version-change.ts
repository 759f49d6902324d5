import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  dependencyMembers,
  type Manifest,
  publishedPackages,
  readWorkspaces,
} from './workspace-packages.ts';

/** A file with its text before and after the change. */
interface ChangedFile {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** The lock file of npm, which repeats the manifests of the workspaces. */
interface LockFile {
  readonly packages: Readonly<Record<string, Manifest>>;
}

/** A new version in all packages, in the workspaces that depend on them, and in the lock file. */
export class VersionChange {
  /** The files that differ, relative to the root. None if the version is set already. */
  readonly files: readonly string[];
  readonly #root: string;
  readonly #changes: readonly ChangedFile[];

  private constructor(root: string, changes: readonly ChangedFile[]) {
    this.#root = root;
    this.#changes = changes;
    this.files = changes.map(({ path }) => path);
  }

  /** Computes the change. It writes nothing. */
  static of(root: string, version: string): VersionChange {
    const workspaces = readWorkspaces(root);
    const names = new Set(publishedPackages(workspaces).map(({ manifest }) => manifest.name));
    const update = (manifest: Manifest): Manifest => withVersion(manifest, version, names);
    const manifests = workspaces.map(({ folder }) =>
      changed(root, `${folder}/package.json`, (json) => update(json as Manifest)),
    );
    const folders = new Set(workspaces.map(({ folder }) => folder));
    const lock = changed(root, 'package-lock.json', (json) =>
      withPackages(json as LockFile, (path, each) => (folders.has(path) ? update(each) : each)),
    );
    return new VersionChange(
      root,
      [...manifests, lock].filter(({ before, after }) => before !== after),
    );
  }

  write(): void {
    for (const { path, after } of this.#changes) writeFileSync(join(this.#root, path), after);
  }

  /** Writes the files as they were. */
  revert(): void {
    for (const { path, before } of this.#changes) writeFileSync(join(this.#root, path), before);
  }
}

function changed(root: string, path: string, update: (json: unknown) => object): ChangedFile {
  const before = readFileSync(join(root, path), 'utf8');
  const after = `${JSON.stringify(update(JSON.parse(before)), null, 2)}\n`;
  return { path, before, after };
}

function withPackages(
  lock: LockFile,
  update: (path: string, manifest: Manifest) => Manifest,
): LockFile {
  const entries = Object.entries(lock.packages).map(([path, each]) => [path, update(path, each)]);
  return { ...lock, packages: Object.fromEntries(entries) as LockFile['packages'] };
}

/** Sets the version of a package, and each pinned version of a package in its dependencies; `*` stays. */
function withVersion(manifest: Manifest, version: string, names: ReadonlySet<string>): Manifest {
  const dependencies = dependencyMembers.flatMap((member) => {
    const given = manifest[member];
    if (given === undefined) return [];
    const entries = Object.entries(given).map(([name, range]) => [
      name,
      names.has(name) && range !== '*' ? version : range,
    ]);
    return [[member, Object.fromEntries(entries)]];
  });
  const own = names.has(manifest.name) ? { version } : {};
  return { ...manifest, ...own, ...Object.fromEntries(dependencies) };
}
