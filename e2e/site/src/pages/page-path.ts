import { posix } from 'node:path';

/**
 * Returns the path of a page in the site for its path in the repository: `docs/guides/testing.md` is `guides/testing.md`.
 * `undefined` for files that are not pages of the site.
 */
export function pagePath(file: string, pages: ReadonlySet<string>): string | undefined {
  if (!pages.has(file)) return undefined;
  if (file === 'README.md') return 'index.md';
  const folder = posix.dirname(file);
  if (posix.basename(file) === 'README.md') {
    if (folder.startsWith('packages/')) return `packages/${posix.basename(folder)}.md`;
    if (folder.startsWith('examples/')) return `${folder}.md`;
    return `${folder.replace(/^docs\//, '')}/index.md`;
  }
  return file.startsWith('docs/') ? file.slice('docs/'.length) : file.toLowerCase();
}

/** A link of a page: a file of the repository, as the page writes it, or an address. */
export interface LinkPlace {
  /** The path of the page that contains the link, from the root of the repository. */
  readonly page: string;
  readonly pages: ReadonlySet<string>;
  /** The address of the repository's files, without a slash at the end: `https://host/blob/v1.0.0`. */
  readonly repository: string;
}

/** Returns the target of a link for the site. A file that is not a page is a link to the repository. */
export function siteLink(target: string, { page, pages, repository }: LinkPlace): string {
  if (/^(?:\w+:|#)/.test(target)) return target;
  const [path = '', anchor] = target.split('#');
  const file = posix.join(posix.dirname(page), path).replace(/\/$/, '');
  const suffix = anchor === undefined ? '' : `#${anchor}`;
  const found = pagePath(file, pages) ?? pagePath(posix.join(file, 'README.md'), pages);
  return found === undefined ? `${repository}/${file}${suffix}` : `/${found}${suffix}`;
}
