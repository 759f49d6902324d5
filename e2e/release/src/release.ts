import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isPublished, pack, publish, type PackedPackage } from './registry.ts';
import { printTable } from './release-table.ts';
import type { Shell } from './shell.ts';
import { VersionChange } from './version-change.ts';
import { publishedPackages, readWorkspaces } from './workspace-packages.ts';

/** The version to release, and how far the release goes. */
export interface ReleaseOptions {
  /** The root folder of the repository. */
  readonly root: string;
  readonly version: string;
  /**
   * `dry-run`: builds, checks and packs, and changes nothing. `prepare`: also commits and tags. `publish`: also publishes.
   */
  readonly until: 'dry-run' | 'prepare' | 'publish';
  readonly shell: Shell;
  /** Receives each line of the report. */
  readonly print: (line: string) => void;
}

/**
 * Releases all packages with one version. A release that failed is continued by the same call: a commit and a tag that
 * exist are kept, and packages that the registry has are skipped. A failure before the commit leaves no change.
 */
export async function release(options: ReleaseOptions): Promise<void> {
  const { root, version, until, print } = options;
  await checkRepository(options);
  const change = VersionChange.of(root, version);
  using folder = temporaryFolder();
  let packed: PackedPackage[] = [];
  let isKept = false;
  try {
    change.write();
    packed = await buildPackages(options, folder.path);
    isKept = until !== 'dry-run';
  } finally {
    if (!isKept) change.revert();
  }
  if (until === 'dry-run') return print('dry run: nothing was changed');
  await commitAndTag(options, change.files);
  if (until === 'publish') await publishMissing(options, packed);
  else print(`prepared: git push --follow-tags, then release ${version} publishes it`);
}

async function checkRepository({ root, version, shell }: ReleaseOptions): Promise<void> {
  if (!/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version)) {
    throw new Error(`the version is invalid (version=${version}, expected=1.2.3 or 1.2.3-beta.1)`);
  }
  const changes = await shell.run('git', 'status', '--porcelain');
  if (changes !== '')
    throw new Error(`the work tree has changes, commit them first\n${changes.trimEnd()}`);
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  const sections = [...changelog.matchAll(/^## \[?([^\s\]]+)/gm)].map(([, name]) => name);
  if (!sections.includes(version)) {
    throw new Error(`CHANGELOG.md has no section of the version (section=## ${version})`);
  }
  const tagged = await tagCommit(shell, version);
  const head = (await shell.run('git', 'rev-parse', 'HEAD')).trim();
  if (tagged !== undefined && tagged !== head) {
    throw new Error(
      `the tag exists at another commit (tag=v${version}, commit=${tagged}, head=${head})`,
    );
  }
}

/** Builds, checks and packs all packages, and prints what would be published. Returns them in dependency order. */
async function buildPackages(
  { root, shell, print }: ReleaseOptions,
  folder: string,
): Promise<PackedPackage[]> {
  const packages = publishedPackages(readWorkspaces(root));
  for (const script of ['build', 'check:packages']) {
    print(`npm run ${script}`);
    await shell.run('npm', 'run', script);
  }
  const all = await pack(
    shell,
    packages.map((each) => each.folder),
    folder,
  );
  const packed = packages.flatMap(({ manifest }) =>
    all.filter(({ name }) => name === manifest.name),
  );
  if (packed.length !== packages.length) throw new Error('npm pack has left out packages');
  const missing = await missingIn(shell, packed);
  for (const each of missing) await publish(shell, each, '--dry-run');
  for (const line of printTable(packed, new Set(missing))) print(line);
  return packed;
}

async function commitAndTag(
  { version, shell }: ReleaseOptions,
  files: readonly string[],
): Promise<void> {
  if (files.length > 0) {
    await shell.run('git', 'add', '--', ...files);
    await shell.run('git', 'commit', '--message', `release: ${version}`);
  }
  if ((await tagCommit(shell, version)) === undefined) {
    await shell.run('git', 'tag', '--annotate', `v${version}`, '--message', `Keelson ${version}`);
  }
}

async function publishMissing(
  { shell, print }: ReleaseOptions,
  packed: readonly PackedPackage[],
): Promise<void> {
  const missing = new Set(await missingIn(shell, packed));
  for (const each of packed) {
    const label = `${each.name}@${each.version}`;
    if (missing.has(each)) await publish(shell, each);
    print(missing.has(each) ? `published ${label}` : `skipped ${label}: the registry has it`);
  }
}

async function missingIn(shell: Shell, packed: readonly PackedPackage[]): Promise<PackedPackage[]> {
  const missing: PackedPackage[] = [];
  for (const each of packed) {
    if (!(await isPublished(shell, each.name, each.version))) missing.push(each);
  }
  return missing;
}

/** Returns the commit of the version's tag; `undefined` without the tag. */
async function tagCommit(shell: Shell, version: string): Promise<string | undefined> {
  if ((await shell.run('git', 'tag', '--list', `v${version}`)).trim() === '') return undefined;
  return (await shell.run('git', 'rev-list', '--max-count=1', `v${version}`)).trim();
}

function temporaryFolder(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), 'keelson-release-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true }) };
}
