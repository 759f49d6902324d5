import { pageLines } from '../pages/page-text.ts';
import { isDistinctiveName, type NameTargets } from './reference-names.ts';

/** Returns the names in the TypeScript blocks of a page, each once, in the order of the page. */
export function codeNames(page: string): string[] {
  let isTypeScript = false;
  const code = pageLines(page).flatMap(({ line, isCode }) => {
    const [, language] = /^\s*```(\w*)/.exec(line) ?? [];
    if (language !== undefined) isTypeScript = language === 'ts';
    return isCode && isTypeScript ? [line] : [];
  });
  return [...namesInCode(code.join('\n'))].filter((name) => isDistinctiveName(name));
}

/**
 * Returns the names in TypeScript that may be exports: distinctive names, and others that are called. Members, keys, texts and
 * comments are not.
 */
export function namesInCode(code: string): Set<string> {
  const plain = code.replaceAll(/^\s*```.*$|'[^'\n]*'|`[^`]*`|\/\/.*$/gm, '');
  const found = plain.matchAll(/(?<![.\w#])([A-Za-z]\w*)\b(?!\??:)(\(?)/g);
  return new Set(
    [...found].flatMap(([, name = '', call = '']) =>
      isDistinctiveName(name) || call === '(' ? [name] : [],
    ),
  );
}

/** Prints a part that links the names of a page's code to the reference. Empty if none of them has a page. */
export function printCodeNames(page: string, targets: NameTargets): string {
  const links = codeNames(page).flatMap((name) => {
    const target = targets.get(name);
    return target === undefined ? [] : [`[\`${name}\`](${target})`];
  });
  return links.length === 0 ? '' : `\n## In the reference\n\n${links.join(' · ')}\n`;
}
