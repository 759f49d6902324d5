import type { SourceFile } from '../sources/source-file.ts';

/** Returns the bullets of the first comment of a package's `src/index.ts`. */
export function promisesOf({ text }: Pick<SourceFile, 'text'>): string[] {
  const [, comment = ''] = /^\/\*\*(.*?)\*\//s.exec(text) ?? [];
  const lines = comment.split('\n').map((line) => line.replace(/^ \* ?/, '').trimEnd());
  const [, ...bullets] = lines.join('\n').split(/^- /m);
  return bullets.map((bullet) => bullet.split('\n\n', 1)[0]?.replaceAll(/\s+/g, ' ').trim() ?? '');
}

/** Returns the name of a test without the ids at its start. */
export function withoutIds(testName: string): string {
  return testName.replace(/^(?:(?:[A-Z]{2}\d{2}|R\d-\d{2}b?)[ ,/]+)+/, '');
}
