import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { printCodeNames } from '../names/code-names.ts';
import { linkNames } from '../names/link-names.ts';
import type { NameTargets } from '../names/reference-names.ts';
import { mapText, withoutSkippedLevels } from '../pages/page-text.ts';
import { pagePath, siteLink } from '../pages/page-path.ts';

/** Folders and texts that all pages share. */
export interface PageContext {
  readonly root: string;
  /** The folder of the written pages. */
  readonly out: string;
  readonly pages: ReadonlySet<string>;
  /** The address of the repository's files. */
  readonly repository: string;
}

const link = /(!?)\[((?:[^\][]|\[[^\]]*\])*)\]\(([^()\s]+)\)/g;

/** Writes the pages of the repository as pages of the site. */
export class PageWriter {
  readonly #context: PageContext;

  constructor(context: PageContext) {
    this.#context = context;
  }

  /** Writes one page, with links to the site, and links from names to what `targets` has for them. */
  write(page: string, targets: NameTargets): void {
    const path = this.pathOf(page);
    const text = readFileSync(join(this.#context.root, page), 'utf8');
    const linked = linkNames(this.#withSiteLinks(withoutComments(text), page), {
      targets,
      self: path,
      skipFirstCells: page.includes('coming-from-'),
    });
    const names = printCodeNames(text, targets);
    writePage(join(this.#context.out, path), withoutSkippedLevels(linked + names));
  }

  /** The path of a page in the site, with a slash at the beginning. */
  pathOf(page: string): string {
    return `/${pagePath(page, this.#context.pages) ?? page}`;
  }

  #withSiteLinks(text: string, page: string): string {
    const place = { page, pages: this.#context.pages, repository: this.#context.repository };
    return mapText(text, (part) =>
      part.replaceAll(link, (_, image: string, label: string, target: string) =>
        image === '!'
          ? `![${label}](${this.#copyImage(page, target)})`
          : `[${label}](${siteLink(target, place)})`,
      ),
    );
  }

  #copyImage(page: string, target: string): string {
    const file = join(dirname(page), target);
    const copy = join(this.#context.out, 'images', file);
    mkdirSync(dirname(copy), { recursive: true });
    cpSync(join(this.#context.root, file), copy);
    return `/images/${file}`;
  }
}

/** Writes a file and the folders above it. */
export function writePage(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** The comments name the sources of code blocks and tables. The site escapes HTML, so that they would be visible. */
function withoutComments(text: string): string {
  return text.replaceAll(/^<!--.*?-->\n/gm, '');
}
