/**
 * A fenced block of a Markdown page whose source must be a file: every TypeScript block, and every block that names
 * a file.
 */
export interface CodeBlock {
  /** Line of the opening fence, from 1. */
  readonly line: number;
  readonly code: string;
  /** Number of lines between the fences. */
  readonly length: number;
  /** The source file that the comment above the block names. */
  readonly source: CodeSource | undefined;
}

/**
 * The source of a block: `<!-- region: path/to/file.ts#name -->`, or for a whole file `<!-- file: path/to/file.yaml
 * -->`.
 */
export interface CodeSource {
  readonly file: string;
  readonly region: string | undefined;
}

const marker = /^<!-- (?:region: (\S+)#(\S+)|file: (\S+)) -->$/;
const fence = /^```(\w+)\s*$/;

/**
 * Returns the blocks of a page to check. A block in another language than TypeScript counts if a comment names its
 * file.
 */
export function codeBlocks(page: string): CodeBlock[] {
  const lines = page.split('\n');
  const blocks: CodeBlock[] = [];
  for (let start = 0; start < lines.length; start += 1) {
    const language = fence.exec(lines[start] ?? '')?.[1];
    if (language === undefined) continue;
    const end = lines.indexOf('```', start);
    const source = sourceIn(lines[start - 1] ?? '');
    const code = lines.slice(start + 1, end).join('\n');
    if (language === 'ts' || source !== undefined) {
      blocks.push({ line: start + 1, code, length: end - start - 1, source });
    }
    start = end;
  }
  return blocks;
}

/** Returns the lines, from 1, of the comments that name a source but have no block below them. */
export function sourcesWithoutBlock(page: string): number[] {
  const lines = page.split('\n');
  return lines.flatMap((line, index) =>
    marker.test(line) && !fence.test(lines[index + 1] ?? '') ? [index + 1] : [],
  );
}

function sourceIn(comment: string): CodeSource | undefined {
  const [, file, region, whole] = marker.exec(comment) ?? [];
  const path = file ?? whole;
  return path === undefined ? undefined : { file: path, region };
}

/** Returns the page with the code of every block replaced by the text that `read` returns for its source. */
export function withSources(page: string, read: (source: CodeSource) => string): string {
  const lines = page.split('\n');
  for (const { line, length, source } of codeBlocks(page).toReversed()) {
    if (source === undefined) continue;
    const fresh = read(source).split('\n');
    lines.splice(line, length, ...fresh);
  }
  return lines.join('\n');
}
