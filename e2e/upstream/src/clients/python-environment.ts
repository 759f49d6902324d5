import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { cacheFolder } from '@keelson/e2e-control-plane';

const run = promisify(execFile);

/** The packages of the environment at pinned versions. */
const requirements: string = fileURLToPath(new URL('requirements.txt', import.meta.url));

/** Packages whose tests only their source archives have. */
const archives = new Set(['kopf', 'kr8s']);

/** Python is missing or too old, or the registry of its packages cannot be reached. */
export class NoPython extends Error {
  override readonly name = 'NoPython';
}

/**
 * Returns a folder of the cache with a virtual environment in `venv` and the unpacked source archives in `sources`. Installs it
 * if it is missing, in a minute or two. Rejects with `NoPython` if that is not possible here.
 */
export async function pythonEnvironment(onProgress: (line: string) => void): Promise<string> {
  const pinned = await readFile(requirements, 'utf8');
  const digest = createHash('sha256').update(pinned).digest('hex').slice(0, 12);
  const folder = join(dirname(await cacheFolder(process.env)), `python-clients-${digest}`);
  if ((await stat(folder).catch(() => undefined)) !== undefined) return folder;
  await checkPython();
  onProgress('installing the clients of Python …');
  const partial = `${folder}.${process.pid}.part`;
  try {
    await install(partial, pinned);
    await rename(partial, folder);
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
  return folder;
}

async function checkPython(): Promise<void> {
  const check = 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))';
  await run('python3', ['-c', check]).catch(() => {
    throw new NoPython('no Python 3.11 or newer with venv on PATH');
  });
  const ask = ['-m', 'pip', '--retries', '0', '--timeout', '20', 'index', 'versions'];
  await run('python3', [...ask, 'kopf']).catch(() => {
    throw new NoPython('no registry of Python packages can be reached');
  });
}

async function install(folder: string, pinned: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await run('python3', ['-m', 'venv', join(folder, 'venv')]);
  const python = pythonOf(folder);
  const pip = ['-m', 'pip', '--disable-pip-version-check', '--quiet'];
  await run(python, [...pip, 'install', '--only-binary', ':all:', '--requirement', requirements]);
  const sources = join(folder, 'sources');
  const versions = pinned.split('\n').filter((line) => archives.has(line.split('==')[0] ?? ''));
  const options = ['--no-deps', '--no-binary', ':all:', '--dest', sources];
  await run(python, [...pip, 'download', ...options, ...versions]);
  for (const line of versions) {
    const name = line.replace('==', '-');
    await run(python, ['-m', 'tarfile', '--extract', join(sources, `${name}.tar.gz`), sources]);
    await rename(join(sources, name), join(sources, line.split('==')[0] ?? ''));
  }
}

/** The interpreter of an environment. Its other programs name the folder in which they were installed, and do not run. */
export function pythonOf(folder: string): string {
  return join(folder, 'venv', 'bin', 'python');
}
