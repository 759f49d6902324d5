import { posix } from 'node:path';

import type { SourceFile } from '../sources/source-file.ts';
import { child, children, parse, textOf } from '../sources/syntax.ts';

/** A name that a module exports from another file of its package. */
interface ForwardedName {
  readonly name: string;
  readonly path: string;
}

/** First sentences that repeat the name only. */
const empty = /^(?:The )?(?:options|arguments|settings|parameters) (?:of|for) [^.,:;]{1,40}\.$/i;

/**
 * Finds the exports of an entry module whose declarations have no doc comment, or one that only repeats the name. An
 * editor shows the comment when the mouse is over the name.
 */
export function findUndocumented(entry: SourceFile, files: ReadonlyMap<string, string>): string[] {
  return forwardedNames(entry).flatMap(({ name, path }) => {
    const comment = docCommentOf(name, files.get(path) ?? '');
    if (comment === undefined) return [`${path}: ${name} has no doc comment`];
    const [first = ''] = comment.split(/(?<=[.:!?])\s/, 1);
    return empty.test(first) ? [`${path}: the comment of ${name} only repeats the name`] : [];
  });
}

/** Names from other packages are checked in their own package. */
function forwardedNames({ path, text }: SourceFile): ForwardedName[] {
  return children(parse(text), 'body').flatMap((statement) => {
    const specifier = textOf(child(statement, 'source'));
    if (statement.type !== 'ExportNamedDeclaration' || !specifier?.startsWith('.')) return [];
    const target = posix.join(posix.dirname(path), specifier);
    const names = children(statement, 'specifiers').map((one) => textOf(child(one, 'orig')));
    return names.map((name) => ({ name: name ?? '*', path: target }));
  });
}

/** Returns the text of the comment directly above a declaration; `undefined` without a comment. */
function docCommentOf(name: string, text: string): string | undefined {
  const kinds = '(?:abstract |declare |async )*(?:class|const|function\\*?|interface|type)';
  const at = text.search(new RegExp(`^export ${kinds} ${name}\\b`, 'm'));
  const above = /\/\*\*((?:(?!\*\/)[^])*)\*\/\s*$/.exec(text.slice(0, Math.max(at, 0)));
  return above?.[1]
    ?.replaceAll(/\n\s*\*/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
