/** A part of a Markdown page below one heading, without the parts of deeper headings. */
export interface PageSection {
  /** 1 for the title of the page. */
  readonly level: number;
  /** The text of the heading, without Markdown. */
  readonly title: string;
  /** The anchor that GitHub gives the heading; the site has the same. */
  readonly anchor: string;
  /** The text outside of code blocks. */
  readonly text: string;
  readonly code: string;
}

/** Returns the anchor that GitHub creates for the text of a heading, without the number of a repeated one. */
export function headingAnchor(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
}

/** Divides a page at its headings. The first section has the title of the page. */
export function pageSections(page: string): PageSection[] {
  const parts: { level: number; heading: string; text: string[]; code: string[] }[] = [];
  for (const { line, isCode } of pageLines(page)) {
    const [, marks, heading] = (isCode ? undefined : /^(#+) (.+)$/.exec(line)) ?? [];
    if (marks !== undefined && heading !== undefined)
      parts.push({ level: marks.length, heading, text: [], code: [] });
    else parts.at(-1)?.[isCode ? 'code' : 'text'].push(line);
  }
  const repeated = new Map<string, number>();
  return parts.map(({ level, heading, text, code }) => {
    const plain = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)|[`*]/g, '$1');
    const anchor = headingAnchor(plain);
    const count = repeated.get(anchor) ?? 0;
    repeated.set(anchor, count + 1);
    return {
      level,
      title: plain.trim(),
      anchor: count === 0 ? anchor : `${anchor}-${count}`,
      text: text.join('\n'),
      code: code.join('\n'),
    };
  });
}

/** A line of a page, and whether it belongs to a code block or is one of its fences. */
export interface PageLine {
  readonly line: string;
  readonly isCode: boolean;
}

/** Returns the lines of a page. */
export function pageLines(page: string): PageLine[] {
  let fence: string | undefined;
  return page.split('\n').map((line) => {
    const [, mark] = /^\s*(`{3,})/.exec(line) ?? [];
    const isCode = fence !== undefined || mark !== undefined;
    if (mark !== undefined) fence = fence === undefined ? mark : mark === fence ? undefined : fence;
    return { line, isCode };
  });
}

/** Changes the text of a page outside of code blocks, in pieces that may have several lines. */
export function mapText(page: string, change: (text: string) => string): string {
  const pieces: { isCode: boolean; lines: string[] }[] = [];
  for (const { line, isCode } of pageLines(page)) {
    if (pieces.at(-1)?.isCode !== isCode) pieces.push({ isCode, lines: [] });
    pieces.at(-1)?.lines.push(line);
  }
  return pieces
    .map(({ isCode, lines }) => (isCode ? lines.join('\n') : change(lines.join('\n'))))
    .join('\n');
}

/** Raises headings that skip a level, which readers of screens take for a missing part. */
export function withoutSkippedLevels(page: string): string {
  let level = 0;
  return mapText(page, (text) =>
    text.replaceAll(/^#+(?= )/gm, (marks) => {
      level = Math.min(marks.length, level + 1);
      return '#'.repeat(level);
    }),
  );
}
