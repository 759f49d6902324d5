import { createTwoFilesPatch } from 'diff';
import type { Terminal } from '../../terminal/terminal.ts';
import type { FileChange } from './project-draft.ts';

/** Prints the difference of each file, as `git diff` does. */
export function showChanges(changes: readonly FileChange[], terminal: Terminal): void {
  for (const { path, before, after } of changes) {
    const from = before === undefined ? '/dev/null' : `a/${path}`;
    const patch = createTwoFilesPatch(from, `b/${path}`, before ?? '', after, '', '', {
      context: 3,
    });
    // The first line is a row of equals signs.
    terminal.print(patch.slice(patch.indexOf('\n') + 1).trimEnd());
  }
}
