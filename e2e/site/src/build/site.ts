import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errorTargets } from '../names/error-targets.ts';
import { referenceTargets, type NameTargets } from '../names/reference-names.ts';
import { UseIndex } from '../names/use-index.ts';
import { pageSections } from '../pages/page-text.ts';
import { chapters, sitePages } from '../pages/sidebar.ts';
import { entryPointsOf, type EntryPoint } from './entry-points.ts';
import { PageWriter, writePage } from './page-writer.ts';
import { ReferenceWriter } from './reference-writer.ts';

/** Choices of one build. */
export interface SiteOptions {
  readonly root: string;
  /** The path below which the site is served, with slashes at both ends: `/keelson/0.2/`. */
  readonly base: string;
  /** The version as the pages show it. */
  readonly version: string;
  /** The address of the page that lists all versions, if the site is published with it. */
  readonly versions?: string;
  /** The branch or tag of the repository to which the pages link. */
  readonly ref: string;
}

const repositoryUrl = 'https://github.com/keelson/keelson';

/** Builds the site and returns its folder. Installs the generator first if its folder does not have it. */
export function buildSite(options: SiteOptions): string {
  const generator = join(options.root, 'e2e/site/generator');
  const run = (command: string, ...words: readonly string[]): void => {
    execFileSync(command, words, { cwd: generator, stdio: 'inherit' });
  };
  if (!isInstalled(generator)) {
    // Not `npm ci`, which fails with some mirrors of the registry. `--no-save` leaves the lock file as it is.
    run('npm', 'install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund');
  }
  rmSync(join(generator, 'dist'), { recursive: true, force: true });
  const entryPoints = entryPointsOf(options.root, packageFolders());
  const out = join(generator, 'dist/pages');
  const repository = `${repositoryUrl}/blob/${options.ref}`;
  const reference = join(out, 'reference');
  run(
    process.execPath,
    'write-reference.mjs',
    JSON.stringify({ out: reference, entryPoints, repository }),
  );
  writePages({ root: options.root, out, repository, entryPoints });
  const config = siteConfig(options, entryPoints);
  writePage(join(generator, 'dist/site.json'), JSON.stringify(config));
  run(process.execPath, 'node_modules/vitepress/bin/vitepress.js', 'build', '.');
  return join(generator, 'dist/site');
}

/** The lists of npm are as old as the installation, so that a newer lock file means an outdated one. */
function isInstalled(generator: string): boolean {
  const installed = join(generator, 'node_modules/.package-lock.json');
  const wanted = join(generator, 'package-lock.json');
  return existsSync(installed) && statSync(installed).mtimeMs >= statSync(wanted).mtimeMs;
}

function packageFolders(): string[] {
  const packages = chapters.find(({ title }) => title === 'Packages');
  return (packages?.pages ?? []).map((page) => dirname(page));
}

interface PageSources {
  readonly root: string;
  readonly out: string;
  readonly repository: string;
  readonly entryPoints: readonly EntryPoint[];
}

function writePages({ root, out, repository, entryPoints }: PageSources): void {
  const writer = new PageWriter({ root, out, repository, pages: new Set(sitePages()) });
  const reference = new ReferenceWriter(join(out, 'reference'));
  const textOf = (page: string): string => readFileSync(join(root, page), 'utf8');
  const names = referenceTargets(
    reference.pages,
    entryPoints.map(({ name }) => name),
  );
  const targetsFor = (packageName: string): NameTargets =>
    new Map([...names, ...errorTargets(textOf('docs/errors.md'), packageName)]);
  const shown = sitePages().filter((page) => /guides|coming-from|README/.test(page));
  const uses = new UseIndex(
    shown.map((page) => ({ path: writer.pathOf(page), text: textOf(page) })),
  );
  const targets = targetsFor('@keelson/manager');
  for (const page of sitePages()) writer.write(page, targets);
  reference.write(entryPoints, { uses, targetsFor });
}

function siteConfig(
  { root, base, version, versions }: SiteOptions,
  entryPoints: readonly EntryPoint[],
): object {
  const writer = new PageWriter({ root, out: '', repository: '', pages: new Set(sitePages()) });
  const titleOf = (page: string): string =>
    page === 'README.md'
      ? 'What Keelson is'
      : (pageSections(readFileSync(join(root, page), 'utf8'))[0]?.title ?? page);
  const sidebar = chapters.map(({ title, pages }) => ({
    text: title,
    items: pages.map((page) => ({ text: titleOf(page), link: writer.pathOf(page) })),
  }));
  const reference = {
    text: 'API reference',
    link: '/reference/index.md',
    items: entryPoints.map(({ name }) => ({ text: name, link: `/reference/${name}/index.md` })),
  };
  return { base, version, versions, repository: repositoryUrl, sidebar, reference };
}
