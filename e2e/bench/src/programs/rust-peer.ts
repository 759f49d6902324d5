import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { copyFile, mkdir, readdir, readFile, rename, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { cacheFolder } from '@keelson/e2e-control-plane';

type Environment = Readonly<Record<string, string | undefined>>;

const PACKAGE = 'keelson-kube-rs-peer';
const crate: string = fileURLToPath(new URL('../../../peers/kube-rs/', import.meta.url));

/** Whether cargo is on this machine: on the path, or where rustup installs it. */
export async function hasCargo(environment: Environment): Promise<boolean> {
  return (await cargo(['--version'], environment).catch(() => 1)) === 0;
}

/**
 * Builds the program that uses kube-rs into the cache and returns its path. The first build takes some minutes. The
 * name of the file holds a digest of the sources: two checkouts that share a cache do not run each other's program.
 */
export async function buildRustPeer(
  environment: Environment,
  onProgress: (line: string) => void,
): Promise<string> {
  const folder = join(dirname(await cacheFolder(environment)), 'kube-rs');
  const program = join(folder, `${PACKAGE}-${await digestOfSources()}`);
  if ((await stat(program).catch(() => undefined)) !== undefined) return program;
  await mkdir(folder, { recursive: true });
  onProgress(`${PACKAGE}: building with cargo …`);
  // One folder for all checkouts, so that a change does not compile the dependencies again.
  const target = join(folder, 'target');
  const manifest = ['--manifest-path', join(crate, 'Cargo.toml'), '--target-dir', target];
  const code = await cargo(['build', '--release', '--locked', ...manifest], environment, (line) =>
    onProgress(`${PACKAGE}: ${line.trim()}`),
  );
  if (code !== 0) throw new Error(`${PACKAGE} was not built: cargo ended with ${String(code)}`);
  const partial = `${program}.${String(process.pid)}.part`;
  await copyFile(join(target, 'release', PACKAGE), partial);
  await rename(partial, program);
  return program;
}

/** Runs cargo and returns its exit code. Rejects without cargo. */
async function cargo(
  args: readonly string[],
  environment: Environment,
  onLine: (line: string) => void = () => undefined,
): Promise<number | null> {
  const installed = join(environment.CARGO_HOME ?? join(homedir(), '.cargo'), 'bin');
  const path = [environment.PATH ?? '', installed].join(delimiter);
  const child = spawn('cargo', args, {
    env: { ...environment, PATH: path },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  createInterface({ input: child.stderr }).on('line', onLine);
  const [code] = (await once(child, 'close')) as [number | null];
  return code;
}

async function digestOfSources(): Promise<string> {
  const names = (await readdir(join(crate, 'src'))).toSorted().map((name) => join('src', name));
  const digest = createHash('sha256');
  for (const name of ['Cargo.toml', 'Cargo.lock', ...names]) {
    digest.update(`${name}\0`).update(await readFile(join(crate, name)));
  }
  return digest.digest('hex').slice(0, 12);
}
