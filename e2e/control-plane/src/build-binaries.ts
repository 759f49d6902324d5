import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { binaryPackages, fileNameOf, ownPrograms, sourcesOf, type Binary } from './binary.ts';
import { BuildLock } from './build-lock.ts';
import { kubernetesVersion, moduleFolder } from './cache-folder.ts';
import { goBuild } from './go-build.ts';
import { versionVariables } from './version-variables.ts';
import { checkGo } from './go-toolchain.ts';

/** The binaries to build, their folder, and the listener of the progress. */
export interface BuildOptions {
  readonly binaries: readonly Binary[];
  /** The folder of the binaries, which is created if it does not exist. */
  readonly folder: string;
  /** Called before, during and after the build of each missing binary. */
  readonly onProgress?: (line: string) => void;
  /** Ends the build; what is whole by then stays. */
  readonly signal?: AbortSignal | undefined;
}

/** The files of binaries. */
export type BinaryPaths = Readonly<Record<Binary, string>>;

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Builds the binaries that are missing in the folder, and returns the path of each. A binary appears whole or not
 * at all; a process that builds into the same folder meanwhile is waited for. Throws where something
 * is missing and Go is missing too, or too old.
 */
export async function buildBinaries(options: BuildOptions): Promise<BinaryPaths> {
  const { folder, signal, onProgress = () => {} } = options;
  const paths = await pathsIn(folder);
  if ((await missingFrom(options.binaries, paths)).length === 0) return paths;
  await checkGo();
  await mkdir(folder, { recursive: true });
  const onWait = (): void => onProgress('another process builds here; waiting for it …');
  await using _ = await BuildLock.take({ folder, onWait, signal });
  await removeLeftovers(folder);
  const missing = await missingFrom(options.binaries, paths);
  for (const [index, binary] of missing.entries()) {
    const place = `[${index + 1}/${missing.length}] ${binary}`;
    // One after the other: a single build already uses every core and up to 2 GB.
    await build({ binary, path: paths[binary], place, onProgress, signal });
  }
  return paths;
}

async function pathsIn(folder: string): Promise<BinaryPaths> {
  const names = Object.keys(binaryPackages) as Binary[];
  const paths = names.map(async (binary) => [binary, join(folder, await fileNameOf(binary))]);
  return Object.fromEntries(await Promise.all(paths)) as BinaryPaths;
}

async function missingFrom(
  wanted: readonly Binary[],
  paths: BinaryPaths,
): Promise<readonly Binary[]> {
  const found = await Promise.all(
    wanted.map((binary) => stat(paths[binary]).catch(() => undefined)),
  );
  return wanted.filter((_, index) => found[index] === undefined);
}

interface OneBuild {
  readonly binary: Binary;
  readonly path: string;
  readonly place: string;
  readonly onProgress: (line: string) => void;
  readonly signal: AbortSignal | undefined;
}

async function build({ binary, path, place, onProgress, signal }: OneBuild): Promise<void> {
  const began = performance.now();
  onProgress(`${place}: building …`);
  try {
    await goBuild({
      module: moduleFolder,
      sources: await sourcesOf(binary),
      output: path,
      variables: versionVariables(await kubernetesVersion()),
      onProgress: (line) => onProgress(`${place}: ${line}`),
      signal,
    });
  } catch (cause) {
    throw new Error(`${binary} was not built: ${(cause as Error).message}`, { cause });
  }
  onProgress(`${place}: built in ${Math.round((performance.now() - began) / 1000)} s`);
}

/** Files of killed builds, and programs of old sources; they are useless after a day. */
async function removeLeftovers(folder: string): Promise<void> {
  const names = await readdir(folder);
  const isLeftover = new RegExp(`\\.part$|^(${ownPrograms.join('|')})-`);
  const leftovers = names.filter((name) => isLeftover.test(name));
  for (const name of leftovers) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined && Date.now() - found.mtimeMs > DAY_MS) await rm(path, { force: true });
  }
}
