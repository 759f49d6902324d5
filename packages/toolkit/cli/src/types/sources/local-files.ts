import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { CliError } from '../../errors.ts';
import { boundedText } from '../../output/bounded-text.ts';
import { mayDefine, parseDocuments } from './parse-documents.ts';
import { sourceFile, type SourceFile } from './source-file.ts';

const extensions: ReadonlySet<string> = new Set(['.json', '.yaml', '.yml']);

/**
 * Reads the definitions of a YAML or JSON file, or of every such file in a folder and its subfolders, in the order of
 * their names. Folders whose name begins with a dot and `node_modules` are skipped. Throws `SOURCE_UNREADABLE` if there is
 * no such file or folder; a file of the folder may have an error.
 */
export async function readLocal(path: string): Promise<readonly SourceFile[]> {
  const found: SourceFile[] = [];
  for (const file of await attempt(path, () => filesOf(path))) {
    found.push(
      await sourceFile(file, async () => {
        const text = await attempt(file, () => boundedText(createReadStream(file)));
        // A file that the command line names must be valid; a folder also has files of other kinds.
        return file === path || mayDefine(text) ? parseDocuments(text, file) : [];
      }),
    );
  }
  return found;
}

async function filesOf(path: string): Promise<readonly string[]> {
  return (await stat(path)).isDirectory() ? filesIn(path) : [path];
}

async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const files: string[] = [];
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    const isSkipped = entry.name.startsWith('.') || entry.name === 'node_modules';
    if (entry.isDirectory() && !isSkipped) files.push(...(await filesIn(path)));
    // Reading a pipe would wait.
    const mayRead = entry.isFile() || entry.isSymbolicLink();
    if (mayRead && extensions.has(extname(entry.name))) files.push(path);
  }
  return files;
}

async function attempt<T>(source: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CliError('SOURCE_UNREADABLE', { source, reason }, { cause });
  }
}
