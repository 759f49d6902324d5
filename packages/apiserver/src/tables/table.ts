import type { ListMeta } from '@keelson/apimachinery';
import { clusterColumns } from './cluster-columns.ts';
import {
  type ColumnDefinition,
  recordedDefinitions,
  usualDefinitions,
} from './column-definition.ts';
import { createdAtColumn, nameColumn, type Cell, type Column, type Fields } from './column.ts';
import { coreColumns } from './core-columns.ts';
import { groupColumns } from './group-columns.ts';
import { workloadColumns } from './workload-columns.ts';

/** How much of each object a row carries (`?includeObject=`). */
export type IncludeObject = 'None' | 'Metadata' | 'Object';

/** A `meta.k8s.io/v1` Table: what `kubectl get` asks for instead of the objects. */
export interface Table {
  kind: 'Table';
  apiVersion: 'meta.k8s.io/v1';
  metadata: ListMeta;
  columnDefinitions: readonly ColumnDefinition[] | null;
  rows: { cells: Cell[]; object: object | null }[] | null;
}

/** The columns of a kind. The definitions cost time to read and are asked for only when they are sent. */
export interface TableColumns {
  readonly columns: readonly Column[];
  readonly definitions: () => readonly ColumnDefinition[];
}

/** What a table is made of. */
export interface TableOptions {
  readonly columns: TableColumns;
  readonly objects: readonly Fields[];
  /** The list's metadata; for a single object its resourceVersion. */
  readonly metadata: ListMeta;
  readonly includeObject: IncludeObject;
  /** Milliseconds since the epoch, for ages. */
  readonly now: number;
  /** A watch sends the definitions with its first row only. */
  readonly withDefinitions?: boolean;
}

/** The columns of a built-in kind by its resource id (`apps/v1/deployments`). */
export function builtinColumns(resourceId: string): TableColumns {
  const columns =
    workloadColumns[resourceId] ??
    coreColumns[resourceId] ??
    groupColumns[resourceId] ??
    clusterColumns[resourceId];
  if (columns === undefined) return plainColumns;
  return { columns, definitions: () => recordedDefinitions(resourceId) };
}

/** The columns of what no printer knows. */
export const plainColumns: TableColumns = {
  columns: [nameColumn, createdAtColumn],
  definitions() {
    const { name, created } = usualDefinitions();
    return [name, created];
  },
};

/** Lays objects out as a table. */
export function tableOf(options: TableOptions): Table {
  const { columns, withDefinitions = true } = options;
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: options.metadata,
    columnDefinitions: withDefinitions ? columns.definitions() : null,
    rows: rowsOf(options),
  };
}

/** What no printer knows has no list of rows where nothing was found. */
function rowsOf({ columns, objects, now, includeObject }: TableOptions): Table['rows'] {
  if (objects.length === 0 && columns === plainColumns) return null;
  return objects.map((object) => ({
    cells: columns.columns.map((column) => column.cell(object, now)),
    ...included(object, includeObject),
  }));
}

function included(object: Fields, include: IncludeObject): { object: object | null } {
  if (include === 'None') return { object: null };
  if (include === 'Object') return { object };
  return {
    object: {
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata: object.metadata,
    },
  };
}
