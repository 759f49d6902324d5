/** A file, URL or cluster of the command line, or a file in a folder: its definitions, or why it has none. */
export type SourceFile =
  | { readonly source: string; readonly definitions: readonly unknown[] }
  | { readonly source: string; readonly error: unknown };

/** Reads the definitions of one file; its error does not stop the others. */
export async function sourceFile(
  source: string,
  read: () => Promise<readonly unknown[]>,
): Promise<SourceFile> {
  try {
    return { source, definitions: await read() };
  } catch (error) {
    return { source, error };
  }
}

/** Returns the definitions of all files. Throws the error of the file that failed, or an `AggregateError` of several. */
export function definitionsIn(files: readonly SourceFile[]): readonly unknown[] {
  const errors = files.flatMap((file) => ('error' in file ? [file.error] : []));
  if (errors.length === 1) throw errors[0];
  if (errors.length > 1) throw new AggregateError(errors, 'some sources failed');
  return files.flatMap((file) => ('definitions' in file ? file.definitions : []));
}
