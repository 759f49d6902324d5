import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { binaryPackages, type Binary } from './binary.ts';
import { kubernetesVersion, moduleFolder } from './cache-folder.ts';

/** What a build is asked for. */
export interface BuildOptions {
  readonly binaries: readonly Binary[];
  /** Where they go; made if it is not there. */
  readonly folder: string;
  /** Called before and after each one that is not there yet. */
  readonly onProgress?: (line: string) => void;
}

/** Builds what is not in the folder yet. A binary appears whole or not at all. */
export async function buildBinaries(options: BuildOptions): Promise<void> {
  await mkdir(options.folder, { recursive: true });
  const missing = await missingFrom(options);
  for (const [index, binary] of missing.entries()) {
    const began = performance.now();
    options.onProgress?.(`[${index + 1}/${missing.length}] building ${binary} …`);
    // One after the other: a single build already uses every core and up to 2 GB.
    await build(binary, options.folder);
    const seconds = Math.round((performance.now() - began) / 1000);
    options.onProgress?.(`[${index + 1}/${missing.length}] built ${binary} in ${seconds} s`);
  }
}

/** Whether a Go toolchain is on this machine. */
export async function hasGo(): Promise<boolean> {
  const child = spawn('go', ['version'], { stdio: 'ignore' });
  // `once` rejects on the 'error' event, which is how a command that does not exist is told.
  const [code] = await once(child, 'exit').catch(() => [undefined]);
  return code === 0;
}

async function missingFrom({ binaries, folder }: BuildOptions): Promise<Binary[]> {
  const present = await Promise.all(binaries.map((binary) => isBuilt(folder, binary)));
  return binaries.filter((_, index) => present[index] !== true);
}

/** A command whose sources are in this module is built again when one of them has changed. */
async function isBuilt(folder: string, binary: Binary): Promise<boolean> {
  const built = await stat(join(folder, binary)).catch(() => undefined);
  if (built === undefined) return false;
  const sources = join(moduleFolder, binaryPackages[binary]);
  const files = await readdir(sources).catch(() => []);
  const stats = await Promise.all(files.map((file) => stat(join(sources, file))));
  return stats.every(({ mtimeMs }) => mtimeMs <= built.mtimeMs);
}

async function build(binary: Binary, folder: string): Promise<void> {
  const partial = join(folder, `.${binary}.${process.pid}.part`);
  const flags = `-s -w ${versionFlags(await kubernetesVersion())}`;
  const args = ['build', '-trimpath', '-ldflags', flags, '-o', partial, binaryPackages[binary]];
  const child = spawn('go', args, { cwd: moduleFolder, stdio: ['ignore', 'inherit', 'inherit'] });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`go build of ${binary} ended with code ${String(code)}`);
  await rename(partial, join(folder, binary));
}

/** Without these a server calls itself `v0.0.0-master`. */
function versionFlags(version: string): string {
  const [major = '', minor = ''] = version.slice(1).split('.');
  const variables = { gitVersion: version, gitMajor: major, gitMinor: minor };
  return Object.entries(variables)
    .map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`)
    .join(' ');
}
