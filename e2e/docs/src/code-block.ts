/** A fenced block of TypeScript in a Markdown page. */
export interface CodeBlock {
  /** Line of the opening fence, from 1. */
  readonly line: number;
  readonly code: string;
  /** Lines between the fences. */
  readonly length: number;
  /** What the comment above it names: `<!-- region: path/to/file.ts#name -->`. */
  readonly source: { readonly file: string; readonly region: string } | undefined;
}

const marker = /^<!-- region: (\S+)#(\S+) -->$/;
const fence = /^```ts\s*$/;

/** The TypeScript blocks of a page; blocks in other languages are not ours to check. */
export function codeBlocks(page: string): CodeBlock[] {
  const lines = page.split('\n');
  const blocks: CodeBlock[] = [];
  for (let start = 0; start < lines.length; start += 1) {
    if (!fence.test(lines[start] ?? '')) continue;
    const end = lines.indexOf('```', start);
    const [, file, region] = marker.exec(lines[start - 1] ?? '') ?? [];
    blocks.push({
      line: start + 1,
      code: lines.slice(start + 1, end).join('\n'),
      length: end - start - 1,
      source: file === undefined || region === undefined ? undefined : { file, region },
    });
    start = end;
  }
  return blocks;
}

/** The page with the code of every named block replaced by what `read` gives for its source. */
export function withSources(page: string, read: (file: string, region: string) => string): string {
  const lines = page.split('\n');
  for (const { line, length, source } of codeBlocks(page).toReversed()) {
    if (source === undefined) continue;
    const fresh = read(source.file, source.region).split('\n');
    lines.splice(line, length, ...fresh);
  }
  return lines.join('\n');
}
