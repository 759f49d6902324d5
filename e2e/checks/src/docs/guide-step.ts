/** One step of a guide: write a file, or run a script. */
export type GuideStep =
  | { readonly type: 'write'; readonly file: string; readonly text: string }
  | { readonly type: 'run'; readonly script: string };

const fence = /^```(\w+)$/;
/** A sentence that ends with a file name: the block below it is the content of the file. */
const fileName = /`([\w./-]+\.\w+)`[^`]*:$/;
const sourceComment = /^<!-- (?:region|file): /;
const notFollowed = /^<!-- not followed: .+ -->$/;

/**
 * Returns the steps of a guide in order: the files to write and the scripts to run. A comment `<!-- not followed:
 * reason -->` excludes the block below it.
 */
export function guideSteps(page: string): GuideStep[] {
  const lines = page.split('\n');
  const steps: GuideStep[] = [];
  for (let start = 0; start < lines.length; start += 1) {
    const language = fence.exec(lines[start] ?? '')?.[1];
    if (language === undefined) continue;
    const end = lines.indexOf('```', start);
    const text = `${lines.slice(start + 1, end).join('\n')}\n`;
    const step = stepOf(language, text, above(lines, start));
    if (step !== undefined) steps.push(step);
    start = end;
  }
  return steps;
}

/** Returns the line above a block: the last line of text, or the comment that excludes the block. */
function above(lines: readonly string[], start: number): string {
  const before = lines.slice(0, start);
  return before.findLast((line) => line !== '' && !sourceComment.test(line)) ?? '';
}

function stepOf(language: string, text: string, sentence: string): GuideStep | undefined {
  if (notFollowed.test(sentence)) return undefined;
  if (language === 'sh') return { type: 'run', script: text };
  const file = fileName.exec(sentence)?.[1];
  return file === undefined ? undefined : { type: 'write', file, text };
}
