/**
 * Parses the flags of a program in Go: `--name=value`, `--name value` and `--name`, which is `true`. A later one wins. Other words are
 * left out.
 */
export function parseGoFlags(words: readonly string[]): Map<string, string> {
  const flags = new Map<string, string>();
  for (let at = 0; at < words.length; at++) {
    const [, name, assigned] = /^--?([a-zA-Z][\w-]*)(?:=(.*))?$/s.exec(words[at] ?? '') ?? [];
    if (name === undefined) continue;
    const next = words[at + 1];
    const hasNext = assigned === undefined && next !== undefined && !next.startsWith('-');
    flags.set(name, assigned ?? (hasNext ? next : 'true'));
    if (hasNext) at++;
  }
  return flags;
}
