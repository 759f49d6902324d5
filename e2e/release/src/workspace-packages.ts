import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The members of a package.json that a release reads. Others are kept as they are. */
export interface Manifest {
  readonly name: string;
  readonly version?: string;
  readonly private?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** A workspace of the repository with its folder, relative to the root. */
export interface WorkspacePackage {
  readonly folder: string;
  readonly manifest: Manifest;
}

/** The members with names of packages that are installed together with a package, or with its tests. */
export const dependencyMembers = [
  'dependencies',
  'devDependencies',
  'optionalDependencies',
  'peerDependencies',
] as const;

/** Reads all workspaces of a repository, sorted by folder. */
export function readWorkspaces(root: string): WorkspacePackage[] {
  const { workspaces } = readJson(join(root, 'package.json')) as { workspaces: string[] };
  const files = globSync(
    workspaces.map((pattern) => `${pattern}/package.json`),
    { cwd: root },
  );
  return files.toSorted().map((file) => ({
    folder: file.replace(/\/package\.json$/, ''),
    manifest: readJson(join(root, file)) as Manifest,
  }));
}

/**
 * Returns the packages that are published, each after those that it depends on, so that a registry never has a package
 * without its dependencies. Throws if packages depend on each other in a cycle.
 */
export function publishedPackages(workspaces: readonly WorkspacePackage[]): WorkspacePackage[] {
  const waiting = new Map(
    workspaces
      .filter(({ manifest }) => manifest.private !== true)
      .map((each) => [each.manifest.name, each]),
  );
  const sorted: WorkspacePackage[] = [];
  while (waiting.size > 0) {
    const ready = [...waiting.values()].filter(({ manifest }) =>
      installedNames(manifest).every((name) => !waiting.has(name)),
    );
    if (ready.length === 0) {
      throw new Error(`packages depend on each other (packages=${[...waiting.keys()].join(', ')})`);
    }
    for (const { manifest } of ready) waiting.delete(manifest.name);
    sorted.push(...ready);
  }
  return sorted;
}

/** The names of the packages that are installed with a package. */
export function installedNames({
  dependencies,
  optionalDependencies,
  peerDependencies,
}: Manifest): string[] {
  return Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'));
}
