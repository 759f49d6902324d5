import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A link whose text is a name in code and whose target is the source file that defines the name. */
export interface NamedLink {
  /** Line of the page, from 1. */
  readonly line: number;
  readonly name: string;
  readonly target: string;
}

const link = /\[`([A-Za-z]\w*)`\]\(([^()\s]+\.ts)\)/g;

/** Returns the links of a page that have the form ``[`Name`](file.ts)``. */
export function namedLinks(page: string): NamedLink[] {
  return page.split('\n').flatMap((text, index) =>
    [...text.matchAll(link)].map(([, name = '', target = '']) => ({
      line: index + 1,
      name,
      target,
    })),
  );
}

/** Returns a sentence if the file of a link does not define the name; otherwise `undefined`. */
export function undefinedName(root: string, page: string, named: NamedLink): string | undefined {
  const source = readFileSync(join(root, dirname(page), named.target), 'utf8');
  const definition = new RegExp(
    String.raw`^export (?:abstract |async )?(?:class|const|function\*?|interface|type) ${named.name}\b`,
    'm',
  );
  if (definition.test(source)) return undefined;
  return `line ${named.line}: ${named.target} does not export ${named.name}`;
}
