import { brotliDecompressSync } from 'node:zlib';
import { readDataFile } from '../schema/data-file.ts';
import { lazy } from '../schema/lazy.ts';

/** What a Table says about one of its columns. */
export interface ColumnDefinition {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  /** Above 0: shown only by `-o wide`. */
  readonly priority: number;
}

const recorded = lazy(() => {
  const text = brotliDecompressSync(readDataFile('columns.json.br')).toString();
  return JSON.parse(text) as Readonly<Record<string, readonly ColumnDefinition[]>>;
});

/** The columns of a built-in kind by its resource id (`apps/v1/deployments`), in the words of kube-apiserver. */
export function recordedDefinitions(resourceId: string): readonly ColumnDefinition[] {
  return recorded()[resourceId] ?? [];
}

/** The name and the time of creation: what every kind has that has no printer of its own. */
export function usualDefinitions(): { name: ColumnDefinition; created: ColumnDefinition } {
  const [name, created] = recordedDefinitions('v1/limitranges');
  if (name === undefined || created === undefined) throw new Error('columns.json.br is not whole');
  return { name, created };
}
