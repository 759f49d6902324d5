import { readFile, realpath } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { found, type Check, type Finding } from '../runner/check-runner.ts';

interface InstalledPackage {
  readonly name: string;
  readonly version: string;
  /** The path of its `package.json`. */
  readonly file: string;
}

type Manifest = Readonly<Record<string, Readonly<Record<string, string>> | undefined>>;

const SCOPE = '@keelson/';

/** Checks that the packages of Keelson in a project are installed, in one version and one copy each. */
export function packagesCheck(folder: string): Check<never> {
  return {
    name: 'packages',
    cure: 'npm install',
    run: async () => {
      const file = join(folder, 'package.json');
      const installed = new Map<string, InstalledPackage>();
      const missing = await collect(file, installed, true);
      return judge([...installed.values()], missing);
    },
  };
}

function judge(installed: readonly InstalledPackage[], missing: readonly string[]): Finding<never> {
  if (missing.length > 0) {
    return found('failed', `not installed: ${missing.join(', ')}`, 'npm install');
  }
  if (installed.length === 0) {
    return found(
      'failed',
      'the project depends on no package of Keelson',
      'npm install @keelson/manager',
    );
  }
  const versions = new Set(installed.map(({ version }) => version));
  const listed = installed.map(({ name, version }) => `${name}@${version}`).toSorted();
  if (versions.size > 1) {
    return found('failed', listed.join(', '), 'install the same version of all @keelson packages');
  }
  const repeated = listed.filter((each, index) => listed[index + 1] === each);
  if (repeated.length > 0) {
    return found('warning', `more than one copy of ${repeated.join(', ')}`, 'npm dedupe');
  }
  return found('ok', `${installed.length} of version ${[...versions].join()}`);
}

/** Adds the packages that a `package.json` lists, and their dependencies. Returns the names of missing ones. */
async function collect(
  file: string,
  installed: Map<string, InstalledPackage>,
  isProject: boolean,
): Promise<readonly string[]> {
  const manifest = JSON.parse(await readFile(file, 'utf8')) as Manifest;
  const lists = isProject ? ['dependencies', 'devDependencies'] : ['dependencies'];
  const names = new Set(lists.flatMap((list) => Object.keys(manifest[list] ?? {})));
  const missing: string[] = [];
  for (const name of [...names].filter((each) => each.startsWith(SCOPE))) {
    const resolved = await resolvePackage(file, name);
    if (resolved === undefined) missing.push(name);
    else if (!installed.has(resolved.file)) {
      installed.set(resolved.file, resolved);
      missing.push(...(await collect(resolved.file, installed, false)));
    }
  }
  return missing;
}

async function resolvePackage(from: string, name: string): Promise<InstalledPackage | undefined> {
  try {
    const file = await realpath(createRequire(from).resolve(`${name}/package.json`));
    const { version = '' } = JSON.parse(await readFile(file, 'utf8')) as { version?: string };
    return { name, version, file };
  } catch {
    return undefined;
  }
}
