import type { ChildProcess } from 'node:child_process';

/** A contender that takes longer than this hangs, in milliseconds. */
export const TIME_LIMIT = 240_000;

/** What a process says on its standard error, once it has ended: as much as a message can hold. */
export function complaintOf(child: ChildProcess): () => string {
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (part: string) => {
    text = (text + part).slice(0, 20_000);
  });
  return () => firstLines(text);
}

function firstLines(text: string): string {
  const lines = text.split('\n').filter((line) => /error|saw|kept|fail/i.test(line));
  return (lines.length === 0 ? text : lines.slice(0, 3).join(' · ')).slice(0, 600);
}
