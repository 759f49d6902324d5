import { pageSections } from '../pages/page-text.ts';
import { namesInCode } from './code-names.ts';
import { isDistinctiveName } from './reference-names.ts';

/** A page of the site that may show how a name is used. */
export interface GuidePage {
  /** `/guides/testing.md`. */
  readonly path: string;
  readonly text: string;
}

/** A part of a guide that uses a name. */
export interface NameUse {
  /** `Testing an operator: In Jest`. */
  readonly title: string;
  /** `/guides/testing.md#in-jest`. */
  readonly target: string;
}

interface Section extends NameUse {
  readonly coded: ReadonlySet<string>;
  readonly spoken: ReadonlySet<string>;
}

/** Finds the sections of the guides that use a name in a code block, then those that mention it. */
export class UseIndex {
  readonly #sections: readonly Section[];

  constructor(pages: readonly GuidePage[]) {
    this.#sections = pages.flatMap((page) => sectionsOf(page));
  }

  /** Returns at most `limit` sections, in the order of the guides. */
  usesOf(name: string, limit: number): NameUse[] {
    const coded = this.#sections.filter((section) => section.coded.has(name));
    const spoken = this.#sections.filter((section) => section.spoken.has(name));
    return [...new Set([...coded, ...spoken])]
      .slice(0, limit)
      .map(({ title, target }) => ({ title, target }));
  }
}

function sectionsOf({ path, text }: GuidePage): Section[] {
  const sections = pageSections(text);
  const [page] = sections;
  return sections.map((section) => ({
    title: section === page ? section.title : `${page?.title}: ${section.title}`,
    target: section === page ? path : `${path}#${section.anchor}`,
    coded: namesInCode(section.code),
    spoken: namesInText(section.text),
  }));
}

function namesInText(text: string): Set<string> {
  const found = [...text.matchAll(/`([A-Za-z]\w*)(\()?(?:\))?`/g)];
  return new Set(
    found.flatMap(([, name = '', call = '']) =>
      isDistinctiveName(name) || call === '(' ? [name] : [],
    ),
  );
}
