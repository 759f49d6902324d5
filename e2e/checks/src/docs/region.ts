import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { CodeSource } from './code-block.ts';

const open = /^\s*\/\/ #region (\S+)\s*$/;
const close = /^\s*\/\/ #endregion\b/;

/** Returns the text of a file or of one region, without the comments that mark regions. */
export function readSource(root: string, { file, region }: CodeSource): string {
  if (region !== undefined) return readRegion(root, file, region);
  const lines = readFileSync(join(root, file), 'utf8').split('\n');
  return withoutMarks(lines).join('\n').trim();
}

/** Returns the lines between `// #region name` and its `// #endregion`, without the indentation they share. */
export function readRegion(root: string, file: string, name: string): string {
  const lines = readFileSync(join(root, file), 'utf8').split('\n');
  const start = lines.findIndex((line) => open.exec(line)?.[1] === name);
  if (start === -1) throw new Error(`${file} has no region "${name}"`);
  const end = endOf(lines, start);
  if (end === -1) throw new Error(`the region "${name}" of ${file} does not end`);
  const body = withoutMarks(lines.slice(start + 1, end));
  return asPublished(root, file, dedent(body));
}

function withoutMarks(lines: readonly string[]): string[] {
  return lines.filter((line) => !open.test(line) && !close.test(line));
}

function endOf(lines: readonly string[], start: number): number {
  let depth = 0;
  for (let index = start; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    if (open.test(line)) depth += 1;
    if (close.test(line)) depth -= 1;
    if (depth === 0) return index;
  }
  return -1;
}

function dedent(lines: readonly string[]): string {
  const margins = lines.filter((line) => line.trim() !== '').map((line) => line.search(/\S/));
  const margin = Math.min(...margins);
  return lines
    .map((line) => line.slice(margin))
    .join('\n')
    .trim();
}

/** Replaces the relative import of a package's index.ts, which its own tests use, by the name of the package. */
function asPublished(root: string, file: string, code: string): string {
  const door = code.includes(`from './index.ts'`) ? packageName(root, file) : '';
  return code.replaceAll(`from './index.ts'`, `from '${door}'`);
}

function packageName(root: string, file: string): string {
  let folder = dirname(join(root, file));
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    name: string;
  };
  return manifest.name;
}
