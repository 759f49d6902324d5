import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A link from a page to a file of the repository, or to a heading. */
export interface PageLink {
  /** Line of the page, from 1. */
  readonly line: number;
  readonly target: string;
}

const link = /\]\((?!\w+:)([^()\s]+)\)/g;
const fence = /^\s*```/;

/** Returns the links of a page within the repository. Code is ignored. */
export function pageLinks(page: string): PageLink[] {
  let inCode = false;
  return page.split('\n').flatMap((text, index) => {
    if (fence.test(text)) inCode = !inCode;
    const found = inCode ? [] : [...text.replaceAll(/`[^`]*`/g, 'x').matchAll(link)];
    return found.map(([, target = '']) => ({ line: index + 1, target }));
  });
}

/** Returns the base names of the source and data files that code spans of a page name. */
export function namedFiles(page: string): string[] {
  const text = page.replaceAll(/```.*?```/gs, '');
  const names = text.matchAll(/`(?:[\w.-]+\/)*([\w-]+(?:\.[\w-]+)*\.(?:ts|go|json|yaml|txt))`/g);
  return [...names].map(([, name = '']) => name);
}

/** Returns a sentence if the target of a link does not exist; otherwise `undefined`. */
export function brokenLink(root: string, page: string, { target }: PageLink): string | undefined {
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? join(root, page) : join(root, dirname(page), path);
  if (!existsSync(file)) return `${target}: there is no such file`;
  if (anchor === undefined) return undefined;
  const found = statSync(file).isFile() && anchors(readFileSync(file, 'utf8')).includes(anchor);
  return found ? undefined : `${target}: the page has no such heading`;
}

/** Returns the anchors that GitHub creates for the headings of a page. */
export function anchors(page: string): string[] {
  const headings = page.match(/^#+ .+$/gm) ?? [];
  return headings.map((heading) =>
    heading
      .replace(/^#+ /, '')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
