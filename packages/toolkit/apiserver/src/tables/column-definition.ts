import { brotliDecompressSync } from 'node:zlib';
import { readDataFile } from '../data-file.ts';
import { lazy } from '@keelson/structural-schema';

/** The definition of a column in a Table. */
export interface ColumnDefinition {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  /** Columns with a priority above 0 appear only in `-o wide`. */
  readonly priority: number;
}

const recorded = lazy(() => {
  const text = brotliDecompressSync(readDataFile('columns.json.br')).toString();
  return JSON.parse(text) as Readonly<Record<string, readonly ColumnDefinition[]>>;
});

/**
 * Returns the definitions for a built-in kind by its resource id (`apps/v1/deployments`), recorded from kube-apiserver.
 */
export function recordedDefinitions(resourceId: string): readonly ColumnDefinition[] {
  return recorded()[resourceId] ?? [];
}

/** Returns the definitions for kinds without a printer: name and creation time. */
export function usualDefinitions(): { name: ColumnDefinition; created: ColumnDefinition } {
  const [name, created] = recordedDefinitions('v1/limitranges');
  if (name === undefined || created === undefined) throw new Error('columns.json.br is incomplete');
  return { name, created };
}
