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

/** The part of each object that a row includes (`?includeObject=`). */
export type IncludeObject = 'None' | 'Metadata' | 'Object';

/** A `meta.k8s.io/v1` Table, which `kubectl get` requests instead of the objects. */
export interface Table {
  kind: 'Table';
  apiVersion: 'meta.k8s.io/v1';
  metadata: ListMeta;
  columnDefinitions: readonly ColumnDefinition[] | null;
  rows: { cells: Cell[]; object: object | null }[] | null;
}

/** Columns of a kind. The definitions are loaded on first use because reading them takes time. */
export interface TableColumns {
  readonly columns: readonly Column[];
  readonly definitions: () => readonly ColumnDefinition[];
}

export interface TableOptions {
  readonly columns: TableColumns;
  readonly objects: readonly Fields[];
  /** Metadata of the list, or the resourceVersion of a single object. */
  readonly metadata: ListMeta;
  readonly includeObject: IncludeObject;
  /** Milliseconds since the epoch, for ages. */
  readonly now: number;
  /** False for later rows of a watch; only its first row has column definitions. Default true. */
  readonly withDefinitions?: boolean;
}

/** Returns the columns of a built-in kind by its resource id (`apps/v1/deployments`). */
export function builtinColumns(resourceId: string): TableColumns {
  const columns =
    workloadColumns[resourceId] ??
    coreColumns[resourceId] ??
    groupColumns[resourceId] ??
    clusterColumns[resourceId];
  if (columns === undefined) return plainColumns;
  return { columns, definitions: () => recordedDefinitions(resourceId) };
}

/** Columns of kinds without a printer. */
export const plainColumns: TableColumns = {
  columns: [nameColumn, createdAtColumn],
  definitions() {
    const { name, created } = usualDefinitions();
    return [name, created];
  },
};

/** Builds the Table of some objects. */
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

/** Without a printer, kube-apiserver writes null for an empty list of rows. */
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
