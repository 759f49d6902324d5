import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** The facts of a page that the checks of the built site compare. */
export interface BuiltPage {
  /** The path below the folder of the site: `guides/testing.html`. */
  readonly path: string;
  readonly bytes: number;
  /** The values of all `id` attributes. */
  readonly anchors: ReadonlySet<string>;
  /** The targets of its links, as the page writes them. */
  readonly links: readonly string[];
  /** The addresses of its scripts, styles and images. */
  readonly resources: readonly string[];
}

/** Reads a page as VitePress renders it. Its attributes have double quotes. */
export function parseBuiltPage(path: string, html: string): BuiltPage {
  const values = (pattern: RegExp): string[] =>
    [...html.matchAll(pattern)].map(([, value = '']) => unescaped(value));
  return {
    path,
    bytes: Buffer.byteLength(html),
    anchors: new Set(values(/\sid="([^"]*)"/g)),
    links: values(/<a\s[^>]*?href="([^"]*)"/g),
    resources: [
      ...values(/<link\s[^>]*?href="([^"]*)"/g),
      ...values(/<(?:script|img|iframe|source|video)\s[^>]*?src="([^"]*)"/g),
    ],
  };
}

/** Reads all pages of a built site by their paths. */
export function readBuiltSite(folder: string): Map<string, BuiltPage> {
  const paths = globSync('**/*.html', { cwd: folder }).toSorted();
  return new Map(
    paths.map((path) => [path, parseBuiltPage(path, readFileSync(join(folder, path), 'utf8'))]),
  );
}

/** Finds links within the site that lead to no page or no anchor. `base` is the path of the site, with slashes. */
export function findDeadLinks(pages: ReadonlyMap<string, BuiltPage>, base: string): string[] {
  return [...pages.values()].flatMap((page) =>
    page.links.flatMap((link) => {
      const problem = problemOf(link, page, { pages, base });
      return problem === undefined ? [] : [`${page.path}: ${link}: ${problem}`];
    }),
  );
}

function problemOf(
  link: string,
  page: BuiltPage,
  { pages, base }: { pages: ReadonlyMap<string, BuiltPage>; base: string },
): string | undefined {
  if (/^[a-z]+:/.test(link)) return undefined;
  const url = new URL(link, `http://site${base}${page.path}`);
  if (!url.pathname.startsWith(base)) return 'is outside of the site';
  const path = decodeURIComponent(url.pathname.slice(base.length));
  const file = path === '' || path.endsWith('/') ? posix.join(path, 'index.html') : path;
  const target = pages.get(file);
  if (target === undefined) return 'there is no such page';
  const anchor = decodeURIComponent(url.hash.slice(1));
  return anchor === '' || target.anchors.has(anchor) ? undefined : 'there is no such anchor';
}

function unescaped(value: string): string {
  return value.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');
}
