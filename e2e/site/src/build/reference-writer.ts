import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { linkNames } from '../names/link-names.ts';
import { referencePage, type NameTargets, type ReferencePage } from '../names/reference-names.ts';
import type { UseIndex } from '../names/use-index.ts';
import type { EntryPoint } from './entry-points.ts';
import { writePage } from './page-writer.ts';

/** The most sections of guides that a page of the reference lists. */
const MAX_USES = 6;

/** The targets of links from pages of the reference. */
export interface ReferenceLinks {
  readonly uses: UseIndex;
  /** Returns the targets of names on a page about one package. */
  readonly targetsFor: (packageName: string) => NameTargets;
}

/** Completes the pages that TypeDoc wrote: links to guides and errors, and an index of the entry points. */
export class ReferenceWriter {
  readonly #folder: string;
  readonly pages: readonly ReferencePage[];

  /** `folder` has the output of TypeDoc. */
  constructor(folder: string) {
    this.#folder = folder;
    this.pages = globSync('**/*.md', { cwd: folder }).flatMap((file) => referencePage(file) ?? []);
  }

  write(entryPoints: readonly EntryPoint[], { uses, targetsFor }: ReferenceLinks): void {
    for (const page of this.pages)
      this.#complete(page, targetsFor(packageOf(page.entryPoint)), uses);
    for (const { name } of entryPoints) this.#completeIndex(name, targetsFor(packageOf(name)));
    writePage(join(this.#folder, 'index.md'), this.#printIndex(entryPoints));
  }

  #complete(page: ReferencePage, targets: NameTargets, uses: UseIndex): void {
    const file = join(this.#folder, '..', page.path.replace(/^\/reference/, 'reference'));
    const text = withoutAnchors(readFileSync(file, 'utf8'));
    const linked = linkNames(text, { targets, self: page.path });
    const from = `\n\nExported by \`${page.entryPoint}\`.\n`;
    const found = uses.usesOf(page.name, MAX_USES);
    const list = found.map(({ title, target }) => `- [${title}](${target})`);
    const guides = list.length === 0 ? '' : `\n## In the guides\n\n${list.join('\n')}\n`;
    writePage(file, linked.replace('\n', from) + guides);
  }

  #completeIndex(name: string, targets: NameTargets): void {
    const file = join(this.#folder, name, 'index.md');
    const self = `/reference/${name}/index.md`;
    const short = packageOf(name).replace('@keelson/', '');
    const about = `\n\nThe package: [\`${packageOf(name)}\`](/packages/${short}.md).\n`;
    const text = withoutAnchors(readFileSync(file, 'utf8')).replaceAll(
      /^### (.+)\n\nRe-exports (\[.*\]\(.*\))\n+(?:\*\*\*\n+)?/gm,
      '- $2\n',
    );
    writePage(file, linkNames(text, { targets, self }).replace('\n', about));
  }

  #printIndex(entryPoints: readonly EntryPoint[]): string {
    const rows = entryPoints.map(({ name }) => {
      const own = this.pages.filter(({ entryPoint }) => entryPoint === name);
      return `| [\`${name}\`](/reference/${name}/index.md) | ${new Set(own.map((page) => page.name)).size} |`;
    });
    return [
      '# API reference',
      '',
      'Every exported name, from its doc comment. A name that several entry points export is described at the first of them.',
      '',
      '| entry point | names |',
      '|---|---|',
      ...rows,
      '',
    ].join('\n');
  }
}

/** `@keelson/manager` for `@keelson/manager/sources`. */
function packageOf(entryPoint: string): string {
  const parts = entryPoint.split('/');
  return parts.slice(0, entryPoint.startsWith('@') ? 2 : 1).join('/');
}

/** TypeDoc writes anchors into tables as HTML, which the site escapes. */
function withoutAnchors(text: string): string {
  return text.replaceAll(/<a id="[^"]*"><\/a> ?/g, '');
}
