import { CommandError, type Shell } from './shell.ts';

/** One package as `npm pack` has made it. */
export interface PackedPackage {
  readonly name: string;
  readonly version: string;
  /** The path of the tarball. */
  readonly file: string;
  /** The number of files. */
  readonly files: number;
  /** The size of the tarball in bytes. */
  readonly size: number;
}

/** True if the registry has this version. Rejects if the registry cannot be asked. */
export async function isPublished(shell: Shell, name: string, version: string): Promise<boolean> {
  try {
    const words = ['view', `${name}@${version}`, 'version', '--json', '--prefer-online'];
    return (await shell.run('npm', ...words)).trim() !== '';
  } catch (error) {
    if (error instanceof CommandError && error.stdout.includes('"E404"')) return false;
    throw error;
  }
}

/** Packs packages into a folder. */
export async function pack(
  shell: Shell,
  folders: readonly string[],
  folder: string,
): Promise<PackedPackage[]> {
  const workspaces = folders.flatMap((each) => ['--workspace', each]);
  const output = await shell.run(
    'npm',
    'pack',
    '--json',
    '--pack-destination',
    folder,
    ...workspaces,
  );
  const packed = Object.values(
    JSON.parse(output) as Record<
      string,
      { name: string; version: string; filename: string; entryCount: number; size: number }
    >,
  );
  return packed.map(({ name, version, filename, entryCount, size }) => ({
    name,
    version,
    file: `${folder}/${filename}`,
    files: entryCount,
    size,
  }));
}

/**
 * Publishes a tarball; the access and the provenance are in its manifest (`publishConfig`). A prerelease gets the tag
 * `next`, so that `npm install` does not choose it.
 */
export async function publish(
  shell: Shell,
  { file, version }: PackedPackage,
  ...options: readonly string[]
): Promise<void> {
  const tag = version.includes('-') ? 'next' : 'latest';
  await shell.run('npm', 'publish', file, '--tag', tag, ...options);
}
