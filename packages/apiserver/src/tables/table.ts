import type { ListMeta } from '@keelson/apimachinery';
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
  columnDefinitions:
    | {
        name: string;
        type: string;
        format: string;
        description: string;
        priority: number;
      }[]
    | null;
  rows: { cells: Cell[]; object: object | null }[];
}

/** What a table is made of. */
export interface TableOptions {
  readonly columns: readonly Column[];
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
export function builtinColumns(resourceId: string): readonly Column[] {
  return (
    workloadColumns[resourceId] ??
    coreColumns[resourceId] ??
    groupColumns[resourceId] ?? [nameColumn, createdAtColumn]
  );
}

/** Lays objects out as a table. */
export function tableOf(options: TableOptions): Table {
  const { columns, objects, now, includeObject, withDefinitions = true } = options;
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: options.metadata,
    columnDefinitions: withDefinitions ? columns.map(definitionOf) : null,
    rows: objects.map((object) => ({
      cells: columns.map((column) => column.cell(object, now)),
      ...included(object, includeObject),
    })),
  };
}

function definitionOf(column: Column): NonNullable<Table['columnDefinitions']>[number] {
  return {
    name: column.name,
    type: column.type,
    format: column.format ?? '',
    description: column.description ?? '',
    priority: column.wide === true ? 1 : 0,
  };
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
