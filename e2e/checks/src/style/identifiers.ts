import type { SourceFile } from '../sources/source-file.ts';

/** Words of names that hide what a value is, with better words. */
const unclear: readonly (readonly [word: string, instead: string])[] = [
  ['told', 'reported, emitted, printed'],
  ['tells', 'reports, emits'],
  ['tell', 'report, emit'],
  ['patience', 'timeout'],
  ['trouble', 'fault'],
  ['troubles', 'faults'],
  ['asker', 'handle'],
];

const declaration = /\b(?:const|let|function|class|interface|type|readonly|get)\s+#?([A-Za-z]\w*)/g;

/** Finds declared names that contain an unclear word; returns each with its place and better words. */
export function findUnclearNames(sources: readonly SourceFile[]): string[] {
  return sources.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, index) =>
      [...line.matchAll(declaration)].flatMap(([, name = '']) => {
        const words = wordsOf(name);
        const found = unclear.find(([word]) => words.includes(word));
        return found === undefined ? [] : [`${path}:${index + 1} “${name}”: ${found[1]}`];
      }),
    ),
  );
}

/** Splits a name at underscores and capitals. */
function wordsOf(name: string): string[] {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split('_');
}
