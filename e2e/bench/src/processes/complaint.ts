import type { ChildProcess } from 'node:child_process';

/** A contender that takes longer hangs. */
export const TIME_LIMIT_MS = 900_000;

/** Collects the standard error of a process. The returned function gives its error lines, short enough for a message. */
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
